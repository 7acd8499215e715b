"""Cloud versions, such as `S-312`: the release number of the whole tree, and its git tag."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_DIGITS = re.compile("[1-9][0-9]{0,14}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ReleaseNames:
    """The prefixes of release names."""

    cloud_prefix: str = "S-"
    tag_prefix: str = ""

    @property
    def before_number(self) -> str:
        """The prefix of the number in a tag."""
        return self.tag_prefix + self.cloud_prefix

    def cloud(self, number: int) -> str:
        """The cloud version with a number."""
        return f"{self.cloud_prefix}{number}"

    def tag(self, number: int) -> str:
        """The tag of a release."""
        return f"{self.before_number}{number}"

    def number_of_cloud(self, name: str) -> int | None:
        """The number of a cloud version; None for another name."""
        return _number(name, self.cloud_prefix)

    def number_of_tag(self, name: str) -> int | None:
        """The number of a release tag; None for another tag."""
        return _number(name, self.before_number)


def next_number(known: Iterable[int]) -> int:
    """The number of the next release."""
    return max(known, default=0) + 1


def _number(name: str, prefix: str) -> int | None:
    """Parse the number after a prefix, without leading zeros: `S-07` is not one of our names."""
    digits = name.removeprefix(prefix)
    return int(digits) if name.startswith(prefix) and _DIGITS.fullmatch(digits) else None
