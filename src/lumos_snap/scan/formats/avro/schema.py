"""Avro schemas as portable types."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Schema
from lumos_snap.model.types import (
    MAX_LEVELS,
    Branch,
    Definition,
    Element,
    Field,
    Kind,
    MapKey,
    Unit,
)
from lumos_snap.scan.formats.avro import attributes as words
from lumos_snap.scan.formats.avro.named_types import (
    NAMED,
    PRIMITIVES,
    RECORDS,
    full_name,
    resolve_name,
    survey_types,
)
from lumos_snap.scan.formats.orc.schema import CATALYST, apply_spark_type
from lumos_snap.scan.schemas.supertype import DatasetSchema

# Avro's primitive and logical types as portable types.
#
# A logical type that is unknown, or that its physical type cannot represent, is not applied, as the
# specification requires of readers. Its name is kept as `native`.


Parameters = JsonObject
Stored = JsonObject

_PLAIN: Mapping[str, Kind] = {
    "null": Kind.NULL,
    "boolean": Kind.BOOLEAN,
    "int": Kind.INT32,
    "long": Kind.INT64,
    "float": Kind.FLOAT32,
    "double": Kind.FLOAT64,
    "bytes": Kind.BINARY,
    "string": Kind.STRING,
}
_CLOCK = {
    "millis": Unit.MILLISECOND,
    "micros": Unit.MICROSECOND,
    "nanos": Unit.NANOSECOND,
}
_TEXTS = {"char": Kind.CHAR, "varchar": Kind.VARCHAR}
_UUID_SIZE, _DURATION_SIZE = 16, 12
_MOST_DIGITS = 1000
_MOST_LENGTH = 2**31


def scalar_type(kind: str, stored: Stored) -> Parameters:
    """Convert a primitive or fixed type with its attributes."""
    plain = _plain(kind, stored)
    logical = stored.get("logicalType")
    if isinstance(logical, str) and logical:
        read = _LOGICAL.get((kind, logical))
        meant = read(stored) if read else None
        return {**plain, "native": logical} if meant is None else meant
    spark = stored.get(CATALYST)
    return apply_spark_type(plain, spark) if isinstance(spark, str) else plain


def _plain(kind: str, stored: Stored) -> Parameters:
    if kind == "fixed":
        return {"type": Kind.FIXED, "length": stored["size"]}
    return {"type": _PLAIN[kind]}


def _physical(stored: Stored) -> Parameters:
    """Return the physical type, if it is the rarer of two encodings."""
    return {"physical": f"fixed({stored['size']})"} if stored["type"] == "fixed" else {}


def _decimal(stored: Stored) -> Parameters | None:
    precision, scale = _number(stored, "precision"), _number(stored, "scale")
    if not 0 < precision <= _most_digits(stored) or not 0 <= scale <= precision:
        return None
    if precision > _MOST_DIGITS:
        native = f"decimal({precision},{scale})"
        return {"type": Kind.DECIMAL, "native": native, **_physical(stored)}
    sizes = {"precision": precision, "scale": scale}
    return {"type": Kind.DECIMAL, **sizes, **_physical(stored)}


def _most_digits(stored: Stored) -> float:
    """Return how many digits fit into a number of this size."""
    if stored["type"] != "fixed":
        return math.inf
    return math.floor(math.log10(2) * (8 * int(stored["size"]) - 1))


def _number(stored: Stored, name: str) -> int:
    """Read a size; 0 if missing, which is also Avro's default scale."""
    held = stored.get(name, 0)
    return held if isinstance(held, int) and not isinstance(held, bool) else -1


def _uuid(stored: Stored) -> Parameters | None:
    if stored["type"] == "fixed" and stored["size"] != _UUID_SIZE:
        return None
    return {"type": Kind.UUID, **_physical(stored)}


def _duration(stored: Stored) -> Parameters | None:
    if stored["size"] != _DURATION_SIZE:
        return None
    return {"type": Kind.INTERVAL, "unit": Unit.MONTH_DAY_NANO, "native": "duration"}


def _text_with_length(stored: Stored) -> Parameters | None:
    """Convert Hive's texts with a length."""
    length = _number(stored, "maxLength")
    if not 0 < length < _MOST_LENGTH:
        return None
    return {"type": _TEXTS[stored["logicalType"]], "length": length}


def _constant(**parameters: object) -> Callable[[Stored], Parameters]:
    return lambda _stored: parameters


def _instant(unit: Unit) -> Callable[[Stored], Parameters]:
    """Convert a point in time; Iceberg marks some as local time."""

    def read(stored: Stored) -> Parameters:
        local = stored.get("adjust-to-utc") is False
        return {"type": Kind.TIMESTAMP, "unit": unit} | ({} if local else {"timezone": "UTC"})

    return read


