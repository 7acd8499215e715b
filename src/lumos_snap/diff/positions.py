"""Locates a fact in the new document: the changed thing, or its nearest remaining container."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lumos_snap.diff.fact import Action, Fact
from lumos_snap.diff.match_columns import label_columns, name_of
from lumos_snap.diff.walk import identity
from lumos_snap.documents.position import Pointer, once, places
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import Part, parse_path
from lumos_snap.model.field_path import Step as PathStep
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Key, keys_of

_COLUMNS = (("schema", "fields"), ("schema", "key_fields"))
_INSIDE = {PathStep.ELEMENT: "element", PathStep.KEY: "key", PathStep.VALUE: "value"}


def pointer_to(fact: Fact, document: JsonObject, now: Callable[[str], str]) -> Pointer:
    """Find the pointer to a fact in the new document; `now` maps paths to current ones."""
    if fact.at[:2] in _COLUMNS and fact.path:
        return _to_column(fact, document, now)
    found: list[str | int] = []
    held: Any = document
    key: Key | None = None
    for step in fact.at:
        reached: str | int | None
        if isinstance(step, str):
            keys = keys_of(key.item if key and key.item else Snapshot)
            key, reached = keys[step], step if step in held else None
        else:
            reached = _index(held, key, step)
        if reached is None:
            break
        found.append(reached)
        held = held[reached]
    return tuple(found)


def _to_column(fact: Fact, document: JsonObject, now: Callable[[str], str]) -> Pointer:
    path = now(fact.path) if fact.action is Action.REMOVED else fact.path
    found: list[str | int] = []
    held: Any = document
    for name in ("schema", str(fact.at[1])):
        if name not in held:
            return tuple(found)
        found.append(name)
        held = held[name]
    held = {"fields": held}
    for part in parse_path(path):
        steps = _steps(held, part)
        if steps is None:
            break
        found += steps[1:] if held.keys() == {"fields"} and len(found) == 2 else steps  # noqa: PLR2004 - the root list is named already
        for step in steps:
            held = held[step]
    return tuple(found)


def beside(fact: Fact, old: JsonObject, new: JsonObject, pointer: Pointer) -> Pointer:
    """For a removed column, the pointer to its last remaining predecessor; else unchanged."""
    if fact.subject != "field" or fact.action is not Action.REMOVED:
        return pointer
    was = _to_column(fact, old, str)
    *_, name, place = ("", *was)
    held = _value_at(new, pointer)
    inside = () if isinstance(held, list) else (name,)
    if not isinstance(place, int):
        return pointer
    before, now = _value_at(old, was[:-1]), _value_at(held, inside) or ()
    found = once(before, ("left", id(now)), lambda: _previous_remaining(before, now))[place]
    return pointer if found is None else (*pointer, *inside, found)


def _previous_remaining(
    before: Sequence[JsonObject], now: Sequence[JsonObject]
) -> list[int | None]:
    """For each old column, the new index of its last remaining predecessor."""
    left = {one.get("name"): at for at, one in enumerate(now)}
    last: int | None = None
    found: list[int | None] = []
    for one in before:
        found.append(last)
        last = left.get(one.get("name"), last)
    return found


def _value_at(held: Any, pointer: Pointer) -> Any:
    for step in pointer:
        held = held.get(step) if isinstance(held, Mapping) else held[step]
    return held


def _steps(held: JsonObject, part: Part) -> tuple[str | int, ...] | None:
    """The steps from a type to one of its nested types."""
    inside = _INSIDE.get(part.step)
    if inside:
        return (inside,) if inside in held else None
    key = "fields" if part.step is PathStep.MEMBER else "branches"
    named = places(held.get(key, ()), part.name, name_of)
    return (key, named[part.number - 1]) if len(named) >= part.number else None


def _index(held: Any, key: Key | None, step: tuple[Any, ...]) -> int | str | None:
    """The index of an item in a list, or the key in a map."""
    if isinstance(held, Mapping):
        return step[0] if step[0] in held else None
    marks = once(held, key, lambda: _first_places(_marks(held, key)))
    return marks.get(step)


def _first_places(marks: Iterable[tuple[object, ...]]) -> dict[tuple[object, ...], int]:
    found: dict[tuple[Any, ...], int] = {}
    for place, mark in enumerate(marks):
        found.setdefault(mark, place)
    return found


def _marks(held: Sequence[Any], key: Key | None) -> Iterable[tuple[Any, ...]]:
    """The identifying values of each item of a list."""
    if key is None or key.set_by is None:
        return (item.label for item in label_columns(held, name_of))
    return map(identity(key, str), held) if key.set_by else ((item,) for item in held)
