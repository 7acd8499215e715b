"""Values as they are compared: what kind of thing a value is, which one, and how it is printed."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the local time that others are counted from
DAY = 86_400 * 10**9
SHORT = 40  # characters of a printed value that help a reader


@dataclass(frozen=True, slots=True)
class Value:
    """Two values are the same if family and key are: 1 is 1.0, but neither is '1'."""

    family: str
    key: object
    text: str = field(compare=False)


NULL = Value("null", None, "NULL")


def instant(nanoseconds: int) -> Value:
    """A point in time, in nanoseconds since 1970 in UTC."""
    return Value("instant", nanoseconds, f"{_clock(nanoseconds)}Z")


def local(nanoseconds: int) -> Value:
    """What a clock on a wall shows: a date and a time that are in no zone."""
    return Value("local", nanoseconds, _clock(nanoseconds))


def day(number: int) -> Value:
    """A date, by the days since 1970: the same as its midnight on a wall."""
    try:
        written = (EPOCH.date() + timedelta(number)).isoformat()
    except OverflowError:
        written = f"{number} days after 1970-01-01"
    return Value("local", number * DAY, written)


def clock(nanoseconds: int) -> Value:
    """A time of day."""
    return Value("time", nanoseconds, _clock(nanoseconds)[11:])


def span(nanoseconds: int) -> Value:
    """An elapsed time."""
    return Value("span", nanoseconds, f"{Decimal(nanoseconds) / 10**9:f} s")


def months(count: int) -> Value:
    """An interval of whole months."""
    return Value("months", count, f"{count} months")


def value(raw: Any) -> Value:  # noqa: C901, PLR0911, PLR0912 - one case for each type of Python
    """What an engine returned, as it is compared."""
    match raw:
        case Value():
            return raw
        case None:
            return NULL
        case bool():
            return Value("truth", raw, str(raw).lower())
        case int():
            return Value("number", Fraction(raw), str(raw))
        case Decimal():
            return Value("number", Fraction(raw), f"{raw:f}" if raw else "0")
        case float():
            return _float(raw)
        case str():
            return Value("octets", raw.encode(), _short(repr(raw)))
        case bytes() | bytearray():
            return Value("octets", bytes(raw), _short(f"0x{bytes(raw).hex().upper()}"))
        case uuid.UUID():
            return value(raw.bytes)
        case datetime():
            since = raw.replace(tzinfo=None) - EPOCH
            return (local if raw.tzinfo is None else instant)(_nanoseconds(since))
        case date():
            return day((raw - EPOCH.date()).days)
        case time():
            since = datetime.combine(EPOCH, raw) - EPOCH
            return clock(_nanoseconds(since))
        case timedelta():
            return span(_nanoseconds(raw))
        case Mapping():
            return _nested("map", [item for pair in raw.items() for item in pair])
        case Sequence():
            return _nested("list", raw)
        case _:
            return Value("other", str(raw), _short(str(raw)))


def _float(raw: float) -> Value:
    if not isfinite(raw):
        return Value("number", str(raw), str(raw))
    return Value("number", Fraction(raw), repr(raw))


def _nested(family: str, items: Sequence[Any]) -> Value:
    inside = [value(item) for item in items]
    return Value(family, tuple(inside), f"[{', '.join(one.text for one in inside)}]")


def _nanoseconds(since: timedelta) -> int:
    return since // timedelta(microseconds=1) * 1000


def _clock(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    try:
        written = (EPOCH + timedelta(seconds=seconds)).isoformat(sep=" ")
    except OverflowError:
        return f"{seconds} s after 1970-01-01"
    return f"{written}.{rest:09d}".rstrip("0").rstrip(".")


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[:SHORT]}…"


def difference(stored: Sequence[Value], read: Sequence[Value]) -> str:
    """The first value that came back as another one, as in `2147483647 → -1`; or nothing."""
    for before, after in zip(stored, read, strict=True):
        if before != after:
            return f"{before.text} → {_told_apart(before, after)}"
    return ""


def _told_apart(before: Value, after: Value) -> str:
    """Two numbers may print alike and differ: then the second is written out."""
    if before.text != after.text:
        return after.text
    if after.family == "number" and isinstance(after.key, Fraction):
        return f"{Decimal(after.key.numerator) / Decimal(after.key.denominator):.24f}"
    return f"{after.text} ({after.family})"
