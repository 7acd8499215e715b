"""Attributes of Avro schemas besides types: descriptions, defaults, ids and custom properties."""

import json
from collections.abc import Mapping
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.formats.orc.schema import CATALYST

Stored = JsonObject

ICEBERG_NAME = "iceberg-field-name"
"""The column name in the table, if Avro does not allow it."""

_OF_TYPES = frozenset(
    (
        "type", "name", "namespace", "doc", "aliases", "fields", "symbols", "default", "size",
        "items", "values", "logicalType", "precision", "scale", "maxLength", "adjust-to-utc",
        "element-id", "key-id", "value-id", CATALYST,
        "avro.java.string",  # the class in Java: irrelevant to the data
    )
)  # fmt: skip
_OF_FIELDS = frozenset(("name", "type", "doc", "default", "aliases", "field-id", ICEBERG_NAME))
_LARGEST = 2**53
_DEEPEST = 16


def description(*said: Stored) -> str | None:
    """Return the first description among some schemas."""
    docs = (one.get("doc") for one in said)
    return next((doc for doc in docs if isinstance(doc, str) and doc), None)


def table_name(field: Stored) -> str | None:
    """Return the name of a column in its table, if it differs from that in Avro."""
    name = field.get(ICEBERG_NAME)
    return name if isinstance(name, str) else None


def field_id(held: Any) -> int | None:
    """Return a valid field id, or None."""
    is_one = isinstance(held, int) and not isinstance(held, bool) and 0 <= held < _LARGEST
    return held if is_one else None


def aliases(field: Stored) -> tuple[str, ...]:
    """Return the other names of a field."""
    held = field.get("aliases")
    return tuple({one for one in held if isinstance(one, str)}) if isinstance(held, list) else ()


def default(field: Stored) -> str | None:
    """Return the default for data without the field, as JSON."""
    return _text(field["default"]) if "default" in field else None


def properties(field: Stored, stored: Stored) -> Mapping[str, object]:
    """Return the custom properties of a field and of its type; those of the field win."""
    of_type = {name: held for name, held in stored.items() if name not in _OF_TYPES}
    of_field = {name: held for name, held in field.items() if name not in _OF_FIELDS}
    if of_field.get("order") == "ascending":
        del of_field["order"]  # the default order
    return {name: make_storable(held, _DEEPEST) for name, held in {**of_type, **of_field}.items()}


def make_storable(held: object, levels: int) -> object:
    """Convert JSON to the form in snapshots: numbers are integers that every reader supports."""
    if isinstance(held, list | dict) and not levels:
        return _text(held)
    if isinstance(held, dict):
        return {name: make_storable(one, levels - 1) for name, one in held.items()}
    if isinstance(held, list):
        return [make_storable(one, levels - 1) for one in held]
    if isinstance(held, float) or (isinstance(held, int) and abs(held) > _LARGEST):
        return str(held)
    return held


def _text(held: object) -> str:
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))  # noqa: TID251 - a part of a value
