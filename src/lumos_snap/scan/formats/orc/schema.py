"""ORC types as portable types, including attributes of Spark and Iceberg."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Schema
from lumos_snap.model.types import (
    MAX_LEVELS,
    Branch,
    Element,
    Field,
    Kind,
    MapKey,
    Unit,
)
from lumos_snap.scan.schemas.supertype import DatasetSchema

Parameters = JsonObject
Stored = JsonObject

ONLY = "value"
"""Column name for a file whose rows are not structs: ORC has no name for it."""

CATALYST = "spark.sql.catalyst.type"
"""The attribute with Spark's name of a type that a file format lacks."""

_SCALARS: Mapping[str, Parameters] = {
    "boolean": {"type": Kind.BOOLEAN},
    "byte": {"type": Kind.INT8},
    "short": {"type": Kind.INT16},
    "int": {"type": Kind.INT32},
    "long": {"type": Kind.INT64},
    "float": {"type": Kind.FLOAT32},
    "double": {"type": Kind.FLOAT64},
    "string": {"type": Kind.STRING},
    "binary": {"type": Kind.BINARY},
    "date": {"type": Kind.DATE},
    "timestamp": {"type": Kind.TIMESTAMP, "unit": Unit.NANOSECOND},
    "timestamp_instant": {"type": Kind.TIMESTAMP, "unit": Unit.NANOSECOND, "timezone": "UTC"},
}
_NESTED = frozenset(("list", "map", "struct", "union"))
_TEXTS = {"char": Kind.CHAR, "varchar": Kind.VARCHAR}
_MOST_DIGITS = 1000
_POSITIONAL = re.compile(r"_col[0-9]+")

_ID, _REQUIRED = "iceberg.id", "iceberg.required"
_COMMENT, _DESCRIPTION = "comment", "description"
_LONG, _BINARY, _LENGTH = "iceberg.long-type", "iceberg.binary-type", "iceberg.length"
_UNIT, _STRUCT = "iceberg.timestamp-unit", "iceberg.struct-type"
_UNDERSTOOD = frozenset(
    (CATALYST, _ID, _REQUIRED, _COMMENT, _DESCRIPTION, _LONG, _BINARY, _LENGTH, _UNIT, _STRUCT)
)


def schema_of(evidence: Any) -> DatasetSchema:
    """Convert an ORC file's types; a root that is not a struct becomes a single column, `value`."""
    tree = _Tree(evidence["types"])
    root = tree.types[0]
    fields = tree.members(root, 1) if root["kind"] == "struct" else (tree.field(ONLY, 0, 1),)
    notes = [_DEEP] if tree.is_deep else []
    if fields and all(_POSITIONAL.fullmatch(one.name) for one in fields):
        notes.append(_NAMELESS)
    if evidence.get("encrypted"):
        notes.append(_ENCRYPTED)
    return DatasetSchema(Schema(fields=fields), notes=tuple(notes))


_DEEP = f"types nest over {MAX_LEVELS} levels deep: what is below is left out"
_NAMELESS = "columns have positions for names, as old versions of Hive write them"
_ENCRYPTED = "columns are encrypted: their types are known all the same"


class _Tree:
    """The types of a file, which refer to each other by number."""

    def __init__(self, types: Sequence[Stored]) -> None:
        self.types = types
        self.is_deep = False

    def members(self, one: Stored, level: int) -> tuple[Field, ...]:
        """Convert the members of a struct; an empty one has neither names nor numbers."""
        pairs = zip(one.get("fieldNames", ()), one.get("subtypes", ()), strict=True)
        return tuple(self.field(name, index, level) for name, index in pairs)

    def field(self, name: str, index: int, level: int) -> Field:
        said = _attributes(self.types[index])
        left = {key: held for key, held in said.items() if key not in _UNDERSTOOD}
        return Field(
            name=name,
            nullable=_is_nullable(said),
            id=_parse_number(said.get(_ID)),
            description=said.get(_COMMENT) or said.get(_DESCRIPTION) or None,
            properties=left,
            **self._type(index, level),
        )

    def _type(self, index: int, level: int) -> Parameters:
        one = self.types[index]
        kind = one["kind"]
        if kind in _NESTED:
            return self._nested(one, level)
        made = _OWN[kind](one) if kind in _OWN else _SCALARS.get(kind)
        if made is None:
            return {"type": Kind.UNKNOWN, "native": kind}
        return _refine(made, _attributes(one))

    def _nested(self, one: Stored, level: int) -> Parameters:
        kind, held = one["kind"], one.get("subtypes", ())
        if _attributes(one).get(_STRUCT) == "VARIANT":
            return {"type": Kind.VARIANT}
        if level >= MAX_LEVELS:
            self.is_deep = True
            return {"type": Kind.UNKNOWN, "native": kind}
        if kind == "list":
            return {"type": Kind.ARRAY, "element": self._element(held[0], level + 1)}
        if kind == "map":
            key, value = self._key(held[0], level + 1), self._element(held[1], level + 1)
            return {"type": Kind.MAP, "key": key, "value": value}
        if kind == "struct":
            return {"type": Kind.STRUCT, "fields": self.members(one, level + 1)}
        branches = tuple(Branch(**self._type(index, level + 1)) for index in held)
        return {"type": Kind.UNION, "branches": branches}

    def _element(self, index: int, level: int) -> Element:
        said = _attributes(self.types[index])
        return Element(
            nullable=_is_nullable(said),
            id=_parse_number(said.get(_ID)),
            description=said.get(_COMMENT) or said.get(_DESCRIPTION) or None,
            **self._type(index, level),
        )

    def _key(self, index: int, level: int) -> MapKey:
        identity = _parse_number(_attributes(self.types[index]).get(_ID))
        return MapKey(id=identity, **self._type(index, level))


