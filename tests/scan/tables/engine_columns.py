"""Columns as facts: those that an engine states in its own schema, and those that a scan finds.

A fact has a name, such as `s.a type`, and a value. What engines say is read here without any code
of the product, except the notation of paths.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lumos_snap.model.field_path import FieldPath, Part, Step, format_path, walk
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import DataType, Element, Field, Kind, MapKey

Fact = tuple[str, object]

OF_SPARK = {
    "boolean": "BOOLEAN", "byte": "INT8", "short": "INT16", "integer": "INT32", "long": "INT64",
    "float": "FLOAT32", "double": "FLOAT64", "string": "STRING", "binary": "BINARY",
    "date": "DATE", "timestamp": "TIMESTAMP(us, UTC)",
    "timestamp_ntz": "TIMESTAMP(us)", "variant": "VARIANT", "void": "NULL",
    "time(6)": "TIME(us)",
    **dict.fromkeys(("interval year to month", "interval month"), "INTERVAL(year-month)"),
    **dict.fromkeys(("interval day to second", "interval hour to minute"), "INTERVAL(day-time)"),
}  # fmt: skip
OF_ICEBERG = {
    "boolean": "BOOLEAN", "int": "INT32", "long": "INT64", "float": "FLOAT32",
    "double": "FLOAT64", "string": "STRING", "binary": "BINARY", "date": "DATE", "uuid": "UUID",
    "time": "TIME(us)", "timestamp": "TIMESTAMP(us)",
    "timestamptz": "TIMESTAMP(us, UTC)", "timestamp_ns": "TIMESTAMP(ns)",
    "timestamptz_ns": "TIMESTAMP(ns, UTC)", "variant": "VARIANT", "unknown": "NULL",
}  # fmt: skip
OF_AVRO = {
    "boolean": "BOOLEAN", "int": "INT32", "long": "INT64", "float": "FLOAT32",
    "double": "FLOAT64", "string": "STRING", "bytes": "BINARY", "date": "DATE",
    "timestamp-micros": "TIMESTAMP(us, UTC)", "record": "STRUCT",
}  # fmt: skip
_DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)")
_FIXED = re.compile(r"fixed\[(\d+)\]")
_TEXT = "__CHAR_VARCHAR_TYPE_STRING"
_NESTED_IDS = "delta.columnMapping.nested.ids"
_OF_DELTA = {
    "id": "delta.columnMapping.id",
    "physical name": "delta.columnMapping.physicalName",
    "generated": "delta.generationExpression",
}
_PLACES = {
    "elementType": Step.ELEMENT, "keyType": Step.KEY, "valueType": Step.VALUE,
    "element": Step.ELEMENT, "key": Step.KEY, "value": Step.VALUE,
}  # fmt: skip


def name_of(kind: str, names: Mapping[str, str]) -> str:
    """The portable name of an engine's simple type."""
    if decimal := _DECIMAL.fullmatch(kind):
        return f"DECIMAL({decimal[1]},{decimal[2]})"
    if fixed := _FIXED.fullmatch(kind):
        return f"FIXED({fixed[1]})"
    return names.get(kind, f"UNKNOWN '{kind}'")


def spark_columns(fields: Iterable[Any], at: FieldPath = ()) -> Iterator[Fact]:
    """What a schema of Spark says of each column, and of each type inside it."""
    for one in fields:
        path = (*at, Part(Step.MEMBER, one["name"]))
        told: Mapping[str, Any] = one["metadata"]
        yield f"{format_path(path)} nullable", one["nullable"]
        yield f"{format_path(path)} comment", told.get("comment") or None
        yield f"{format_path(path)} default expression", told.get("CURRENT_DEFAULT")
        if _TEXT in told:
            yield f"{format_path(path)} lengths", told[_TEXT]
        for inside, collation in told.get("__COLLATIONS", {}).items():
            places = inside.removeprefix(one["name"]).split(".")[1:]
            deep = (*path, *(Part(_PLACES[place]) for place in places))
            yield f"{format_path(deep)} collation", collation
        yield from _spark_type(one["type"], path)


def _spark_type(kind: Any, path: FieldPath) -> Iterator[Fact]:
    name = f"{format_path(path)} type"
    if isinstance(kind, str):
        yield name, name_of(kind, OF_SPARK)
        return
    yield name, kind["type"].upper()
    if kind["type"] == "struct":
        yield from spark_columns(kind["fields"], path)
    for key in ("elementType", "keyType", "valueType"):
        if key in kind:
            inside = (*path, Part(_PLACES[key]))
            if key != "keyType":
                flag = "containsNull" if key == "elementType" else "valueContainsNull"
                yield f"{format_path(inside)} nullable", kind[flag]
            yield from _spark_type(kind[key], inside)


def delta_columns(fields: Iterable[Any], at: FieldPath = ()) -> Iterator[Fact]:
    """What Delta keeps of each column beside what Spark shows: ids, physical names, expressions."""
    for one in fields:
        path = (*at, Part(Step.MEMBER, one["name"]))
        told: Mapping[str, Any] = one["metadata"]
        for name, key in _OF_DELTA.items():
            yield f"{format_path(path)} {name}", told.get(key)
        for inside, number in told.get(_NESTED_IDS, {}).items():
            places = inside.removeprefix(told[_OF_DELTA["physical name"]]).split(".")[1:]
            deep = (*path, *(Part(_PLACES[place]) for place in places))
            yield f"{format_path(deep)} id", number
        for key, value in told.items():
            if key.startswith("delta.identity."):
                yield f"{format_path(path)} property {key}", value
        yield from _delta_inside(one["type"], path)


