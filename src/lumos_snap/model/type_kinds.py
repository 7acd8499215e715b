"""The kinds of types and their parameters: one registry for code and published schemas."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar


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


def kind_rules() -> list[dict[str, Any]]:
    """The registry above as JSON Schema."""
    return [
        {"if": {"properties": {"type": {"const": kind.value}}}, "then": _rule(row)}
        for kind, row in PARAMETERS.items()
    ]


def _rule(row: Parameters) -> dict[str, Any]:
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
