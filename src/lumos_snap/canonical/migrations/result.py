"""What an upgrade gives back: documents, what was noted on the way, and what could not be read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, LiteralString, Protocol

FORMAT = "1.0.0"
"""The format of every document that these migrations write."""

Document = dict[str, Any]  # a JSON object: its values are whatever the older document held
Pointer = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, order=True)
class MigrationNote:
    """Something that had no place of its own, and where it went; or something assumed."""

    urn: str
    source: str
    target: str
    message: LiteralString


@dataclass(frozen=True, slots=True, order=True)
class MigrationProblem:
    """A part of the older document that could not be upgraded; it is in no new document."""

    pointer: Pointer
    message: LiteralString


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """Documents of format 1.0.0, in the order of their urns and ids."""

    snapshots: tuple[Document, ...] = ()
    observations: tuple[Document, ...] = ()
    entities: Mapping[str, tuple[Document, ...]] = field(default_factory=dict)
    notes: tuple[MigrationNote, ...] = ()
    problems: tuple[MigrationProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class LegacyShape:
    """One shape of older documents: how to tell it, and how to upgrade it."""

    name: str
    recognises: Callable[[object], bool]
    upgrade: Callable[[object], MigrationResult]


class AddNote(Protocol):
    """Makes a note about the dataset at hand."""

    def __call__(self, source: str, target: str, message: LiteralString) -> None:
        """Note a source, a target and what happened on the way."""


KEPT = "has no place of its own: kept as it was"
MEASURED = "changes with the data: kept with the observation"
RENAMED = "the urn is written in today's form"
MOVED = "properties of the user stay properties of the user"
IMPORTED = "imported"
"""The property under which what has no place of its own is kept."""
