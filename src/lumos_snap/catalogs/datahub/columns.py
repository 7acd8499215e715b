"""Columns ↔ `SchemaField`s: one for each column and each nested member.

What a `SchemaField` cannot express (ids, defaults, descriptions of elements) is stored with the
whole column in its `jsonProps`, and is used as long as the other fields are unchanged.
"""

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import orjson

from lumos_snap.catalogs.datahub.field_paths import (
    ROOT,
    ROOT_OF_KEY,
    Column,
    is_key,
    is_v2,
    members,
    of_column,
    read,
    to_v1,
)
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import FieldPath, Part, Step
from lumos_snap.model.type_syntax import format_type, parse_type
from lumos_snap.model.types import DataType, Field, Kind
from lumos_snap.schema import document_of, value_of
from lumos_snap.schema.fast_check import fits

# Types: our kinds ↔ the type classes that DataHub displays.
#
# DataHub's classes are coarse; the exact type is stored in `nativeDataType`, in our notation.


Type = JsonObject

_PACKAGE = "com.linkedin.schema."
CLASSES: Mapping[str, str] = {
    Kind.BOOLEAN: "BooleanType",
    **dict.fromkeys(
        (kind for kind in Kind if kind.value.startswith(("INT", "UINT"))), "NumberType"
    ),
    Kind.FLOAT16: "NumberType",
    Kind.FLOAT32: "NumberType",
    Kind.FLOAT64: "NumberType",
    Kind.DECIMAL: "NumberType",
    Kind.STRING: "StringType",
    Kind.CHAR: "StringType",
    Kind.VARCHAR: "StringType",
    Kind.UUID: "StringType",
    Kind.JSON: "StringType",
    Kind.BINARY: "BytesType",
    Kind.FIXED: "FixedType",
    Kind.DATE: "DateType",
    Kind.TIME: "TimeType",
    Kind.TIMESTAMP: "TimeType",
    Kind.INTERVAL: "TimeType",
    Kind.ENUM: "EnumType",
    Kind.ARRAY: "ArrayType",
    Kind.MAP: "MapType",
    Kind.STRUCT: "RecordType",
    Kind.REF: "RecordType",
    Kind.VARIANT: "RecordType",
    Kind.UNION: "UnionType",
    Kind.NULL: "NullType",
    Kind.UNKNOWN: "NullType",
}
# Kinds of the classes that other sources write, where the class alone is unambiguous.
_FROM_CLASS: Mapping[str, Kind] = {
    "BooleanType": Kind.BOOLEAN,
    "StringType": Kind.STRING,
    "BytesType": Kind.BINARY,
    "DateType": Kind.DATE,
    "EnumType": Kind.ENUM,
    "ArrayType": Kind.ARRAY,
    "MapType": Kind.MAP,
    "RecordType": Kind.STRUCT,
    "UnionType": Kind.UNION,
    "NullType": Kind.NULL,
}
_SAID: Mapping[str, Kind] = {
    "tinyint": Kind.INT8, "byte": Kind.INT8, "smallint": Kind.INT16, "short": Kind.INT16,
    "int": Kind.INT32, "integer": Kind.INT32, "bigint": Kind.INT64, "long": Kind.INT64,
    "real": Kind.FLOAT32, "float": Kind.FLOAT32, "double": Kind.FLOAT64, "numeric": Kind.DECIMAL,
    "text": Kind.STRING, "bytes": Kind.BINARY, "timestamp": Kind.TIMESTAMP,
    "datetime": Kind.TIMESTAMP,
}  # fmt: skip
_PLAIN = ("type", "precision", "scale", "length", "unit", "timezone", "collation", "native")


def their_type(column: Type) -> JsonObject:
    """The DataHub type of a column."""
    return {"type": {_PACKAGE + CLASSES[column["type"]]: {}}}


def notation(column: Type) -> str:
    """The exact type of a column in our readable notation."""
    if column["type"] in _SIMPLE:
        return _notation(tuple((name, column[name]) for name in _PLAIN if name in column))
    return format_type(value_of(_bare(column), DataType))


