"""The result of a migration: documents, notes, and parts that could not be upgraded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import LiteralString, Protocol

from lumos_snap.json_object import JsonObject

FORMAT = "1.0.0"
"""The format of every document that these migrations write."""

Document = JsonObject  # with the values of the older document
Pointer = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, order=True)
class MigrationNote:
    """A value without a place of its own, and where it went; or an assumption."""

    urn: str
    source: str
    target: str
    message: LiteralString


@dataclass(frozen=True, slots=True, order=True)
class MigrationProblem:
    """A part of the older document that could not be upgraded, and is in no new document."""

    pointer: Pointer
    message: LiteralString


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """Documents of format 1.0.0, sorted by urn and id."""

    snapshots: tuple[Document, ...] = ()
    observations: tuple[Document, ...] = ()
    entities: Mapping[str, tuple[Document, ...]] = field(default_factory=dict)
    notes: tuple[MigrationNote, ...] = ()
    problems: tuple[MigrationProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class LegacyShape:
    """One shape of older documents: how to recognize and upgrade it."""

    name: str
    recognises: Callable[[object], bool]
    upgrade: Callable[[object], MigrationResult]


class AddNote(Protocol):
    """Adds a note about the current dataset."""

    def __call__(self, source: str, target: str, message: LiteralString) -> None:
        """Note a source, a target and what happened."""


KEPT = "has no place of its own: kept as it was"
MEASURED = "changes with the data: kept with the observation"
RENAMED = "the urn is written in today's form"
MOVED = "properties of the user stay properties of the user"
IMPORTED = "imported"
"""The property that keeps values without a place of their own."""
