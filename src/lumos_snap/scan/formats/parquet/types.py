"""Parquet's scalar types as portable types, by physical type and annotation.

An annotation that does not match the physical type is ignored: readers fall back to the physical
type, and so does the schema.
"""

from collections.abc import Callable, Mapping
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.model.types import Kind, Unit

Parameters = JsonObject
Stored = JsonObject
"""A schema element of a footer."""

INT32, INT64, INT96, BYTES, FIXED = 1, 2, 3, 6, 7
LIST, MAP, VARIANT, INTERVAL, NULL = 3, 2, 16, 9, 11
_NAMES = (
    "BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY",
)  # fmt: skip
_PHYSICAL: Mapping[int, Parameters] = {
    0: {"type": Kind.BOOLEAN},
    INT32: {"type": Kind.INT32},
    INT64: {"type": Kind.INT64},
    INT96: {"type": Kind.TIMESTAMP, "unit": Unit.NANOSECOND, "physical": "INT96"},
    4: {"type": Kind.FLOAT32},
    5: {"type": Kind.FLOAT64},
    BYTES: {"type": Kind.BINARY},
}
_UNITS = {"1": Unit.MILLISECOND, "2": Unit.MICROSECOND, "3": Unit.NANOSECOND}
_MILLIS: Parameters = {"1": {}}
_MICROS: Parameters = {"2": {}}
_CONVERTED: Mapping[int, tuple[int, Parameters]] = {
    0: (1, {}),
    1: (MAP, {}),
    2: (MAP, {}),
    3: (LIST, {}),
    4: (4, {}),
    6: (6, {}),
    7: (7, {"1": True, "2": _MILLIS}),
    8: (7, {"1": True, "2": _MICROS}),
    9: (8, {"1": True, "2": _MILLIS}),
    10: (8, {"1": True, "2": _MICROS}),
    **{11 + i: (10, {"1": 8 << i, "2": False}) for i in range(4)},
    **{15 + i: (10, {"1": 8 << i, "2": True}) for i in range(4)},
    19: (12, {}),
    20: (13, {}),
    21: (INTERVAL, {}),
}
_DECIMAL = 5
_ALGORITHMS = ("spherical", "vincenty", "thomas", "andoyer", "karney")
_LONGEST = 200


def annotation(one: Stored) -> tuple[int, Parameters] | None:
    """Return the annotation of a column or group, by its number among the logical types."""
    converted = one.get("converted", -1)
    older = _CONVERTED.get(converted)
    if converted == _DECIMAL:
        older = _DECIMAL, {"1": one.get("scale", 0), "2": one.get("precision", 0)}
    for number, said in one.get("logical", {}).items():
        if older is None or int(number) in _ANNOTATED or int(number) in (LIST, MAP, VARIANT):
            return int(number), said if isinstance(said, dict) else {}
    return older


def scalar_type(one: Stored) -> tuple[Parameters, str]:
    """Convert the type of a column; return it with a note if its annotation is irregular."""
    annotated = annotation(one)
    if annotated is None:
        return physical_type(one), ""
    number, said = annotated
    read = _ANNOTATED.get(number)
    if read is not None:
        made = read(said, one)
        return (made, "") if made else (physical_type(one), "an annotation that does not fit it")
    if number in (LIST, MAP, VARIANT):
        return physical_type(one), "the annotation of a group"
    native = f"logical type {number} ({_physical_name(one)})"
    return {"type": Kind.UNKNOWN, "native": native}, "an annotation that is not known yet"


def physical_type(one: Stored) -> Parameters:
    """Convert the physical type of a column."""
    number, length = one["type"], one.get("length", -1)
    if number == FIXED and length >= 0:
        return {"type": Kind.FIXED, "length": length}
    return dict(_PHYSICAL.get(number, {"type": Kind.UNKNOWN, "native": _physical_name(one)}))


def _physical_name(one: Stored) -> str:
    number, length = one["type"], one.get("length", -1)
    name = _NAMES[number] if 0 <= number < len(_NAMES) else f"physical type {number}"
    return f"{name}({length})" if number == FIXED and length >= 0 else name


