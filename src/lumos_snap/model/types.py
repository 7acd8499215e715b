"""The portable type system: scalars with parameters, nested and recursive types."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, ClassVar, TypeVar

from lumos_snap.shape import Json, Maybe, Natural, Range, Text, Unordered, Value

MAX_LEVELS = 64
"""Nesting beyond this is recorded as UNKNOWN: no engine reads it, and every tool must end."""


class Kind(StrEnum):
    """What a value is, whatever stores it."""

    BOOLEAN = "BOOLEAN"
    INT8 = "INT8"
    INT16 = "INT16"
    INT32 = "INT32"
    INT64 = "INT64"
    UINT8 = "UINT8"
    UINT16 = "UINT16"
    UINT32 = "UINT32"
    UINT64 = "UINT64"
    FLOAT16 = "FLOAT16"
    FLOAT32 = "FLOAT32"
    FLOAT64 = "FLOAT64"
    DECIMAL = "DECIMAL"
    STRING = "STRING"
    CHAR = "CHAR"
    VARCHAR = "VARCHAR"
    BINARY = "BINARY"
    FIXED = "FIXED"
    DATE = "DATE"
    TIME = "TIME"
    TIMESTAMP = "TIMESTAMP"
    INTERVAL = "INTERVAL"
    UUID = "UUID"
    ENUM = "ENUM"
    JSON = "JSON"
    VARIANT = "VARIANT"
    ARRAY = "ARRAY"
    MAP = "MAP"
    STRUCT = "STRUCT"
    UNION = "UNION"
    NULL = "NULL"
    REF = "REF"
    UNKNOWN = "UNKNOWN"


class Unit(StrEnum):
    """The resolution of a time, or what an interval counts."""

    SECOND = "s"
    MILLISECOND = "ms"
    MICROSECOND = "us"
    NANOSECOND = "ns"
    YEAR_MONTH = "year-month"
    DAY_TIME = "day-time"
    MONTH_DAY_NANO = "month-day-nano"


CLOCK = (Unit.SECOND, Unit.MILLISECOND, Unit.MICROSECOND, Unit.NANOSECOND)
CALENDAR = (Unit.YEAR_MONTH, Unit.DAY_TIME, Unit.MONTH_DAY_NANO)


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a kind must and may say of itself, beside `native` and `physical`."""

    must: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    units: tuple[Unit, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        """Every parameter that the kind has."""
        return frozenset((*self.must, *self.may))


PARAMETERS: Mapping[Kind, Parameters] = {
    **dict.fromkeys(Kind, Parameters()),
    Kind.DECIMAL: Parameters(must=("precision", "scale")),
    Kind.STRING: Parameters(may=("collation",)),
    Kind.CHAR: Parameters(must=("length",), may=("collation",)),
    Kind.VARCHAR: Parameters(must=("length",), may=("collation",)),
    Kind.FIXED: Parameters(must=("length",)),
    Kind.TIME: Parameters(may=("unit", "timezone"), units=CLOCK),
    Kind.TIMESTAMP: Parameters(may=("unit", "timezone"), units=CLOCK),
    Kind.INTERVAL: Parameters(may=("unit",), units=(*CALENDAR, *CLOCK)),
    Kind.ENUM: Parameters(may=("symbols", "symbol_default")),
    Kind.ARRAY: Parameters(must=("element",), may=("length",)),
    Kind.MAP: Parameters(must=("key", "value")),
    Kind.STRUCT: Parameters(may=("fields",)),
    Kind.UNION: Parameters(may=("branches",)),
    Kind.REF: Parameters(must=("ref",)),
    Kind.UNKNOWN: Parameters(must=("native",)),
}

_LISTS = ("symbols", "fields", "branches")
_OWN = (
    "ref", "precision", "scale", "length", "unit", "timezone", "symbols", "symbol_default",
    "collation", "element", "key", "value", "fields", "branches",
)  # fmt: skip


V = TypeVar("V", bound=Mapping[str, Any])

_RULES = {
    kind.value: (
        frozenset(_OWN) - row.known,
        frozenset(row.must),
        tuple(unit.value for unit in row.units),
    )
    for kind, row in PARAMETERS.items()
}


def consistent(given: V) -> V:
    """A type whose parameters are right: the table above, in code."""
    kind = given["type"]
    # Runs for every column of every snapshot: set operations where all is well, words where not.
    foreign, needed, units = _RULES[kind]
    if not foreign.isdisjoint(given):
        wrong = [name for name in _OWN if name in foreign and given.get(name) not in (None, [], ())]
        if wrong:
            raise ValueError(f"{kind} has no `{wrong[0]}`")
    if needed and not given.keys() >= needed:
        names = " and ".join(f"`{name}`" for name in PARAMETERS[Kind(kind)].must)
        raise ValueError(f"{kind} needs {names}")
    if "unit" in given and given["unit"] not in units:
        raise ValueError(f"{kind} has no unit `{given['unit']}`, only {', '.join(units)}")
    return given


def _kind_rules() -> list[dict[str, Any]]:
    """The table above, in JSON Schema's words."""
    return [
        {
            "if": {"properties": {"type": {"const": kind.value}}},
            "then": {
                **({"required": list(row.must)} if row.must else {}),
                "properties": {
                    **{n: _nothing(n) for n in _OWN if n not in row.known},
                    **({"unit": {"enum": [u.value for u in row.units]}} if row.units else {}),
                },
            },
        }
        for kind, row in PARAMETERS.items()
    ]


def _nothing(parameter: str) -> object:
    return {"maxItems": 0} if parameter in _LISTS else False


@dataclass(frozen=True, slots=True, kw_only=True)
class DataType(Value):
    """A type with its parameters."""

    # Scalars first, then what nests, then what opens over several lines.
    KEY_ORDER: ClassVar[tuple[str, ...]] = (
        "name", "type", "ref", "precision", "scale", "length", "unit", "timezone",
        "symbols", "symbol_default", "collation", "format", "style", "source", "transform",
        "argument", "nullable", "id", "native", "physical", "physical_name", "description",
        "default", "write_default", "generated", "aliases", "properties",
        "key", "element", "value", "fields", "branches",
    )  # fmt: skip
    SCHEMA_EXTRA: ClassVar[Mapping[str, object]] = {"allOf": [{"$ref": "#/$defs/TypeParameters"}]}
    SCHEMA_SHARED: ClassVar[Mapping[str, object]] = {"TypeParameters": {"allOf": _kind_rules()}}

    type: Kind
    ref: Maybe[Text] = None
    precision: Maybe[Annotated[int, Range(least=1, most=1000)]] = None
    scale: Maybe[Annotated[int, Range(least=-1000, most=1000)]] = None
    length: Maybe[Natural] = None
    unit: Maybe[Unit] = None
    timezone: Maybe[Text] = None
    symbols: tuple[str, ...] = ()
    symbol_default: Maybe[str] = None
    collation: Maybe[Text] = None
    native: Maybe[Text] = None
    physical: Maybe[Text] = None
    key: "Maybe[MapKey]" = None
    element: "Maybe[Element]" = None
    value: "Maybe[Element]" = None
    fields: "tuple[Field, ...]" = ()
    branches: "tuple[Branch, ...]" = ()

    consistent = staticmethod(consistent)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapKey(DataType):
    """The key of a map: never null, so it states no nullability."""

    id: Maybe[Natural] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Element(DataType):
    """The element of an array or the value of a map."""

    nullable: bool
    id: Maybe[Natural] = None
    description: Maybe[Text] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch(DataType):
    """One alternative of a union."""

    name: Maybe[Text] = None
    id: Maybe[Natural] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(DataType):
    """A column, or a member of a struct, as the source itself describes it."""

    name: str
    nullable: bool
    id: Maybe[Natural] = None
    physical_name: Maybe[Text] = None
    description: Maybe[Text] = None
    default: Maybe[Text] = None
    write_default: Maybe[Text] = None
    generated: Maybe[Text] = None
    aliases: Annotated[tuple[str, ...], Unordered()] = ()
    properties: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition(DataType):
    """A named type that `REF` refers to, so that a type can contain itself."""

    name: Text
