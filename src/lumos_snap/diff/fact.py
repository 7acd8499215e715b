"""A fact: one noticed difference, without judgement."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from lumos_snap.documents.position import once
from lumos_snap.model.field_path import format_path, parse_path
from lumos_snap.schema import Json

Step: TypeAlias = str | tuple[Any, ...]
"""The key of an object, or what tells one item of a list from the others."""

At: TypeAlias = tuple[Step, ...]
"""A place in the old document; the last step of what was added is that of the new one."""


class Action(StrEnum):
    """What happened to a thing."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    RENAMED = "renamed"
    MOVED = "moved"  # to another parent
    REORDERED = "reordered"
    FOUND = "found"  # nothing happened: a policy speaks of what is there, or is not


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a removed thing may have become, or an added one may have been."""

    path: str
    score: int
    """From 0 to 100: how alike the two are."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One noticed difference."""

    subject: str
    """What it is about, in the model's words: `field.type`, `governance.tags`."""
    action: Action
    at: At
    path: str = ""
    """The field that it is about, as the new snapshot names it; the old one for what is gone."""
    was: str = ""
    """The field's path before, where it was renamed or moved."""
    item: str = ""
    """The owner, edge, check or other item that it is about."""
    old: Json = None
    new: Json = None
    to: At = ()
    """Where what was renamed or moved is now, in the words of `at`."""
    index: int = -1
    """Where what was added or moved stands among its siblings."""
    before: str = ""
    """The first older sibling that what was added stands before; empty at the end."""
    id: int | None = None
    """The field id, where both sides have it."""
    like: Likeness | None = None
    """A suspected rename: it softens nothing."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a walk is, and how facts found there are called."""

    subject: str
    at: At
    path: str = ""
    item: str = ""
    id: int | None = None

    def key(self, name: str) -> "Spot":
        """A key of the object here."""
        subject = f"{self.subject}.{name}" if self.subject else name
        return Spot(subject, (*self.at, name), self.path, self.item, self.id)

    def inside(self, step: tuple[Any, ...], *, path: str = "", item: str = "") -> "Spot":
        """An item of the list here."""
        return Spot(self.subject, (*self.at, step), path or self.path, item or self.item, self.id)

    def fact(self, action: Action, old: Json, new: Json) -> Fact:
        """A fact about what is here."""
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


def order(fact: Fact) -> tuple[Any, ...]:
    """What facts are sorted by: the place in the document, whatever the walk's own order."""
    return tuple(map(_comparable, fact.at)), fact.action


def _comparable(step: Step) -> tuple[Any, ...]:
    if isinstance(step, str):
        return (0, step)
    return (1, *(() if part is None else (str(part),) for part in step))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two sides; a side that is not there is nothing."""

    urn: str
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None
    facts: tuple[Fact, ...]


def current_path(facts: tuple[Fact, ...] | list[Fact], path: str) -> str:
    """The present path of a field, after what facts say was renamed or moved."""
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
    """The path with its longest known beginning replaced."""
    if not moved:
        return path
    try:
        parts = parse_path(path)
    except ValueError:  # a law of its own names it
        return path
    for length in range(len(parts), 0, -1):
        now = moved.get(format_path(parts[:length]))
        if now is not None:
            return format_path((*parse_path(now), *parts[length:]))
    return path