@functools.lru_cache(maxsize=4096)
def _notation(said: tuple[tuple[str, object], ...]) -> str:
    return format_type(value_of(dict(said), DataType))


_SIMPLE: frozenset[str] = frozenset(Kind) - {
    Kind.ENUM, Kind.ARRAY, Kind.MAP, Kind.STRUCT, Kind.UNION, Kind.REF,
}  # fmt: skip
_OWN = ("symbols", "symbol_default", "ref", "key", "element", "value", "fields", "branches")


def _bare(column: Type) -> JsonObject:
    return {name: column[name] for name in (*_PLAIN, *_OWN) if name in column}


def our_type(theirs: Type, native: str) -> JsonObject:
    """Our type of a DataHub type; if undetermined, UNKNOWN with its native name."""
    said = next(iter(theirs.get("type") or {}), "").rpartition(".")[2]
    exact = _exact(native)
    if exact is not None and CLASSES[exact["type"]] == said:
        return dict(exact) if exact["type"] in _SIMPLE else deepcopy(dict(exact))
    kind = _SAID.get(native.lower())
    if kind is None or CLASSES[kind] != said:
        kind = _FROM_CLASS.get(said, Kind.UNKNOWN)
    known: dict[str, Any] = {"type": kind.value, **({"native": native} if native else {})}
    return (
        {**known, **deepcopy(_OPEN.get(kind, {}))}
        if kind is not Kind.UNKNOWN or native
        else dict(_NOTHING)
    )


_NOTHING: dict[str, Any] = {"type": Kind.UNKNOWN.value, "native": "unknown"}
_ANYTHING = {**_NOTHING, "nullable": True}
# Required members of these kinds, if nothing is known about them.
_OPEN: Mapping[Kind, dict[str, Any]] = {
    Kind.ARRAY: {"element": _ANYTHING},
    Kind.MAP: {"key": {"type": Kind.STRING.value}, "value": _ANYTHING},
}


@functools.lru_cache(maxsize=4096)
def _exact(native: str) -> Type | None:
    try:
        parsed = parse_type(native)
    except ValueError:
        return None
    document = document_of(parsed)
    return document if format_type(parsed) == native else {**document, "native": native}


Theirs = dict[str, Any]
OURS = "lumos"
_KEPT = ("fieldPath", "nullable", "description", "nativeDataType", "type", "jsonProps")
_SAYS = ("nullable", "description", "nativeDataType", "type")


def their_columns(
    columns: Sequence[Column], *, root: str | None, keys: frozenset[str]
) -> list[Theirs]:
    """Convert columns to `SchemaField`s; `keys` are the paths of those that are part of a key.

    Paths are written in version 2 below `root`, or in version 1 without it.
    """
    found: list[Theirs] = []
    seen: Counter[str] = Counter()
    for one in columns:
        seen[one["name"]] += 1
        rows = _their_rows(orjson.dumps(one), seen[one["name"]], root)
        found += [{**row, "isPartOfKey": _is_in_key(row["fieldPath"], keys)} for row in rows]
    return found


def _is_in_key(written: str, keys: frozenset[str]) -> bool:
    return written in keys or is_key(written)


@functools.lru_cache(maxsize=16384)
def _their_rows(packed: bytes, number: int, root: str | None) -> tuple[Theirs, ...]:
    """The rows of one column, cached: the datasets of a lake have many columns in common."""
    column = orjson.loads(packed)
    rows = of_column(column, number, root or ROOT)
    found = tuple(_their_column(one, v2 if root else to_v1(path)) for path, v2, one in rows)
    if rebuild_column([(read(theirs["fieldPath"]), theirs) for theirs in found]) != column:
        found[0]["jsonProps"] = orjson.dumps({OURS: column}).decode()
    return found


def _their_column(one: Column, written: str) -> Theirs:
    found: Theirs = {"fieldPath": written, "nullable": one["nullable"]}
    if "description" in one:
        found["description"] = one["description"]
    return {
        **found,
        "type": their_type(one),
        "nativeDataType": notation(one),
        "recursive": one["type"] == Kind.REF,
    }


