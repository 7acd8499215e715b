"""The portable type system: scalars with parameters, nested and recursive types."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, ClassVar, TypeVar

from lumos_snap.json_object import JsonObject
from lumos_snap.schema import Json, Maybe, Natural, Range, Text, Unordered, Value, value_class

# The kinds of types and their parameters: one registry for code and published schemas.


class Kind(StrEnum):
    """The kind of a value, independent of its storage."""

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
    """The resolution of a time, or the components of an interval."""

    SECOND = "s"
    MILLISECOND = "ms"
    MICROSECOND = "us"
    NANOSECOND = "ns"
    YEAR_MONTH = "year-month"
    DAY_TIME = "day-time"
    MONTH_DAY_NANO = "month-day-nano"


UNITS = frozenset(unit.value for unit in Unit)
CLOCK = (Unit.SECOND, Unit.MILLISECOND, Unit.MICROSECOND, Unit.NANOSECOND)
CALENDAR = (Unit.YEAR_MONTH, Unit.DAY_TIME, Unit.MONTH_DAY_NANO)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The required and optional parameters of a kind, besides `native` and `physical`."""

    must: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    together: tuple[str, ...] = ()  # optional parameters of which all or none are present
    units: tuple[Unit, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        """Every parameter of the kind."""
        return frozenset((*self.must, *self.may))


PARAMETERS: Mapping[Kind, Parameters] = {
    **dict.fromkeys(Kind, Parameters()),
    # Without both, the store sets no limit, like Postgres' `numeric`, or it is unknown.
    Kind.DECIMAL: Parameters(may=("precision", "scale"), together=("precision", "scale")),
    Kind.STRING: Parameters(may=("collation",)),
    Kind.CHAR: Parameters(must=("length",), may=("collation",)),
    Kind.VARCHAR: Parameters(must=("length",), may=("collation",)),
    Kind.BINARY: Parameters(may=("length",)),
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
        frozenset(row.together),
        tuple(unit.value for unit in row.units),
    )
    for kind, row in PARAMETERS.items()
}


def consistent(given: V) -> V:
    """Check the parameters of a type: the registry above, in code."""
    kind = given["type"]
    # Runs for every column of every snapshot: fast set operations first, messages only on failure.
    foreign, needed, together, units = _RULES[kind]
    if not foreign.isdisjoint(given):
        wrong = [name for name in _OWN if name in foreign and given.get(name) not in (None, [], ())]
        if wrong:
            raise ValueError(f"{kind} has no `{wrong[0]}`")
    if needed and not given.keys() >= needed:
        raise ValueError(f"{kind} needs {_list_names(PARAMETERS[Kind(kind)].must)}")
    if together and 0 < len(given.keys() & together) < len(together):
        raise ValueError(f"{kind} has {_list_names(PARAMETERS[Kind(kind)].together)}, or neither")
    if "unit" in given and given["unit"] not in units:
        raise ValueError(f"{kind} has no unit `{given['unit']}`, only {', '.join(units)}")
    return given


