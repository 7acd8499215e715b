"""Types of partition columns, inferred from their values in paths."""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lumos_snap.model.observation import PartitionRange
from lumos_snap.model.snapshot import Partition
from lumos_snap.model.types import Kind
from lumos_snap.scan.grouping.dates import parse_date_format
from lumos_snap.scan.grouping.folders import PART_KEYS, PartitionValue

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_SHORT_NUMBER = re.compile(r"[0-9]{1,2}")
_DIGITS_ONLY = frozenset("yM")
_BITS = ((Kind.INT32, 31), (Kind.INT64, 63))

Order = Callable[[str], tuple[int, ...] | None]


@dataclass(frozen=True, slots=True)
class PartitionType:
    """The type of a column's values."""

    kind: Kind
    format: str | None = None
    order: Order | None = None  # only for dates, times and integers
    note: str | None = None


def infer_partition_type(
    name: str, values: Collection[str], formats: Collection[str]
) -> PartitionType:
    """Infer the type of a column from all of its values, and the formats found in single values."""
    if not values:
        return PartitionType(Kind.STRING)
    for form in sorted(formats):
        read = parse_date_format(form).read
        if all(read(value) for value in values):
            return PartitionType(_kind_of(form), form, read)
    if _is_part(name, values):
        return PartitionType(Kind.INT32, order=_parse_number)
    if len(formats) > 1:
        return PartitionType(
            Kind.STRING, note=f"written in several ways: {', '.join(sorted(formats))}"
        )
    return _integer_type(values) or PartitionType(Kind.STRING)


def _kind_of(form: str) -> Kind:
    units = parse_date_format(form).units
    if len(units) == 1:
        return Kind.INT32
    if "hour" in units:
        return Kind.TIMESTAMP
    if "day" in units:
        return Kind.DATE
    # A month is not a date: it stays as written.
    return Kind.INT32 if set(form) <= _DIGITS_ONLY else Kind.STRING


def _is_part(name: str, values: Collection[str]) -> bool:
    """Whether a column is a date part, although its values differ in width."""
    unit = PART_KEYS.get(name.lower())
    if unit in (None, "year"):
        return False
    least, most = _RANGES[unit or ""]
    return all(_SHORT_NUMBER.fullmatch(v) and least <= int(v) <= most for v in values)


_RANGES = {"month": (1, 12), "day": (1, 31), "hour": (0, 23), "minute": (0, 59)}


def _integer_type(values: Collection[str]) -> PartitionType | None:
    if not all(_INTEGER.fullmatch(value) for value in values):
        return None
    numbers = [int(value) for value in values]
    least, most = min(numbers), max(numbers)
    kind = next((k for k, bits in _BITS if -(1 << bits) <= least and most < 1 << bits), None)
    return PartitionType(kind, order=_parse_number) if kind else None


def _parse_number(value: str) -> tuple[int, ...]:
    return (int(value),)


@dataclass(slots=True)
class PartitionColumn:
    """The values of one partition column in paths; as sets, independent of order and repeats."""

    values: set[str] = field(default_factory=set)
    formats: set[str] = field(default_factory=set)
    styles: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Partitions:
    """An aggregate: adding and merging are commutative and idempotent."""

    columns: dict[str, PartitionColumn] = field(default_factory=dict)
    orders: set[tuple[str, ...]] = field(default_factory=set)
    _types: tuple[tuple[str, PartitionType], ...] | None = field(default=None, compare=False)
    """Cache of the inferred types."""

    def add(self, partitions: Sequence[PartitionValue]) -> None:
        """Add the partitions of one file."""
        self._types = None
        self.orders.add(tuple(partition.name for partition in partitions))
        for partition in partitions:
            column = self.columns.setdefault(partition.name, PartitionColumn())
            column.styles.add(partition.style)
            if partition.kind != "null":
                column.values.add(sys.intern(partition.value))  # many datasets have the same values
            if partition.format is not None:
                column.formats.add(partition.format)

    def merge(self, other: "Partitions") -> None:
        """Merge another aggregate of the same dataset."""
        self._types = None
        self.orders |= other.orders
        for name, theirs in other.columns.items():
            column = self.columns.setdefault(name, PartitionColumn())
            column.values |= theirs.values
            column.formats |= theirs.formats
            column.styles |= theirs.styles

    def partitioning(self) -> tuple[Partition, ...]:
        """Return the columns with their types, outermost first."""
        return tuple(
            Partition(
                name=name,
                type=typed.kind,
                format=typed.format,
                style=_style(self.columns[name]),
                inferred=True,
            )
            for name, typed in self._typed()
        )

    def ranges(self) -> tuple[PartitionRange, ...]:
        """Return the range of each column; only dates, times and integers have an order."""
        return tuple(_range(name, self.columns[name], typed) for name, typed in self._typed())

    def notes(self) -> tuple[str, ...]:
        """Return notes on irregular columns, a line each."""
        return tuple(f"{name}: {typed.note}" for name, typed in self._typed() if typed.note)

    def _typed(self) -> tuple[tuple[str, PartitionType], ...]:
        if self._types is None:
            named = ((name, self.columns[name]) for name in _outermost_first(self.orders))
            self._types = tuple(
                (name, infer_partition_type(name, column.values, column.formats))
                for name, column in named
            )
        return self._types


def _style(column: PartitionColumn) -> Literal["hive", "path"] | None:
    """Return the style of a column in folders; None if files differ, or it is in file names."""
    if column.styles == {"hive"}:
        return "hive"
    return "path" if column.styles == {"path"} else None


def _range(name: str, column: PartitionColumn, typed: PartitionType) -> PartitionRange:
    order = typed.order
    if order is None:
        return PartitionRange(name=name, count=len(column.values))
    values = sorted(column.values, key=lambda value: (order(value) or (), value))
    return PartitionRange(name=name, first=values[0], last=values[-1], count=len(values))


def _outermost_first(orders: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Order the columns so that all files agree, or as many as possible.

    Columns whose order no file determines are sorted by maximum depth, then by name.
    """
    above: dict[str, set[str]] = {}
    depth: dict[str, int] = {}
    for names in orders:
        for at, name in enumerate(names):
            above.setdefault(name, set()).update(names[:at])
            depth[name] = max(at, depth.get(name, 0))
    ordered: list[str] = []
    while len(ordered) < len(above):
        left = above.keys() - ordered
        free = [name for name in left if not (above[name] & left) - {name}]
        ordered.append(min(free or left, key=lambda name: (depth[name], name)))
    return tuple(ordered)