def our_columns(theirs: Sequence[JsonObject]) -> list[JsonObject]:
    """Convert `SchemaField`s to columns."""
    found: dict[Part, list[Mapping[str, Any]]] = {}
    for one in theirs:
        said = {name: one[name] for name in _KEPT if name in one}
        found.setdefault(read(one["fieldPath"])[0], []).append(said)
    return [_our_column_of(orjson.dumps(rows)) for rows in found.values()]


@functools.lru_cache(maxsize=16384)
def _our_column_of(packed: bytes) -> JsonObject:
    """The column that some rows describe, cached: the datasets of a lake have many in common."""
    rows = [(read(one["fieldPath"]), one) for one in orjson.loads(packed)]
    return _read_own_column(rows) or rebuild_column(rows)


_Rows = Sequence[tuple[FieldPath, JsonObject]]


def _read_own_column(rows: _Rows) -> JsonObject | None:
    """The column as we wrote it, if all other fields are unchanged."""
    try:
        props = orjson.loads(rows[0][1].get("jsonProps") or "null")
    except orjson.JSONDecodeError:
        return None
    column: dict[str, Any] | None = props.get(OURS) if isinstance(props, dict) else None
    if column is None or not fits(column, Field):
        return None
    text, number = rows[0][1]["fieldPath"], rows[0][0][0].number
    root = ROOT_OF_KEY if is_key(text) else ROOT
    wanted = [
        _comparable(_their_column(one, v2 if is_v2(text) else to_v1(path)))
        for path, v2, one in of_column(column, number, root)
    ]
    return column if wanted == [_comparable(one) for _, one in rows] else None


def _comparable(one: JsonObject) -> tuple[object, ...]:
    return (one["fieldPath"], *(one.get(name) or None for name in _SAYS))


def rebuild_column(rows: _Rows) -> dict[str, object]:
    """Rebuild a column from its `SchemaField`s alone."""
    (top, theirs), *below = rows
    column = _our_column(top, theirs)
    if not below:
        return column
    if _holds_nothing(column):
        _fill(column, top, below)
        return column
    _describe(column, top, below)
    return column


def _our_column(path: FieldPath, theirs: JsonObject) -> dict[str, object]:
    found = {
        "name": path[-1].name,
        **our_type(theirs.get("type") or {}, theirs.get("nativeDataType") or ""),
        "nullable": theirs.get("nullable", False),
    }
    if theirs.get("description"):
        found["description"] = theirs["description"]
    return found


def _holds_nothing(column: JsonObject) -> bool:
    """Whether a column is nested, but its native type does not list the members."""
    inner = column.get("element") or column.get("value") or column
    return not inner.get("fields") and not inner.get("branches") and "native" in inner


def _fill(column: dict[str, object], top: FieldPath, below: _Rows) -> None:
    """Add the members below a column to it."""
    nested = [(path, one) for path, one in below if path[: len(top)] == top]
    direct = [path for path, _ in nested if _depth(path) == _depth(top) + 1]
    fields = [
        rebuild_column([row for row in nested if row[0][: len(path)] == path]) for path in direct
    ]
    if not fields:
        return
    struct = {"type": Kind.STRUCT.value, "fields": fields}
    if column["type"] in (Kind.ARRAY, Kind.MAP):
        column["element" if column["type"] == Kind.ARRAY else "value"] = struct | {"nullable": True}
    elif column["type"] == Kind.STRUCT:
        column["fields"] = fields


def _depth(path: FieldPath) -> int:
    return sum(part.step is Step.MEMBER for part in path)


def _describe(column: dict[str, object], top: FieldPath, below: _Rows) -> None:
    """Add the descriptions of members to a column whose type already names them."""
    said = {path[1:]: one["description"] for path, one in below if one.get("description")}
    for path, one in _nodes(column):
        if path in said:
            one["description"] = said[path]


def _nodes(column: dict[str, object]) -> Iterator[tuple[FieldPath, dict[str, object]]]:
    for path, _, one in members([column]):
        assert isinstance(one, dict)  # noqa: S101 - all that is parsed is
        if len(path) > 1:
            yield path[1:], one
