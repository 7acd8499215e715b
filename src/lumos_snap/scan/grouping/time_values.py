"""The time of a partition, read from all its columns: it tells which files hold the newest data."""

import re
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import TypeAlias

from lumos_snap.scan.grouping.dates import UNIT_RANGES, UNITS, parse_date_format
from lumos_snap.scan.grouping.folders import PART_KEYS, PartitionValue

TimeValue: TypeAlias = tuple[int, ...]
"""Year, month, day, hour and so on, as far as the path says them; empty without a year."""

_SHORT_NUMBER = re.compile(r"[0-9]{1,2}")
_BETWEEN = ("", "-", "-", "T", ":", ":")


def read_time(partitions: Sequence[PartitionValue]) -> TimeValue:
    """Read the time from the partitions of one file.

    Of several dates, the finest counts, or the outermost of these; parts of a date in other
    columns, such as `hour=07`, complete it.
    """
    numbers: dict[str, int] = {}
    for read in sorted(map(_read_units, partitions), key=len, reverse=True):
        if numbers.keys().isdisjoint(read):
            numbers.update(read)
    found = []
    for unit in UNITS[: len(_BETWEEN)]:  # without fractions of a second
        if unit not in numbers:
            break
        found.append(numbers[unit])
    return tuple(found)


def _read_units(one: PartitionValue) -> Mapping[str, int]:
    if one.format is not None:
        form = parse_date_format(one.format)
        units = sorted(form.units, key=UNITS.index)
        return dict(zip(units, form.read(one.value) or (), strict=False))
    unit = PART_KEYS.get(one.name.lower())  # a month or a day without a leading zero
    if unit in (None, "year") or not _SHORT_NUMBER.fullmatch(one.value):
        return {}
    number = int(one.value)
    return {unit: number} if unit and number in UNIT_RANGES[unit] else {}


def format_time(time: TimeValue) -> str:
    """Format a time as in ISO 8601: `2026-01`, `2026-01-02` or `2026-01-02T07`."""
    return "".join(
        f"{between}{number:0{2 if at else 4}}"
        for at, (between, number) in enumerate(zip(_BETWEEN, time, strict=False))
    )


def take_newest(times: Iterable[TimeValue], count: int) -> tuple[TimeValue, ...]:
    """Return the newest different times, at most `count`, the newest first."""
    return tuple(nlargest(count, {time for time in times if time}))