def _attributes(one: Stored) -> Mapping[str, str]:
    found: Mapping[str, str] = one.get("attributes", {})
    return found


def _is_nullable(said: Mapping[str, str]) -> bool:
    """Whether a value is nullable: only Iceberg's attributes make it required."""
    return said.get(_REQUIRED) != "true"


def _parse_number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch("[0-9]{1,10}", text) else None


def _text_with_length(one: Stored) -> Parameters:
    """Convert a text with a length; without a valid one, it is a string."""
    length = one.get("maximumLength", 0)
    if not 0 < length < 2**32:
        return {"type": Kind.STRING, "native": one["kind"]}
    return {"type": _TEXTS[one["kind"]], "length": length}


def _decimal(one: Stored) -> Parameters:
    """Convert a decimal; old versions of Hive limit neither precision nor scale."""
    precision, scale = one.get("precision", 0), one.get("scale", 0)
    if not precision:
        return {"type": Kind.DECIMAL}
    if precision > _MOST_DIGITS or scale > _MOST_DIGITS:
        return {"type": Kind.UNKNOWN, "native": f"decimal({precision},{scale})"}
    return {"type": Kind.DECIMAL, "precision": precision, "scale": scale}


def _geometry(one: Stored) -> Parameters:
    sizes = [one[name] for name in ("crs", "algorithm") if one.get(name)]
    native = f"{one['kind']}({', '.join(sizes)})" if sizes else one["kind"]
    return {"type": Kind.UNKNOWN, "native": native}


_OWN: Mapping[str, Callable[[Stored], Parameters]] = {
    "char": _text_with_length,
    "varchar": _text_with_length,
    "decimal": _decimal,
    "geometry": _geometry,
    "geography": _geometry,
}


def _refine(made: Parameters, said: Mapping[str, str]) -> Parameters:
    """Refine a type by engines' attributes."""
    if CATALYST in said:
        return apply_spark_type(made, said[CATALYST])
    if said.get(_LONG) == "TIME" and made["type"] is Kind.INT64:
        return {"type": Kind.TIME, "unit": Unit.MICROSECOND}
    if said.get(_UNIT) == "MICROS" and made["type"] is Kind.TIMESTAMP:
        return {**made, "unit": Unit.MICROSECOND}
    return _binary(said) if made["type"] is Kind.BINARY and _BINARY in said else made


def _binary(said: Mapping[str, str]) -> Parameters:
    length = _parse_number(said.get(_LENGTH))
    if said[_BINARY] == "UUID":
        return {"type": Kind.UUID}
    if said[_BINARY] == "FIXED" and length is not None:
        return {"type": Kind.FIXED, "length": length}
    return {"type": Kind.BINARY}


_CALENDAR = re.compile("interval (year|month)( to month)?")
_CLOCK = re.compile("interval (day|hour|minute|second)( to (hour|minute|second))?")
_WIDEST = ("interval year to month", "interval day to second")


def apply_spark_type(made: Parameters, name: str) -> Parameters:
    """Refine a type by Spark's name: files store local timestamps and intervals as numbers."""
    if name == "timestamp_ntz":
        return {"type": Kind.TIMESTAMP, "unit": Unit.MICROSECOND}
    native = None if name in _WIDEST else name
    if _CALENDAR.fullmatch(name):
        return {"type": Kind.INTERVAL, "unit": Unit.YEAR_MONTH, "native": native}
    if _CLOCK.fullmatch(name):
        return {"type": Kind.INTERVAL, "unit": Unit.DAY_TIME, "native": native}
    if name in {"", "string", "timestamp"}:
        return made
    return {**made, "native": name}
