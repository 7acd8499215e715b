"""The header of a table: which line has the names of columns, and which lines are no data."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from lumos_snap.scan.formats.csv.dialect import Rows
from lumos_snap.scan.formats.csv.headings import HEADINGS_ABOVE, find_headings
from lumos_snap.scan.formats.csv.value_kinds import (
    BIG,
    BLANK,
    FLOAT,
    INT,
    NAN,
    UNTYPED,
    YEAR,
    CsvColumn,
    columns_of,
    is_above_shorter,
    kind_of,
)

LONGEST_NAME = 64
"""A first row with longer values is not a header, unless there is other evidence."""

# Addresses, links, dates, phone numbers: a data row must not become column names.
_VALUE = re.compile(r"\S+@\S+\.\S+|\w+://|.*[0-9]{5}|.*[0-9][./-][0-9]+[./-][0-9]", re.DOTALL)
_NUMBERS = frozenset((INT, BIG, FLOAT, NAN))


class HeaderVerdict(NamedTuple):
    """Whether there is a header, and whether the values below it prove it."""

    is_header: bool
    is_sure: bool


def judge_header(first: Sequence[str], columns: Sequence[CsvColumn]) -> HeaderVerdict:
    """Let columns vote: text above numbers is for a header, a value like those below against.

    If no column can tell, plausible names are a header, as nearly all files have one.
    """
    tops = [kind_of(cell) for cell in first]
    numbers = [cell for cell, top in zip(first, tops, strict=True) if top not in UNTYPED]
    years = bool(numbers) and all(map(YEAR.fullmatch, numbers)) and _are_distinct(numbers)
    votes = [
        0 if years and top not in UNTYPED else _vote(cell, top, column)
        for cell, top, column in zip(first, tops, columns, strict=False)
    ]
    if sum(votes):
        # One word that occurs again may be a name that is a value as well.
        is_one_word = sum(votes) == -1 and tops[votes.index(-1)] in UNTYPED
        return HeaderVerdict(sum(votes) > 0, is_sure=not is_one_word)
    may_be = _may_be_names(first, tops, years=years) and _are_short_or_above_shorter(first, columns)
    return HeaderVerdict(may_be, is_sure=False)


def _vote(cell: str, top: str, column: CsvColumn) -> int:
    if top == BLANK or not column.kinds:
        return 0
    below = set(column.kinds)
    if top in UNTYPED:
        if below.isdisjoint(UNTYPED):
            return 1
        return -1 if cell in column.values else 0
    return -1 if top in below or (top in _NUMBERS and below & _NUMBERS) else 0


def _may_be_names(first: Sequence[str], tops: Sequence[str], *, years: bool) -> bool:
    named = [cell for cell in first if cell.strip()]
    return (
        bool(named)
        and len(named) >= len(first) - 1
        and _are_distinct(named)
        and not any(map(_VALUE.match, named))
        and (years or all(top in UNTYPED for top in tops))
    )


def _are_short_or_above_shorter(first: Sequence[str], columns: Sequence[CsvColumn]) -> bool:
    """Whether long cells, such as the questions of a survey, stand above far shorter values."""
    return all(
        len(cell) <= LONGEST_NAME or is_above_shorter(cell, column)
        for cell, column in zip(first, columns, strict=False)
    )


def _are_distinct(cells: Sequence[str]) -> bool:
    return len(set(cells)) == len(cells)


class CsvTable(NamedTuple):
    """The columns, and the rows without the header."""

    names: list[str]
    rows: Rows
    kinds: list[tuple[str, ...]]
    verdict: HeaderVerdict
    is_repeated: bool = False
    """Whether the header stood among the rows again, as where files were put together."""
    headings: str = ""
    """One of the flags above, if lines beside the header are headings too."""


def table_of(rows: Rows, width: int) -> CsvTable:
    """Detect the header, then the columns."""
    headings = find_headings(rows, width)
    if headings:
        is_proven = headings.flag == HEADINGS_ABOVE
        joined = _table([headings.names, *rows[headings.lines :]], width, is_header=is_proven)
        if joined.verdict.is_header:
            return joined._replace(headings=headings.flag)
    first, below = rows[0], rows[1:]
    if len(first) > 1 and first in below and _are_distinct(first):
        found = table_of([first, *(row for row in below if row != first)], width)
        return found._replace(is_repeated=True) if found.verdict.is_header else _table(rows, width)
    return _table(rows, width)


def _table(rows: Rows, width: int, *, is_header: bool = False) -> CsvTable:
    first, below = rows[0], rows[1:]
    columns = columns_of(below, max(width, len(first)))
    verdict = HeaderVerdict(is_header, is_sure=True)
    if not is_header:
        verdict = judge_header(first, columns)
    if not verdict.is_header:
        every = columns_of(rows, max(width, len(first)))
        return CsvTable(
            _name_columns([""] * len(every)), rows, [one.kinds for one in every], verdict
        )
    names = _align_names(first, below, columns)
    return CsvTable(
        _name_columns(names), below, [one.kinds for one in columns[: len(names)]], verdict
    )


def _align_names(first: list[str], below: Rows, columns: list[CsvColumn]) -> list[str]:
    """Return a name for each column: a header may be shorter than its rows."""
    over = columns[len(first) :]
    used = [i for i, one in enumerate(over, start=1) if one.kinds not in ((), (BLANK,))]
    if not used:  # each row ends with a delimiter
        return first
    if len(over) == 1 and all(len(row) == len(columns) for row in below):
        return ["", *first]  # R writes no header for row names
    return [*first, *[""] * used[-1]]


def _name_columns(names: list[str]) -> list[str]:
    """Name unnamed columns as Spark does."""
    return [name if name.strip() else f"_c{index}" for index, name in enumerate(names)]


def raggedness(table: CsvTable) -> dict[str, bool]:
    """Whether rows have fewer values than the table has columns, or more."""
    width = len(table.names)
    short = any(len(row) < width for row in table.rows)
    long = any(any(map(str.strip, row[width:])) for row in table.rows if len(row) > width)
    return {"short-rows": short, "long-rows": long}
