"""Spark's simple types, as Delta writes them."""

import re
from collections.abc import Mapping
from typing import Any

from lumos_snap.model.types import Kind, Unit

Parameters = Mapping[str, Any]

_SCALARS: Mapping[str, Parameters] = {
    "boolean": {"type": Kind.BOOLEAN},
    "byte": {"type": Kind.INT8},
    "short": {"type": Kind.INT16},
    "integer": {"type": Kind.INT32},
    "long": {"type": Kind.INT64},
    "float": {"type": Kind.FLOAT32},
    "double": {"type": Kind.FLOAT64},
    "string": {"type": Kind.STRING},
    "binary": {"type": Kind.BINARY},
    "date": {"type": Kind.DATE},
    "timestamp": {"type": Kind.TIMESTAMP, "unit": Unit.MICROSECOND, "timezone": "UTC"},
    "timestamp_ntz": {"type": Kind.TIMESTAMP, "unit": Unit.MICROSECOND},
    "variant": {"type": Kind.VARIANT},
    "void": {"type": Kind.NULL},
}
_DECIMAL = re.compile(r"decimal\(\s*([0-9]{1,4})\s*,\s*(-?[0-9]{1,4})\s*\)")
_BOUNDED = re.compile(r"(char|varchar)\(([0-9]{1,9})\)")
_TEXTS = {"char": Kind.CHAR, "varchar": Kind.VARCHAR}
_INTERVAL = re.compile("interval (year|month|day|hour|minute|second)( to [a-z]+)?")
_CALENDAR = frozenset(("year", "month"))
_WIDEST = frozenset(("interval year to month", "interval day to second"))
_MOST_DIGITS = 1000


def scalar(name: str) -> Parameters:
    """A simple type; one that is not known keeps its name."""
    if name in _SCALARS:
        return _SCALARS[name]
    decimal = _DECIMAL.fullmatch(name)
    if decimal and 0 < int(decimal[1]) <= _MOST_DIGITS and abs(int(decimal[2])) <= _MOST_DIGITS:
        return {"type": Kind.DECIMAL, "precision": int(decimal[1]), "scale": int(decimal[2])}
    text = _BOUNDED.fullmatch(name)
    if text:
        return {"type": _TEXTS[text[1]], "length": int(text[2])}
    interval = _INTERVAL.fullmatch(name)
    if interval:
        unit = Unit.YEAR_MONTH if interval[1] in _CALENDAR else Unit.DAY_TIME
        native = {} if name in _WIDEST else {"native": name}
        return {"type": Kind.INTERVAL, "unit": unit, **native}
    return {"type": Kind.UNKNOWN, "native": name}


def bounded(made: Parameters, declared: Any, collation: str | None) -> Parameters:
    """A text, with the length that it was declared with and the rules that it is sorted by."""
    if made["type"] is not Kind.STRING:
        return made
    text = _BOUNDED.fullmatch(declared) if isinstance(declared, str) else None
    held = scalar(declared) if text else made
    return {**held, "collation": collation} if collation else held