_LOGICAL: Mapping[tuple[str, str], Callable[[Stored], Parameters | None]] = {
    ("int", "date"): _constant(type=Kind.DATE),
    ("int", "time-millis"): _constant(type=Kind.TIME, unit=Unit.MILLISECOND),
    ("long", "time-micros"): _constant(type=Kind.TIME, unit=Unit.MICROSECOND),
    **{("long", f"timestamp-{name}"): _instant(unit) for name, unit in _CLOCK.items()},
    **{
        ("long", f"local-timestamp-{name}"): _constant(type=Kind.TIMESTAMP, unit=unit)
        for name, unit in _CLOCK.items()
    },
    ("bytes", "decimal"): _decimal,
    ("fixed", "decimal"): _decimal,
    ("bytes", "big-decimal"): _constant(type=Kind.DECIMAL, native="big-decimal"),
    ("string", "uuid"): _uuid,
    ("fixed", "uuid"): _uuid,
    ("fixed", "duration"): _duration,
    ("string", "char"): _text_with_length,
    ("string", "varchar"): _text_with_length,
}


ONLY = "value"
"""Column name for a file whose rows are not records: Avro has no name for it."""

_NOTHING: Stored = {}


def schema_of(evidence: object) -> DatasetSchema:
    """Convert an Avro schema; one that is not a record becomes a single column, `value`."""
    reader = _Reader(evidence)
    schema = _unwrap(evidence)
    if isinstance(schema, dict) and schema["type"] in RECORDS:
        space = full_name(schema, "").rpartition(".")[0]
        fields, description = reader.members(schema, space, 1), words.description(schema)
    else:
        only = {"name": ONLY, "type": schema}
        fields, description = (reader.field(only, "", 1),), None
    definitions = reader.definitions()
    return DatasetSchema(
        Schema(fields=fields, definitions=definitions),
        description=description,
        notes=reader.notes(),
    )


def _unwrap(schema: Any) -> Any:
    """Unwrap a type from enclosing objects."""
    while isinstance(schema, dict) and not isinstance(schema["type"], str):
        schema = schema["type"]
    return schema


class _PlacedType(NamedTuple):
    """The type at one place of a schema, with its stored attributes."""

    type: Parameters
    nullable: bool = False
    stored: Stored = _NOTHING
    name: str | None = None

    def beside_name(self) -> Parameters:
        """Return the type without `native`, if that is its name anyway."""
        return {
            key: held for key, held in self.type.items() if key != "native" or held != self.name
        }


