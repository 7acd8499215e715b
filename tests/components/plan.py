"""Which groups run: those that are named, or those that a change may have broken."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Protocol, TypeVar

LONGEST_BUILD = 300
"""Seconds: who tests a change does not wait longer for a build."""


class Rotated(Protocol):
    """What is chosen from."""

    @property
    def name(self) -> str:
        """By which it is chosen."""

    @property
    def paths(self) -> tuple[str, ...]:
        """What it depends on."""


G = TypeVar("G", bound=Rotated)


def touches(paths: Iterable[str], changed: Iterable[str]) -> bool:
    """Whether one of the changed files is one of these files, or below one of these folders."""
    folders = tuple(f"{path.rstrip('/')}/" for path in paths)
    return any(f"{one}/".startswith(folders) for one in changed)


def selected(
    groups: Sequence[G], changed: Mapping[str, Sequence[str] | None], today: date
) -> tuple[G, ...]:
    """The groups whose paths changed since each was verified, then one of the others.

    `changed` has the changed files by group. Nothing there: it is not known what changed, as in a
    shallow clone, or the group was never verified.
    """
    first = [one for one in groups if _is_changed(one, changed.get(one.name))]
    rest = sorted((one for one in groups if one not in first), key=lambda one: one.name)
    return (*first, *rest[today.toordinal() % len(rest) :][:1]) if rest else tuple(first)


def _is_changed(group: Rotated, changed: Sequence[str] | None) -> bool:
    return changed is None or touches(group.paths, changed)
