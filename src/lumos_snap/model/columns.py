"""Whether a dataset has the column that a field path names.

It reads parsed documents in place, and is shared by validation and rules.
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lumos_snap.model.field_path import FieldPath, Part, Step, parse_path

Object = Mapping[str, Any]

_OPAQUE = frozenset({"UNKNOWN", "VARIANT", "JSON"})
"""Types whose members are in no schema: any path into them may be valid."""
_HELD = {Step.ELEMENT: "element", Step.KEY: "key", Step.VALUE: "value"}
_LISTED = {Step.MEMBER: "fields", Step.BRANCH: "branches"}


def has_column(document: Object, path: str) -> bool:
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


def _leads(held: Object, parts: Sequence[Part], definitions: Mapping[str, Object]) -> bool:
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


def _step(held: Object, part: Part) -> Object | None:
    if part.step in _HELD:
        return held.get(_HELD[part.step])
    return _nth(held.get(_LISTED[part.step], ()), part)


def _nth(listed: Iterable[Object], part: Part) -> Object | None:
    """The item with a name and the number of that name's occurrence."""
    number = 0
    for one in listed:
        if one.get("name", one["type"]) == part.name:
            number += 1
            if number == part.number:
                return one
    return None
