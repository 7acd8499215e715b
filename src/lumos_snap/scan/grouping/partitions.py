"""The partition columns of a dataset, gathered over its files in any order and in any parts."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lumos_snap.model.observation import PartitionRange
from lumos_snap.model.snapshot import Partition
from lumos_snap.scan.grouping.partition_types import Typed, type_of
from lumos_snap.scan.grouping.pieces import PartitionValue


@dataclass(slots=True)
class Column:
    """All that paths say of one partition column; sets, so that order and repeats do not matter."""

    values: set[str] = field(default_factory=set)
    formats: set[str] = field(default_factory=set)
    styles: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Partitions:
    """An aggregate: adding and merging commute, and doing either twice changes nothing."""

    columns: dict[str, Column] = field(default_factory=dict)
    orders: set[tuple[str, ...]] = field(default_factory=set)
    _types: tuple[tuple[str, Typed], ...] | None = field(default=None, compare=False)
    """What the columns are, once that was asked for."""

    def add(self, partitions: Sequence[PartitionValue]) -> None:
        """Take in the partitions of one file."""
        self._types = None
        self.orders.add(tuple(partition.name for partition in partitions))
        for partition in partitions:
            column = self.columns.setdefault(partition.name, Column())
            column.styles.add(partition.style)
            if partition.kind != "null":
                column.values.add(sys.intern(partition.value))  # many datasets have the same
            if partition.format is not None:
                column.formats.add(partition.format)

    def merge(self, other: "Partitions") -> None:
        """Take in what another aggregate of the same dataset has gathered."""
        self._types = None
        self.orders |= other.orders
        for name, theirs in other.columns.items():
            column = self.columns.setdefault(name, Column())
            column.values |= theirs.values
            column.formats |= theirs.formats
            column.styles |= theirs.styles

    def partitioning(self) -> tuple[Partition, ...]:
        """The columns with their types, outermost first."""
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
        """How far each column reaches; only dates, times and integers have a first and a last."""
        return tuple(_range(name, self.columns[name], typed) for name, typed in self._typed())

    def notes(self) -> tuple[str, ...]:
        """What is odd about columns, a line each."""
        return tuple(f"{name}: {typed.note}" for name, typed in self._typed() if typed.note)

    def _typed(self) -> tuple[tuple[str, Typed], ...]:
        if self._types is None:
            named = ((name, self.columns[name]) for name in _outermost_first(self.orders))
            self._types = tuple(
                (name, type_of(name, column.values, column.formats)) for name, column in named
            )
        return self._types


def _style(column: Column) -> Literal["hive", "path"] | None:
    """How a column stands in folders; nothing where files differ, or where it stands in names."""
    if column.styles == {"hive"}:
        return "hive"
    return "path" if column.styles == {"path"} else None


def _range(name: str, column: Column, typed: Typed) -> PartitionRange:
    order = typed.order
    if order is None:
        return PartitionRange(name=name, count=len(column.values))
    values = sorted(column.values, key=lambda value: (order(value) or (), value))
    return PartitionRange(name=name, first=values[0], last=values[-1], count=len(values))


def _outermost_first(orders: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The columns in an order that agrees with all files, or with as many as agree.

    Columns of which no file says which is outer go by how deep they may stand, then by name.
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
