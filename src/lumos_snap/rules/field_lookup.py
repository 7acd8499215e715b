"""Finds the column of a fact: in the new document by path, in the old one by position."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

from lumos_snap.diff import Action, Fact
from lumos_snap.documents.position import once, places
from lumos_snap.model.field_path import parse_path

Document = Mapping[str, Any]

_ROOTS = (("schema",), ("contract",))


def field_of(side: Document, fact: Fact) -> Document | None:
    """Find the column, element or value of a fact on one side, by its path."""
    if fact.at[:1] not in _ROOTS:
        return None
    root = fact.at[1] if fact.at[0] == "schema" else "fields"
    held = {"fields": side.get("schema", {}).get(str(root), ())}
    try:
        parts = parse_path(fact.path)
    except ValueError:  # a validation rule reports it
        return None
    for part in parts:
        found = _step(held, part)
        if found is None:
            return None
        held = found
    return held


def _step(held: Mapping[str, Any], part: Any) -> dict[str, Any] | None:
    inside = {"[]": "element", "{}": "value", "{key}": "key"}.get(part.step.value)
    if inside:
        return held.get(inside)
    key = "fields" if part.step.value == "member" else "branches"
    inner = held.get(key, ())
    named = places(inner, part.name, _label)
    return inner[named[part.number - 1]] if len(named) >= part.number else None


def namesakes(side: Document, fact: Fact, spelled: Callable[[str], str]) -> int:
    """Count the sibling columns that have a fact's new name, including its own."""
    name = fact.new if fact.action is Action.RENAMED else fact.new.get("name", "")
    label = _NAMES[spelled]
    return len(places(_siblings(side, fact), spelled(str(name)), label))


_NAMES: Mapping[Callable[[str], str], Callable[[Any], str]] = {
    str: lambda column: str(column.get("name")),
    str.casefold: lambda column: str(column.get("name")).casefold(),
}
"""One function per spelling, because the cache of places is keyed by it."""


def _siblings(side: Document, fact: Fact) -> Sequence[Document]:
    """The list that contains a column."""
    parts = parse_path(fact.path)
    held: Mapping[str, Any] | None = {"fields": side.get("schema", {}).get(str(fact.at[1]), ())}
    for part in parts[:-1]:
        held = _step(held, part) if held else None
    found: Sequence[Document] = (held or {}).get("fields", ())
    return found


def is_followed_by_kept(
    column: Document, fields: Sequence[Document], facts: Sequence[Fact]
) -> bool:
    """Whether a column that was not removed follows this one."""
    last = once(facts, "last that is kept", lambda: _last_kept(fields, facts))
    return places(fields, orjson.dumps(column), orjson.dumps)[0] < last


def _last_kept(fields: Sequence[Document], facts: Sequence[Fact]) -> int:
    gone = {orjson.dumps(one.old) for one in facts if one.action is Action.REMOVED}
    return max((at for at, one in enumerate(fields) if orjson.dumps(one) not in gone), default=-1)


def old_field(side: Document, fact: Fact) -> Document | None:
    """Find the column of a fact in the old snapshot, whatever its name was."""
    held: Any = side
    column: Document | None = None
    for step in fact.at:
        held = held.get(step) if isinstance(step, str) else _find_by_label(held, *step)
        if held is None:
            break
        if isinstance(held, Mapping) and "type" in held:
            column = held
    return column


def _find_by_label(held: Sequence[Any], name: object, number: int = 1) -> Any:
    named = places(held, name, _label)
    return held[named[number - 1]] if len(named) >= number else None


def _label(held: Any) -> Any:
    return held.get("name", held.get("type")) if isinstance(held, Mapping) else held
