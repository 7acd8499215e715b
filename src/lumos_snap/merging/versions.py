"""The three versions of a value, and the conflicts between them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

import orjson

from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import FieldPath, Part, Step, format_path
from lumos_snap.schema import Document


class Absent(Enum):
    """An absent value; `null` may be a valid value in free-form maps."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

CHANGED = "changed differently on both sides"
ADDED = "added differently on both sides"
REMOVED_HERE = "removed in ours, changed in theirs"
REMOVED_THERE = "changed in ours, removed in theirs"


@dataclass(frozen=True, slots=True)
class Conflict:
    """A conflict that only a person can decide, with the value of each version."""

    at: str
    why: str
    base: Any = ABSENT
    ours: Any = ABSENT
    theirs: Any = ABSENT


@dataclass(frozen=True, slots=True)
class MergeResult:
    """A merged document; at conflicts, it contains our value."""

    document: Document
    conflicts: tuple[Conflict, ...]


Conflicts = list[Conflict]  # conflicts in the order of the document


class MergeSides(NamedTuple):
    """The values of the three versions at one place."""

    base: Any
    ours: Any
    theirs: Any

    def each(self, what: Callable[[Any], Any]) -> "MergeSides":
        """Apply a function to all three."""
        return MergeSides(what(self.base), what(self.ours), what(self.theirs))

    def at(self, name: str) -> "MergeSides":
        """The three values of a key."""
        return MergeSides(*(side.get(name, ABSENT) for side in self))

    def are_settled(self) -> bool:
        """Whether at most one side changed the value, or both did equally."""
        return (
            same(self.ours, self.theirs)
            or same(self.base, self.ours)
            or same(self.base, self.theirs)
        )

    def settled(self) -> Any:
        """The merged value, if settled."""
        return self.theirs if same(self.base, self.ours) else self.ours

    def conflict(self, at: str, why: str = "") -> Conflict:
        """The conflict of these three values."""
        return Conflict(at, why or self._why(), *self)

    def _why(self) -> str:
        if self.ours is ABSENT:
            return REMOVED_HERE
        if self.theirs is ABSENT:
            return REMOVED_THERE
        return ADDED if self.base is ABSENT else CHANGED


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal in JSON, where `true` is not `1` as it is in Python."""
    if one is ABSENT or other is ABSENT:
        return one is other
    return bool(one == other) and json_key(one) == json_key(other)


def json_key(held: object) -> bytes:
    """Serialize a value as JSON with sorted keys."""
    return orjson.dumps(held, option=orjson.OPT_SORT_KEYS)


_STEPS: Mapping[str, Step] = {"element": Step.ELEMENT, "key": Step.KEY, "value": Step.VALUE}
_MEMBERS = frozenset({"fields", "branches"})


@dataclass(frozen=True, slots=True)
class ConflictPlace:
    """A place in a document: its keys from the top, and the path of its column."""

    keys: str = ""
    path: FieldPath = ()

    def __str__(self) -> str:
        return f"{self.keys} ({format_path(self.path)})" if self.path else self.keys

    def key(self, name: str) -> "ConflictPlace":
        """The place of a key."""
        here = str(self)
        return ConflictPlace(f"{here}.{name}" if here else name)

    def item(self, label: str) -> "ConflictPlace":
        """The place of an item of this list or map."""
        return ConflictPlace(f"{self} ({label})")

    def column(self, label: str, number: int, *, is_branch: bool) -> "ConflictPlace":
        """The place of a column, member or branch of this list."""
        step = Step.BRANCH if is_branch else Step.MEMBER
        return ConflictPlace(self.keys, (*self.path, Part(step, label, number)))

    def inside(self, name: str) -> "ConflictPlace":
        """The place of a part of this type: nested types have paths of their own."""
        if name in _MEMBERS:
            return self
        if name in _STEPS:
            return ConflictPlace(self.keys, (*self.path, Part(_STEPS[name])))
        return self.key(name)


def label_of(item: JsonObject, by: tuple[str, ...]) -> str:
    """The identifying values of a set item as text."""
    said = {name: _format_value(item[name]) for name in by if name in item}
    if len(by) == 1:
        return next(iter(said.values()), "")
    return ", ".join(f"{name} {value}" for name, value in said.items())


def _format_value(held: object) -> str:
    return ", ".join(map(str, held)) if isinstance(held, list) else str(held)
