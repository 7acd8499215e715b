"""Which values a type can hold: written from what types are, not from what profiles say."""

import struct
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from tests.engines.values import DAY, Value

_STEP = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}
_FORMS = {"FLOAT16": "e", "FLOAT32": "f", "FLOAT64": "d"}

Type = Mapping[str, Any]


def can_hold(given: Type, one: Value) -> bool:
    """Whether the type has exactly this value."""
    if one.family == "null" or given["type"] in ("UNION", "VARIANT"):
        return True
    holds = _HOLDS.get((_family(given), one.family))
    return holds is not None and holds(given, one.key)


def _family(given: Type) -> str:
    kind: str = given["type"]
    return kind.rstrip("0123456789")


def _integer(given: Type, raw: Fraction) -> bool:
    bits = int(given["type"].lstrip("UINT"))
    low, high = (0, 2**bits) if given["type"][0] == "U" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    return bool(raw.denominator == 1 and low <= raw < high)


def _float(given: Type, raw: Fraction) -> bool:
    form = _FORMS[given["type"]]
    try:
        back = struct.unpack(form, struct.pack(form, float(raw)))[0]
    except OverflowError:
        return False
    return bool(Fraction(back) == raw)


def _decimal(given: Type, raw: Fraction) -> bool:
    unscaled = raw * 10 ** given["scale"]
    return bool(unscaled.denominator == 1 and abs(unscaled) < 10 ** given["precision"])


def _text(given: Type, raw: bytes) -> bool:
    try:
        return len(raw.decode()) <= int(given.get("length", len(raw)))
    except UnicodeDecodeError:
        return False


def _bytes(given: Type, raw: bytes) -> bool:
    return len(raw) <= int(given.get("length", len(raw)))


def _clock(given: Type, raw: int) -> bool:
    count, rest = divmod(raw, _STEP[given["unit"]])
    return rest == 0 and -(2**63) <= count < 2**63


def _local(given: Type, raw: int) -> bool:
    return "timezone" not in given and _clock(given, raw)


def _instant(given: Type, raw: int) -> bool:
    return "timezone" in given and _clock(given, raw)


def _span(given: Type, raw: int) -> bool:
    return given["unit"] == "day-time" or (given["unit"] in _STEP and _clock(given, raw))


_HOLDS: Mapping[tuple[str, str], Callable[[Type, Any], bool]] = {
    ("BOOLEAN", "truth"): lambda _given, _raw: True,
    ("INT", "number"): _integer,
    ("UINT", "number"): _integer,
    ("FLOAT", "number"): _float,
    ("DECIMAL", "number"): _decimal,
    ("STRING", "octets"): _text,
    ("CHAR", "octets"): _text,
    ("VARCHAR", "octets"): _text,
    ("ENUM", "octets"): _text,
    ("JSON", "octets"): _text,
    ("BINARY", "octets"): _bytes,
    ("FIXED", "octets"): _bytes,
    ("UUID", "octets"): _bytes,
    ("DATE", "local"): lambda _, raw: raw % DAY == 0,
    ("TIME", "time"): _clock,
    ("TIMESTAMP", "local"): _local,
    ("TIMESTAMP", "instant"): _instant,
    ("INTERVAL", "span"): _span,
    ("INTERVAL", "months"): lambda given, _: given["unit"] == "year-month",
    ("ARRAY", "list"): lambda _given, _raw: True,
    ("STRUCT", "list"): lambda _given, _raw: True,
    ("MAP", "map"): lambda _given, _raw: True,
}
