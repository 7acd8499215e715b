"""Cloud versions, `S-312`: the number of a release of the whole tree, and its git tag."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_DIGITS = re.compile("[1-9][0-9]{0,14}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ReleaseNames:
    """How releases are called."""

    cloud_prefix: str = "S-"
    tag_prefix: str = ""

    @property
    def before_number(self) -> str:
        """What stands before the number in a tag."""
        return self.tag_prefix + self.cloud_prefix

    def cloud(self, number: int) -> str:
        """The cloud version with a number."""
        return f"{self.cloud_prefix}{number}"

    def tag(self, number: int) -> str:
        """The tag of a release."""
        return f"{self.before_number}{number}"

    def number_of_cloud(self, name: str) -> int | None:
        """The number in a cloud version; none where it is called otherwise."""
        return _number(name, self.cloud_prefix)

    def number_of_tag(self, name: str) -> int | None:
        """The number in a tag; none where it is no tag of a release."""
        return _number(name, self.before_number)


def next_number(known: Iterable[int]) -> int:
    """The number of the next release."""
    return max(known, default=0) + 1


def _number(name: str, prefix: str) -> int | None:
    """Only the one spelling that we write: what is spelled `S-07` is not ours."""
    digits = name.removeprefix(prefix)
    return int(digits) if name.startswith(prefix) and _DIGITS.fullmatch(digits) else None