def _delta_inside(kind: Any, path: FieldPath) -> Iterator[Fact]:
    if isinstance(kind, str):
        return
    if kind["type"] == "struct":
        yield from delta_columns(kind["fields"], path)
    for key in ("elementType", "keyType", "valueType"):
        if key in kind:
            yield from _delta_inside(kind[key], (*path, Part(_PLACES[key])))


def iceberg_columns(fields: Iterable[Any], at: FieldPath = ()) -> Iterator[Fact]:
    """What a schema of Iceberg says of each column, and of each type inside it."""
    for one in fields:
        path = (*at, Part(Step.MEMBER, one["name"]))
        name = format_path(path)
        yield f"{name} id", one["id"]
        yield f"{name} nullable", not one["required"]
        yield f"{name} comment", one.get("doc")
        for fact, key in (("default", "initial-default"), ("write default", "write-default")):
            yield f"{name} {fact}", json.dumps(one[key]) if key in one else None
        yield from _iceberg_type(one["type"], path)


def _iceberg_type(kind: Any, path: FieldPath) -> Iterator[Fact]:
    name = f"{format_path(path)} type"
    if isinstance(kind, str):
        yield name, name_of(kind, OF_ICEBERG)
        return
    yield name, {"list": "ARRAY"}.get(kind["type"], kind["type"].upper())
    if kind["type"] == "struct":
        yield from iceberg_columns(kind["fields"], path)
    for key in ("element", "key", "value"):
        if key in kind:
            inside = (*path, Part(_PLACES[key]))
            yield f"{format_path(inside)} id", kind[f"{key}-id"]
            if key != "key":
                yield f"{format_path(inside)} nullable", not kind[f"{key}-required"]
            yield from _iceberg_type(kind[key], inside)


def avro_columns(fields: Iterable[Any], at: FieldPath = ()) -> Iterator[Fact]:
    """What a schema of Avro says of each column: Hudi states its tables so."""
    for one in fields:
        path = (*at, Part(Step.MEMBER, one["name"]))
        yield f"{format_path(path)} comment", one.get("doc") or None
        yield from _avro_type(one["type"], path)


def _avro_type(held: Any, path: FieldPath) -> Iterator[Fact]:
    kind = next(one for one in held if one != "null") if isinstance(held, list) else held
    if path[-1].step is not Step.KEY:
        yield f"{format_path(path)} nullable", isinstance(held, list)
    if isinstance(kind, str):
        kind = {"type": kind}
    yield f"{format_path(path)} type", _avro_name(kind)
    if kind["type"] == "record":
        yield from avro_columns(kind["fields"], path)
    if kind["type"] == "array":
        yield from _avro_type(kind["items"], (*path, Part(Step.ELEMENT)))
    if kind["type"] == "map":
        yield from _avro_type("string", (*path, Part(Step.KEY)))
        yield from _avro_type(kind["values"], (*path, Part(Step.VALUE)))


def _avro_name(kind: Mapping[str, Any]) -> str:
    if kind.get("logicalType") == "decimal":
        return f"DECIMAL({kind['precision']},{kind['scale']})"
    said = str(kind.get("logicalType", kind["type"]))
    return OF_AVRO.get(said, said.upper())


def scanned_columns(fields: Iterable[Field]) -> Iterator[Fact]:
    """The same facts of columns that a scan describes."""
    for path, one in walk(tuple(fields)):
        name = format_path(path)
        yield f"{name} type", _scanned_type(one)
        if isinstance(one, Field | Element | MapKey):
            yield f"{name} id", one.id
        if isinstance(one, Field | Element):
            yield f"{name} nullable", one.nullable
        yield f"{name} collation", one.collation
        if isinstance(one, Field):
            yield from _scanned_field(name, one)


def _scanned_field(name: str, one: Field) -> Iterator[Fact]:
    yield f"{name} comment", one.description
    yield f"{name} physical name", one.physical_name
    yield f"{name} generated", one.generated
    yield f"{name} default", one.default
    yield f"{name} write default", one.write_default
    yield f"{name} default expression", one.properties.get("CURRENT_DEFAULT", _as_sql(one))
    yield f"{name} lengths", spark_text(one)
    for key, value in one.properties.items():
        yield f"{name} property {key}", value


def _as_sql(one: Field) -> str | None:
    """The default of a column as Spark writes it."""
    held = one.write_default
    if held is None or not held.startswith('"'):
        return held
    return "'" + str(json.loads(held)).replace("'", "''") + "'"


_NESTED = frozenset((Kind.STRUCT, Kind.ARRAY, Kind.MAP))
_TEXTS = frozenset((Kind.STRING, Kind.CHAR, Kind.VARCHAR))


def _scanned_type(one: DataType) -> str:
    """Spark's schemas state lengths and collations of texts beside the type."""
    if one.type in _NESTED:
        return one.type.value
    if one.type is Kind.UNKNOWN:
        return f"UNKNOWN '{one.native}'"
    return "STRING" if one.type in _TEXTS else format_type(one)


_SPARKS = {
    ours: {"long": "bigint", "integer": "int"}.get(name, name) for name, ours in OF_SPARK.items()
}


def spark_text(one: DataType) -> str:
    """A type as Spark writes it in SQL."""
    if one.type is Kind.STRUCT:
        held = ",".join(f"{field.name}:{spark_text(field)}" for field in one.fields)
        return f"struct<{held}>"
    if one.element is not None:
        return f"array<{spark_text(one.element)}>"
    if one.key is not None and one.value is not None:
        return f"map<{spark_text(one.key)},{spark_text(one.value)}>"
    said = format_type(one)
    return _SPARKS.get(said, said.lower())
