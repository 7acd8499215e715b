"""Avro's primitive and logical types as portable types.

A logical type that is unknown, or that its physical type cannot represent, is not applied, as the
specification requires of readers. Its name is kept as `native`.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from lumos_snap.model.types import Kind, Unit
from lumos_snap.scan.formats.orc.schema import CATALYST, apply_spark_type

Parameters = dict[str, Any]
Stored = Mapping[str, Any]

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


def _constant(**parameters: Any) -> Callable[[Stored], Parameters]:
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
