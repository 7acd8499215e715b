"""Types: our kinds ↔ the type classes that DataHub displays.

DataHub's classes are coarse; the exact type is stored in `nativeDataType`, in our notation.
"""

import functools
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from lumos_snap.model.type_kinds import Kind
from lumos_snap.model.type_syntax import format_type, parse_type
from lumos_snap.model.types import DataType
from lumos_snap.schema import document_of, value_of

Type = Mapping[str, Any]

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


def their_type(column: Type) -> dict[str, Any]:
    """The DataHub type of a column."""
    return {"type": {_PACKAGE + CLASSES[column["type"]]: {}}}


def notation(column: Type) -> str:
    """The exact type of a column in our readable notation."""
    if column["type"] in _SIMPLE:
        return _notation(tuple((name, column[name]) for name in _PLAIN if name in column))
    return format_type(value_of(_bare(column), DataType))


@functools.lru_cache(maxsize=4096)
def _notation(said: tuple[tuple[str, Any], ...]) -> str:
    return format_type(value_of(dict(said), DataType))


_SIMPLE: frozenset[str] = frozenset(Kind) - {
    Kind.ENUM, Kind.ARRAY, Kind.MAP, Kind.STRUCT, Kind.UNION, Kind.REF,
}  # fmt: skip
_OWN = ("symbols", "symbol_default", "ref", "key", "element", "value", "fields", "branches")


def _bare(column: Type) -> dict[str, Any]:
    return {name: column[name] for name in (*_PLAIN, *_OWN) if name in column}


def our_type(theirs: Type, native: str) -> dict[str, Any]:
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