def _list_names(names: tuple[str, ...]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def kind_rules() -> list[JsonObject]:
    """The registry above as JSON Schema."""
    return [
        {"if": {"properties": {"type": {"const": kind.value}}}, "then": _rule(row)}
        for kind, row in PARAMETERS.items()
    ]


def _rule(row: Parameters) -> JsonObject:
    needs = {one: [n for n in row.together if n != one] for one in row.together}
    return {
        **({"required": list(row.must)} if row.must else {}),
        **({"dependentRequired": needs} if needs else {}),
        "properties": {
            **{name: _nothing(name) for name in _OWN if name not in row.known},
            **({"unit": {"enum": [unit.value for unit in row.units]}} if row.units else {}),
        },
    }


def _nothing(parameter: str) -> object:
    return {"maxItems": 0} if parameter in _LISTS else False


MAX_LEVELS = 64
"""Deeper nesting is recorded as UNKNOWN: no engine reads it, and every tool must terminate."""

FieldId = Annotated[Maybe[Natural], "the field id of the format: it stays when the name changes"]


@value_class
class DataType(Value):
    """A type with its parameters."""

    # Scalars first, then nested types on one line, then lists over several lines.
    KEY_ORDER: ClassVar[tuple[str, ...]] = (
        "name", "type", "ref", "precision", "scale", "length", "unit", "timezone",
        "symbols", "symbol_default", "collation", "format", "style", "source", "transform",
        "argument", "inferred", "nullable", "absent", "newest_type", "id", "native",
        "physical", "physical_name", "description", "default", "write_default", "generated",
        "aliases", "properties", "key", "element", "value", "fields", "branches",
    )  # fmt: skip
    SCHEMA_EXTRA: ClassVar[Mapping[str, object]] = {"allOf": [{"$ref": "#/$defs/TypeParameters"}]}
    SCHEMA_SHARED: ClassVar[Mapping[str, object]] = {"TypeParameters": {"allOf": kind_rules()}}

    type: Annotated[Kind, "the portable kind of the values"]
    ref: Annotated[Maybe[Text], "the definition in `schema.definitions` that stands here"] = None
    precision: Annotated[
        Maybe[Annotated[int, Range(least=1, most=1000)]], "the most digits that a decimal has"
    ] = None
    scale: Annotated[
        Maybe[Annotated[int, Range(least=-1000, most=1000)]],
        "how many of a decimal's digits follow the point",
    ] = None
    length: Annotated[
        Maybe[Natural], "the most characters or bytes; exactly as many for CHAR, FIXED and ARRAY"
    ] = None
    unit: Annotated[Maybe[Unit], "the resolution of a time, or what an interval counts"] = None
    timezone: Annotated[
        Maybe[Text], "the zone that stored instants are in; left out for local time"
    ] = None
    symbols: Annotated[tuple[str, ...], "the values of an enumeration, in its own order"] = ()
    symbol_default: Annotated[
        Maybe[str], "the symbol that readers take for one that they do not know"
    ] = None
    collation: Annotated[Maybe[Text], "the rules by which texts are compared and sorted"] = None
    native: Annotated[Maybe[Text], "the source's own name for the type, where it says more"] = None
    physical: Annotated[Maybe[Text], "how a file stores the values, as in INT96"] = None
    key: Annotated["Maybe[MapKey]", "the type of a map's keys"] = None
    element: Annotated["Maybe[Element]", "the type of an array's elements"] = None
    value: Annotated["Maybe[Element]", "the type of a map's values"] = None
    fields: Annotated["tuple[Field, ...]", "the members of a struct, in stored order"] = ()
    branches: Annotated["tuple[Branch, ...]", "the alternatives of a union, in stored order"] = ()

    consistent = staticmethod(consistent)


@value_class
class MapKey(DataType):
    """The key of a map: never null, so it has no nullability."""

    id: FieldId = None


@value_class
class Element(DataType):
    """The element of an array or the value of a map."""

    nullable: Annotated[bool, "whether one may be null; false only where the source declares it"]
    id: FieldId = None
    description: Annotated[Maybe[Text], "what the source says about its elements"] = None


@value_class
class Branch(DataType):
    """One alternative of a union."""

    name: Annotated[Maybe[Text], "the name of the alternative, where the source gives it one"] = (
        None
    )
    id: FieldId = None


@value_class
class Field(DataType):
    """A column, or a member of a struct, as described by the source."""

    name: Annotated[str, "the name as the source spells it"]
    nullable: Annotated[bool, "whether it may be null; false only where the source declares it"]
    absent: Annotated[bool, "whether the newest partition lacks it, and older ones have it"] = False
    newest_type: Annotated[
        Maybe[Text], "its type in the newest partition, where older ones have another"
    ] = None
    id: FieldId = None
    physical_name: Annotated[
        Maybe[Text], "its name inside the files, where column mapping gives it another"
    ] = None
    description: Annotated[Maybe[Text], "what the source says; `documentation` wins over it"] = None
    default: Annotated[
        Maybe[Text], 'what rows written before it hold, a JSON text: `"null"` is the null value'
    ] = None
    write_default: Annotated[
        Maybe[Text], "what writers put where nothing is given, a JSON text"
    ] = None
    generated: Annotated[Maybe[Text], "the expression that computes it from other columns"] = None
    aliases: Annotated[tuple[str, ...], Unordered(), "other names that readers accept for it"] = ()
    properties: Annotated[Mapping[str, Json], "what else the source says of it, by name"] = field(
        default_factory=dict
    )


@value_class
class Definition(DataType):
    """A named type that `REF` refers to, so that a type can contain itself."""

    name: Annotated[Text, "the name that `ref` gives"]
