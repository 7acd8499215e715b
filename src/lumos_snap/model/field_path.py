"""Field paths: the notation for a field at any depth.

    a.b             member `b` of struct `a`
    items[]         an element of list `items`
    attrs{key}      a key of map `attrs`;  `attrs{}` is a value
    payload<STRING> a branch of a union, by its name or its type

A name that conflicts with these signs is put in backticks (a backtick in it is doubled), and the
second column of one name is `` `id`#2 ``.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lumos_snap.json_object import JsonObject
from lumos_snap.model.types import DataType, Field


class Step(StrEnum):
    """The kind of a step in a path."""

    MEMBER = "member"
    ELEMENT = "[]"
    KEY = "{key}"
    VALUE = "{}"
    BRANCH = "branch"


@dataclass(frozen=True, slots=True)
class Part:
    """One step of a path; members and branches have a name and, if it repeats, a number."""

    step: Step
    name: str = ""
    number: int = 1


FieldPath = tuple[Part, ...]

_PLAIN = re.compile(r"[^\s.`\[\]{}<>#\"'\x00-\x1f\x7f]+")
_NAME = (
    r"(?:`(?P<{0}q>(?:[^`]|``)*)`|(?P<{0}p>[^\s.`\[\]{{}}<>#\"'\x00-\x1f\x7f]+))"
    r"(?:#(?P<{0}n>[1-9][0-9]+|[2-9]))?"
)
_PART = re.compile(
    r"(?P<element>\[\])|(?P<key>\{key\})|(?P<value>\{\})"
    rf"|<{_NAME.format('b')}>|(?P<dot>\.)?{_NAME.format('m')}"
)
_FIXED = {"element": Step.ELEMENT, "key": Step.KEY, "value": Step.VALUE}


def format_path(path: Sequence[Part]) -> str:
    """Format a path."""
    text = ""
    for part in path:
        if part.step is Step.MEMBER:
            text += ("." if text else "") + _format_part(part)
        elif part.step is Step.BRANCH:
            text += f"<{_format_part(part)}>"
        else:
            text += part.step.value
    return text


def _format_part(part: Part) -> str:
    plain = _PLAIN.fullmatch(part.name)
    name = part.name if plain else "`" + part.name.replace("`", "``") + "`"
    return name if part.number == 1 else f"{name}#{part.number}"


def parse_path(text: str) -> FieldPath:
    """Parse a field path; raises `ValueError` if invalid."""
    parts: list[Part] = []
    at = 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None or not _may_follow(match, parts):
            raise ValueError(f"{text!r} is not a field path: unexpected {text[at:][:10]!r}")
        parts.append(_part(match))
        at = match.end()
    if not parts:
        raise ValueError("a field path must name something")
    return tuple(parts)


def _may_follow(match: re.Match[str], parts: list[Part]) -> bool:
    is_member = match["mp"] is not None or match["mq"] is not None
    if not is_member:
        return bool(parts)
    return (match["dot"] is not None) == bool(parts)


def _part(match: re.Match[str]) -> Part:
    for group, step in _FIXED.items():
        if match[group]:
            return Part(step)
    prefix, step = (
        ("m", Step.MEMBER) if match["mp"] or match["mq"] is not None else ("b", Step.BRANCH)
    )
    quoted = match[prefix + "q"]
    name = match[prefix + "p"] if quoted is None else quoted.replace("``", "`")
    return Part(step, name, int(match[prefix + "n"] or 1))


def walk(fields: Sequence[Field]) -> Iterator[tuple[FieldPath, DataType]]:
    """Every field and nested type of a schema with its path, parents first."""
    yield from _members((), fields)


def _members(at: FieldPath, fields: Sequence[Field]) -> Iterator[tuple[FieldPath, DataType]]:
    seen: Counter[str] = Counter()
    for one in fields:
        seen[one.name] += 1
        path = (*at, Part(Step.MEMBER, one.name, seen[one.name]))
        yield path, one
        yield from _inside(path, one)


def _inside(at: FieldPath, data_type: DataType) -> Iterator[tuple[FieldPath, DataType]]:
    held = (
        (Step.ELEMENT, data_type.element),
        (Step.KEY, data_type.key),
        (Step.VALUE, data_type.value),
    )
    for step, nested in held:
        if nested is not None:
            path = (*at, Part(step))
            yield path, nested
            yield from _inside(path, nested)
    if data_type.fields:
        yield from _members(at, data_type.fields)
    seen: Counter[str] = Counter()
    for branch in data_type.branches:
        label = branch.name or branch.type.value
        seen[label] += 1
        path = (*at, Part(Step.BRANCH, label, seen[label]))
        yield path, branch
        yield from _inside(path, branch)


# Whether a dataset has the column that a field path names.
#
# It reads parsed documents in place, and is shared by validation and rules.


_OPAQUE = frozenset({"UNKNOWN", "VARIANT", "JSON"})
"""Types whose members are in no schema: any path into them may be valid."""
_HELD = {Step.ELEMENT: "element", Step.KEY: "key", Step.VALUE: "value"}
_LISTED = {Step.MEMBER: "fields", Step.BRANCH: "branches"}


def has_column(document: JsonObject, path: str) -> bool:
    """Whether a column or a nested member exists.

    True also for a document without a schema and for an invalid path: nothing is known to be wrong,
    and the path has a validation rule of its own.
    """
    schema = document.get("schema") or {}
    fields = schema.get("fields", ())
    if not fields:
        return True
    parts = _parts(path)
    if parts is None:
        return True
    partitions = (document.get("storage") or {}).get("partitioning", ())
    columns = ({"fields": one} for one in (fields, schema.get("key_fields", ()), partitions))
    definitions = {one["name"]: one for one in schema.get("definitions", ())}
    return any(_leads(one, parts, definitions) for one in columns)


@functools.lru_cache(maxsize=65536)
def _parts(path: str) -> FieldPath | None:
    try:
        return parse_path(path)
    except ValueError:
        return None


def _leads(held: JsonObject, parts: Sequence[Part], definitions: Mapping[str, JsonObject]) -> bool:
    """Whether a path exists inside a type."""
    for part in parts:
        if held.get("type") == "REF":
            held = definitions.get(held.get("ref", ""), {"type": "UNKNOWN"})
        if held.get("type") in _OPAQUE:
            return True
        found = _step(held, part)
        if found is None:
            return False
        held = found
    return True


def _step(held: JsonObject, part: Part) -> JsonObject | None:
    if part.step in _HELD:
        return held.get(_HELD[part.step])
    return _nth(held.get(_LISTED[part.step], ()), part)


def _nth(listed: Iterable[JsonObject], part: Part) -> JsonObject | None:
    """The item with a name and the number of that name's occurrence."""
    number = 0
    for one in listed:
        if one.get("name", one["type"]) == part.name:
            number += 1
            if number == part.number:
                return one
    return None