class _Reader:
    """Converts one schema, with its named types."""

    def __init__(self, schema: Any) -> None:
        self.known, self.shared = survey_types(schema)
        self.wanted: dict[str, None] = {}
        self.missing: set[str] = set()
        self.is_deep = False

    def notes(self) -> tuple[str, ...]:
        """Return notes on what could not be described."""
        deep = f"types nest over {MAX_LEVELS} levels deep: what is below is left out"
        missing = [f"the type `{name}` is defined nowhere" for name in sorted(self.missing)]
        return (*([deep] if self.is_deep else []), *missing)

    def definitions(self) -> tuple[Definition, ...]:
        """Return all shared definitions that are referred to, directly or indirectly."""
        made: dict[str, Definition] = {}
        while left := [name for name in self.wanted if name not in made]:
            for name in left:
                made[name] = Definition(name=name, **self._written_out(name, 1).beside_name())
        return tuple(made.values())

    def members(self, record: Stored, space: str, level: int) -> tuple[Field, ...]:
        """Convert the fields of a record."""
        return tuple(self.field(one, space, level) for one in record["fields"])

    def field(self, one: Stored, space: str, level: int) -> Field:
        held = self.held(one["type"], space, level)
        name = words.table_name(one)
        return Field(
            name=one["name"] if name is None else name,
            physical_name=None if name is None else one["name"] or None,
            nullable=held.nullable,
            id=words.field_id(one.get("field-id")),
            description=words.description(one, held.stored),
            default=words.default(one),
            aliases=words.aliases(one),
            properties=words.properties(one, held.stored),
            **held.type,
        )

    def held(self, schema: Any, space: str, level: int) -> _PlacedType:
        """Convert the type at one place of a schema."""
        schema = _unwrap(schema)
        if isinstance(schema, list):
            return self._union(schema, space, level)
        kind: str = schema if isinstance(schema, str) else schema["type"]
        stored: Stored = _NOTHING if isinstance(schema, str) else schema
        if kind in PRIMITIVES:
            return _PlacedType(scalar_type(kind, stored), kind == "null", stored)
        if kind in NAMED and stored:
            return self._named(full_name(stored, space), level)
        if kind in {"array", "map"} and stored:
            return _PlacedType(self._repeated(kind, stored, space, level), stored=stored)
        return self._named(resolve_name(kind, space, self.known), level)

    def _named(self, name: str, level: int) -> _PlacedType:
        if name not in self.known:
            self.missing.add(name)
            return _PlacedType({"type": Kind.UNKNOWN, "native": name})
        if name not in self.shared:
            return self._written_out(name, level)
        self.wanted[name] = None
        return _PlacedType(
            {"type": Kind.REF, "ref": name}, stored=self.known[name].stored, name=name
        )

    def _written_out(self, name: str, level: int) -> _PlacedType:
        stored, space = self.known[name]
        if stored["type"] == "enum":
            made = _enum(stored)
        elif stored["type"] == "fixed":
            made = scalar_type("fixed", stored)
            if made["type"] is not Kind.FIXED or "native" in made:
                return _PlacedType(made, stored=stored, name=name)
        elif stored.get("logicalType") == "variant":
            return _PlacedType({"type": Kind.VARIANT}, stored=stored, name=name)
        else:
            made = self._record(stored, space, level)
        return _PlacedType({"native": name, **made}, stored=stored, name=name)

    def _record(self, stored: Stored, space: str, level: int) -> Parameters:
        if level >= MAX_LEVELS:
            return self._too_deep("record")
        return {"type": Kind.STRUCT, "fields": self.members(stored, space, level + 1)}

    def _too_deep(self, native: str) -> Parameters:
        self.is_deep = True
        return {"type": Kind.UNKNOWN, "native": native}

    def _repeated(self, kind: str, stored: Stored, space: str, level: int) -> Parameters:
        if level >= MAX_LEVELS:
            return self._too_deep(kind)
        if kind == "map":
            key = MapKey(type=Kind.STRING, id=words.field_id(stored.get("key-id")))
            value = self._element(stored["values"], space, level + 1, stored.get("value-id"))
            return {"type": Kind.MAP, "key": key, "value": value}
        if stored.get("logicalType") == "map" and (pair := self._pair(stored["items"], space)):
            return self._pairs(*pair, level)
        element = self._element(stored["items"], space, level + 1, stored.get("element-id"))
        return {"type": Kind.ARRAY, "element": element}

    def _pair(self, items: object, space: str) -> tuple[Sequence[Stored], str] | None:
        """Return the two fields of a record, if an array of such records represents a map."""
        items = _unwrap(items)
        if isinstance(items, str):
            name = resolve_name(items, space, self.known)
        elif isinstance(items, dict) and items["type"] in RECORDS:
            name = full_name(items, space)
        else:
            return None
        stored, inside = self.known.get(name, (_NOTHING, ""))
        fields = stored.get("fields", ())
        names = [one["name"] for one in fields]
        return (fields, inside) if names == ["key", "value"] and name not in self.shared else None

    def _pairs(self, fields: Sequence[Stored], space: str, level: int) -> Parameters:
        key, value = fields
        made = self.held(key["type"], space, level + 1).type
        return {
            "type": Kind.MAP,
            "key": MapKey(id=words.field_id(key.get("field-id")), **made),
            "value": self._element(value["type"], space, level + 1, value.get("field-id")),
        }

    def _element(self, schema: Any, space: str, level: int, identity: Any) -> Element:
        held = self.held(schema, space, level)
        return Element(
            nullable=held.nullable,
            id=words.field_id(identity),
            description=words.description(held.stored),
            **held.type,
        )

    def _union(self, union: Sequence[object], space: str, level: int) -> _PlacedType:
        branches = [one for one in map(_unwrap, union) if not _is_null(one)]
        nullable = len(branches) < len(union)
        if not branches and nullable:
            return _PlacedType({"type": Kind.NULL}, nullable=True)
        if len(branches) == 1:
            held = self.held(branches[0], space, level)
            return held._replace(nullable=nullable or held.nullable)
        if level >= MAX_LEVELS:
            return _PlacedType(self._too_deep("union"), nullable)
        made = (self.held(one, space, level + 1) for one in branches)
        listed = tuple(Branch(name=one.name, **one.beside_name()) for one in made)
        return _PlacedType({"type": Kind.UNION, "branches": listed}, nullable)


def _is_null(schema: object) -> bool:
    return schema == "null" or (isinstance(schema, dict) and schema["type"] == "null")


def _enum(stored: Stored) -> Parameters:
    default = stored.get("default")
    return {
        "type": Kind.ENUM,
        "symbols": tuple(stored["symbols"]),
        "symbol_default": default if isinstance(default, str) else None,
    }
