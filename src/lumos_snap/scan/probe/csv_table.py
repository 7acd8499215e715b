"""A table: rows, the names of its columns, and the kinds of their values."""

from typing import NamedTuple

from lumos_snap.scan.probe import csv_header, csv_kinds
from lumos_snap.scan.probe.csv_dialect import Rows
from lumos_snap.scan.probe.csv_header import Column, Verdict


class Table(NamedTuple):
    """The rows below the header, or all, and the columns."""

    names: list[str]
    rows: Rows
    kinds: list[tuple[str, ...]]
    verdict: Verdict


def table_of(rows: Rows, width: int) -> Table:
    """Decide on the header, then on the columns."""
    first, below = rows[0], rows[1:]
    columns = csv_header.columns_of(below, max(width, len(first)))
    verdict = csv_header.judged(first, columns)
    if not verdict.is_header:
        every = csv_header.columns_of(rows, max(width, len(first)))
        return Table(_named([""] * len(every)), rows, [one.kinds for one in every], verdict)
    names = _aligned(first, below, columns)
    return Table(_named(names), below, [one.kinds for one in columns[: len(names)]], verdict)


def _aligned(first: list[str], below: Rows, columns: list[Column]) -> list[str]:
    """A name for each column: a header may be shorter than its rows."""
    over = columns[len(first) :]
    used = [i for i, one in enumerate(over, start=1) if one.kinds not in ((), (csv_kinds.BLANK,))]
    if not used:  # each row ends with a delimiter
        return first
    if len(over) == 1 and all(len(row) == len(columns) for row in below):
        return ["", *first]  # R writes no name above the names of rows
    return [*first, *[""] * used[-1]]


def _named(names: list[str]) -> list[str]:
    """A column without a name gets the one that Spark would give it."""
    return [name if name.strip() else f"_c{index}" for index, name in enumerate(names)]


def raggedness(table: Table) -> dict[str, bool]:
    """Whether rows are shorter than the table, or say more than it has columns for."""
    width = len(table.names)
    short = any(len(row) < width for row in table.rows)
    long = any(any(map(str.strip, row[width:])) for row in table.rows if len(row) > width)
    return {"short-rows": short, "long-rows": long}
