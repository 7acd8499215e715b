"""Semantic and cloud versions: their order, and the next version after a change."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lumos_snap.errors import LumosError
from lumos_snap.rules.rule import Bump

_NUMBER = "(0|[1-9][0-9]{0,14})"
_FORM = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-([0-9A-Za-z.-]+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Version:
    """A semantic version, such as `2.1.0` or `2.1.0-rc.1`."""

    major: int
    minor: int
    patch: int
    pre: str = ""
    """The pre-release part: such a version precedes the one without it."""

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}{f'-{self.pre}' if self.pre else ''}"

    @property
    def rank(self) -> tuple[object, ...]:
        """The sort key of versions: https://semver.org, point 11."""
        own = tuple(_rank(one) for one in self.pre.split(".")) if self.pre else ()
        return (self.major, self.minor, self.patch, not self.pre, own)

    @property
    def final(self) -> "Version":
        """The version without its pre-release part."""
        return Version(self.major, self.minor, self.patch)


FIRST = Version(1, 0, 0)
"""The first version of a dataset, whatever its lifecycle."""


def parse(text: str) -> Version:
    """Parse a version; raises `LumosError` if invalid."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise LumosError(f"{text[:80]!r} is no version that a release can go on from", hint=_MEND)
    major, minor, patch, pre = match.groups()
    return Version(int(major), int(minor), int(patch), pre or "")


_MEND = "a version is like 2.1.0 or 2.1.0-rc.1: mend `versioning.schema_version`"


def step(version: Version, bump: Bump) -> Version:
    """The next version after a change.

    A pre-release whose own step is large enough is finalized: from 2.0.0-rc.1, any change leads to
    2.0.0; from 2.1.0-rc.1, a breaking change leads to 3.0.0 and any other to 2.1.0.
    """
    if bump is Bump.NONE:
        return version
    if version.pre and _own_step(version) >= bump:
        return version.final
    match bump:
        case Bump.MAJOR:
            return Version(version.major + 1, 0, 0)
        case Bump.MINOR:
            return Version(version.major, version.minor + 1, 0)
        case Bump.PATCH:
            return Version(version.major, version.minor, version.patch + 1)


def next_version(released: str | None, present: str | None, bump: Bump) -> Version:
    """The version of a dataset in the next release.

    It continues from the last release. A version raised by hand counts as a step already taken; a
    lowered one is ignored: versions never decrease. A dataset that was never released keeps its
    present version.
    """
    if released is None:
        return FIRST if present is None else parse(present)
    old = parse(released)
    stepped = step(old, bump)
    if present is None:
        return stepped
    now = parse(present)
    return max(stepped, now.final if now.rank > old.rank else old, key=lambda one: one.rank)


def _own_step(version: Version) -> Bump:
    """The largest step that may have led to a version."""
    if version.patch:
        return Bump.PATCH
    return Bump.MINOR if version.minor else Bump.MAJOR


def _rank(identifier: str) -> tuple[int, int, str]:
    """The sort key of an identifier: numbers by value, before words; words by characters."""
    if identifier.isascii() and identifier.isdigit():
        digits = identifier.lstrip("0")
        return (0, len(digits), digits)
    return (1, 0, identifier)


# Cloud versions, such as `S-312`: the release number of the whole tree, and its git tag.


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
