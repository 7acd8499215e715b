"""The type of a partition column, from the values that paths have of it."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from lumos_snap.model.type_kinds import Kind
from lumos_snap.scan.grouping.dates import writing
from lumos_snap.scan.grouping.segments import PART_KEYS

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_SHORT_NUMBER = re.compile(r"[0-9]{1,2}")
_DIGITS_ONLY = frozenset("yM")
_BITS = ((Kind.INT32, 31), (Kind.INT64, 63))

Order = Callable[[str], tuple[int, ...] | None]


@dataclass(frozen=True, slots=True)
class Typed:
    """What the values of a column are."""

    kind: Kind
    format: str | None = None
    order: Order | None = None  # of dates, times and integers only
    note: str | None = None


def type_of(name: str, values: Collection[str], formats: Collection[str]) -> Typed:
    """The type of a column by all its values, and by the formats that single ones were read in."""
    if not values:
        return Typed(Kind.STRING)
    for form in sorted(formats):
        read = writing(form).read
        if all(read(value) for value in values):
            return Typed(_kind_of(form), form, read)
    if _is_part(name, values):
        return Typed(Kind.INT32, order=_number)
    if len(formats) > 1:
        return Typed(Kind.STRING, note=f"written in several ways: {', '.join(sorted(formats))}")
    return _integers(values) or Typed(Kind.STRING)


def _kind_of(form: str) -> Kind:
    units = writing(form).units
    if len(units) == 1:
        return Kind.INT32
    if "hour" in units:
        return Kind.TIMESTAMP
    if "day" in units:
        return Kind.DATE
    # A month is no date: it stays as it is written.
    return Kind.INT32 if set(form) <= _DIGITS_ONLY else Kind.STRING


def _is_part(name: str, values: Collection[str]) -> bool:
    """Whether a column is a part of a date, though its values are not all of one width."""
    unit = PART_KEYS.get(name.lower())
    if unit in (None, "year"):
        return False
    least, most = _RANGES[unit or ""]
    return all(_SHORT_NUMBER.fullmatch(v) and least <= int(v) <= most for v in values)


_RANGES = {"month": (1, 12), "day": (1, 31), "hour": (0, 23), "minute": (0, 59)}


def _integers(values: Collection[str]) -> Typed | None:
    if not all(_INTEGER.fullmatch(value) for value in values):
        return None
    numbers = [int(value) for value in values]
    least, most = min(numbers), max(numbers)
    kind = next((k for k, bits in _BITS if -(1 << bits) <= least and most < 1 << bits), None)
    return Typed(kind, order=_number) if kind else None


def _number(value: str) -> tuple[int, ...]:
    return (int(value),)