def _number(said: Parameters, name: str, otherwise: int = 0) -> int:
    number = said.get(name)
    return number if isinstance(number, int) else otherwise


def _is_fixed(one: Stored, length: int) -> bool:
    return bool(one["type"] == FIXED and one.get("length") == length)


def _read_bytes(**made: Any) -> Callable[[Parameters, Stored], Parameters | None]:
    return lambda _said, one: dict(made) if one["type"] == BYTES else None


def _read_fixed(length: int, kind: Kind) -> Callable[[Parameters, Stored], Parameters | None]:
    return lambda _said, one: {"type": kind} if _is_fixed(one, length) else None


def _date(_said: Parameters, one: Stored) -> Parameters | None:
    return {"type": Kind.DATE} if one["type"] == INT32 else None


def _decimal(said: Parameters, one: Stored) -> Parameters | None:
    precision, scale = _number(said, "2"), _number(said, "1")
    if 0 <= scale <= precision and 0 < precision <= _most_digits(one):
        return {"type": Kind.DECIMAL, "precision": precision, "scale": scale}
    return None


def _most_digits(one: Stored) -> int:
    """Return how many digits always fit into the physical type."""
    number = one["type"]
    if number == FIXED:
        bits = 8 * min(one.get("length", 0), 500) - 1
        return min(len(str(2**bits)) - 1, 1000) if bits > 0 else 0
    return {INT32: 9, INT64: 18, BYTES: 1000}.get(number, 0)


def _unit(said: Parameters) -> Unit | None:
    unit = said.get("2")
    return next((_UNITS[n] for n in unit if n in _UNITS), None) if isinstance(unit, dict) else None


def _clock(kind: Kind, said: Parameters) -> Parameters:
    zone = {"timezone": "UTC"} if said.get("1") is True else {}
    return {"type": kind, "unit": _unit(said), **zone}


def _time(said: Parameters, one: Stored) -> Parameters | None:
    unit = _unit(said)
    held = INT32 if unit is Unit.MILLISECOND else INT64
    return _clock(Kind.TIME, said) if unit and one["type"] == held else None


def _timestamp(said: Parameters, one: Stored) -> Parameters | None:
    return _clock(Kind.TIMESTAMP, said) if _unit(said) and one["type"] == INT64 else None


def _integer(said: Parameters, one: Stored) -> Parameters | None:
    bits = said.get("1")
    if bits not in (8, 16, 32, 64) or one["type"] != (INT64 if bits == 64 else INT32):  # noqa: PLR2004
        return None
    return {"type": Kind(f"INT{bits}" if said.get("2") is True else f"UINT{bits}")}


def _shape(name: str) -> Callable[[Parameters, Stored], Parameters | None]:
    def read(said: Parameters, one: Stored) -> Parameters | None:
        if one["type"] != BYTES:
            return None
        algorithm = _number(said, "2", -1)
        crs = said.get("1")
        sizes = [crs[:_LONGEST]] if isinstance(crs, str) and crs else []
        if 0 <= algorithm < len(_ALGORITHMS):
            sizes.append(_ALGORITHMS[algorithm])
        native = f"{name}({', '.join(sizes)})" if sizes else name
        return {"type": Kind.UNKNOWN, "native": native}

    return read


_ANNOTATED: Mapping[int, Callable[[Parameters, Stored], Parameters | None]] = {
    1: _read_bytes(type=Kind.STRING),
    4: _read_bytes(type=Kind.ENUM),
    _DECIMAL: _decimal,
    6: _date,
    7: _time,
    8: _timestamp,
    INTERVAL: _read_fixed(12, Kind.INTERVAL),
    10: _integer,
    NULL: lambda _said, _one: {"type": Kind.NULL},
    12: _read_bytes(type=Kind.JSON),
    13: _read_bytes(type=Kind.BINARY, native="BSON"),
    14: _read_fixed(16, Kind.UUID),
    15: _read_fixed(2, Kind.FLOAT16),
    17: _shape("geometry"),
    18: _shape("geography"),
}
