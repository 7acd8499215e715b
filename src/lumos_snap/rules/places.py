"""Where the column of a fact is: in the new document by its path, in the old one by its place."""

from collections.abc import Mapping, Sequence
from typing import Any

from lumos_snap.diff import Action, Fact
from lumos_snap.model.fieldpath import parse_path

Document = Mapping[str, Any]

_ROOTS = (("schema",), ("contract",))


def field_of(side: Document, fact: Fact) -> Document | None:
    """The column, element or value that a fact is about, on one side, by its path."""
    if fact.at[:1] not in _ROOTS:
        return None
    root = fact.at[1] if fact.at[0] == "schema" else "fields"
    held = {"fields": side.get("schema", {}).get(str(root), ())}
    try:
        parts = parse_path(fact.path)
    except ValueError:  # a law of its own names it
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
    named = [o for o in held.get(key, ()) if o.get("name", o["type"]) == part.name]
    return named[part.number - 1] if len(named) >= part.number else None


def new_name(fact: Fact) -> str:
    """The name that a column has in the new snapshot, of one that was added or renamed."""
    return str(fact.new if fact.action is Action.RENAMED else fact.new.get("name", ""))


def siblings(side: Document, fact: Fact) -> list[str]:
    """The names in the list that a column stands in."""
    parts = parse_path(fact.path)
    held: Mapping[str, Any] | None = {"fields": side.get("schema", {}).get(str(fact.at[1]), ())}
    for part in parts[:-1]:
        held = _step(held, part) if held else None
    return [str(one.get("name")) for one in (held or {}).get("fields", ())]


def old_field(side: Document, fact: Fact) -> Document | None:
    """The column that a fact is about, as the old snapshot has it under whatever name."""
    held: Any = side
    column: Document | None = None
    for step in fact.at:
        held = held.get(step) if isinstance(step, str) else _labelled(held, *step)
        if held is None:
            break
        if isinstance(held, Mapping) and "type" in held:
            column = held
    return column


def _labelled(held: Sequence[Any], name: object, number: int = 1) -> Any:
    named = [one for one in held if _label(one) == name]
    return named[number - 1] if len(named) >= number else None


def _label(held: Any) -> object:
    return held.get("name", held.get("type")) if isinstance(held, Mapping) else held
