"""A fact: one noticed difference, without judgement."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from lumos_snap.documents.position import once
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import format_path, parse_path
from lumos_snap.schema import Json

Step: TypeAlias = str | tuple[Any, ...]
"""The key of an object, or the identifying values of a list item."""

At: TypeAlias = tuple[Step, ...]
"""A position in the old document; an addition's last step is that of the new one."""


class Action(StrEnum):
    """The kind of change."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    RENAMED = "renamed"
    MOVED = "moved"  # to another parent
    REORDERED = "reordered"
    FOUND = "found"  # no change: a policy requirement about the current state


@dataclass(frozen=True, slots=True)
class Likeness:
    """The likely counterpart of something removed or added."""

    path: str
    score: int
    """The similarity, from 0 to 100."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One noticed difference."""

    subject: str
    """What changed, in terms of the model: `field.type`, `governance.tags`."""
    action: Action
    at: At
    path: str = ""
    """The path of the field in the new snapshot; in the old one, if it was removed."""
    was: str = ""
    """The field's former path, if it was renamed or moved."""
    item: str = ""
    """The label of the owner, edge, check or other item."""
    old: Json = None
    new: Json = None
    to: At = ()
    """The new position of something renamed or moved, in the form of `at`."""
    index: int = -1
    """The index of something added or moved among its siblings."""
    before: str = ""
    """The first older sibling after an addition; empty at the end."""
    id: int | None = None
    """The field id, if equal on both sides."""
    like: Likeness | None = None
    """A suspected rename, which does not lower the severity."""


@dataclass(frozen=True, slots=True)
class Spot:
    """The current position of a comparison, and the names for its facts."""

    subject: str
    at: At
    path: str = ""
    item: str = ""
    id: int | None = None

    def key(self, name: str) -> "Spot":
        """The spot of a key of this object."""
        subject = f"{self.subject}.{name}" if self.subject else name
        return Spot(subject, (*self.at, name), self.path, self.item, self.id)

    def inside(self, step: tuple[object, ...], *, path: str = "", item: str = "") -> "Spot":
        """The spot of an item of this list."""
        return Spot(self.subject, (*self.at, step), path or self.path, item or self.item, self.id)

    def fact(self, action: Action, old: Json, new: Json) -> Fact:
        """A fact about this spot."""
        return Fact(
            self.subject,
            action,
            self.at,
            path=self.path,
            item=self.item,
            old=old,
            new=new,
            id=self.id,
        )


def order(fact: Fact) -> tuple[object, ...]:
    """The sort key of facts: their position, independent of the order of comparison."""
    return tuple(map(_comparable, fact.at)), fact.action


def _comparable(step: Step) -> tuple[object, ...]:
    if isinstance(step, str):
        return (0, step)
    return (1, *(() if part is None else (str(part),) for part in step))


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between two sides; a missing side is None."""

    urn: str
    old: JsonObject | None
    new: JsonObject | None
    facts: tuple[Fact, ...]


def current_path(facts: tuple[Fact, ...] | list[Fact], path: str) -> str:
    """The current path of a field, after the renames and moves of some facts."""
    return _translate_path(once(facts, "moved", lambda: _find_moves(facts)), path)


def _find_moves(facts: tuple[Fact, ...] | list[Fact]) -> dict[str, str]:
    return {
        fact.was: fact.path
        for fact in facts
        if fact.subject == "field"
        and fact.action in (Action.RENAMED, Action.MOVED)
        and fact.at[:2] == ("schema", "fields")
    }


def _translate_path(moved: Mapping[str, str], path: str) -> str:
    """Replace the longest known prefix of a path."""
    if not moved:
        return path
    try:
        parts = parse_path(path)
    except ValueError:  # a validation rule reports it
        return path
    for length in range(len(parts), 0, -1):
        now = moved.get(format_path(parts[:length]))
        if now is not None:
            return format_path((*parse_path(now), *parts[length:]))
    return path
