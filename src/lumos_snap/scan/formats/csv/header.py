"""The header of a table: which line has the names of columns, and which lines are no data."""

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from lumos_snap.scan.formats.csv.dialect import Rows
from lumos_snap.scan.formats.csv.value_kinds import (
    BIG,
    BLANK,
    FLOAT,
    INT,
    MISSING,
    NAN,
    TEXT,
    kind_of,
    kinds_of,
)

LONGEST_NAME = 64
"""A first row with longer values is not a header, unless there is other evidence."""
MUCH_LONGER = 2

# Addresses, links, dates, phone numbers: a data row must not become column names.
_VALUE = re.compile(r"\S+@\S+\.\S+|\w+://|.*[0-9]{5}|.*[0-9][./-][0-9]+[./-][0-9]", re.DOTALL)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_UNTYPED = frozenset((TEXT, BLANK, MISSING))
_NUMBERS = frozenset((INT, BIG, FLOAT, NAN))


class CsvColumn(NamedTuple):
    """The values below one cell of the first row."""

    kinds: tuple[str, ...]
    values: frozenset[str]


class HeaderVerdict(NamedTuple):
    """Whether there is a header, and whether the values below it prove it."""

    is_header: bool
    is_sure: bool


def judge_header(first: Sequence[str], columns: Sequence[CsvColumn]) -> HeaderVerdict:
    """Let columns vote: text above numbers is for a header, a value like those below against.

    If no column can tell, plausible names are a header, as nearly all files have one.
    """
    tops = [kind_of(cell) for cell in first]
    numbers = [cell for cell, top in zip(first, tops, strict=True) if top not in _UNTYPED]
    years = bool(numbers) and all(map(_YEAR.fullmatch, numbers)) and _are_distinct(numbers)
    votes = [
        0 if years and top not in _UNTYPED else _vote(cell, top, column)
        for cell, top, column in zip(first, tops, columns, strict=False)
    ]
    if sum(votes):
        # One word that occurs again may be a name that is a value as well.
        is_one_word = sum(votes) == -1 and tops[votes.index(-1)] in _UNTYPED
        return HeaderVerdict(sum(votes) > 0, is_sure=not is_one_word)
    may_be = _may_be_names(first, tops, years=years) and _are_short_or_above_shorter(first, columns)
    return HeaderVerdict(may_be, is_sure=False)


def _vote(cell: str, top: str, column: CsvColumn) -> int:
    if top == BLANK or not column.kinds:
        return 0
    below = set(column.kinds)
    if top in _UNTYPED:
        if below.isdisjoint(_UNTYPED):
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
        and (years or all(top in _UNTYPED for top in tops))
    )


def _are_short_or_above_shorter(first: Sequence[str], columns: Sequence[CsvColumn]) -> bool:
    """Whether long cells, such as the questions of a survey, stand above far shorter values."""
    return all(
        len(cell) <= LONGEST_NAME or _is_above_shorter(cell, column)
        for cell, column in zip(first, columns, strict=False)
    )


def _is_above_shorter(cell: str, column: CsvColumn) -> bool:
    return len(cell) > MUCH_LONGER * max(map(len, column.values), default=len(cell))


def _are_distinct(cells: Sequence[str]) -> bool:
    return len(set(cells)) == len(cells)


def columns_of(
    rows: Sequence[Sequence[str]], width: int, kind: Callable[[str], str] = kind_of
) -> list[CsvColumn]:
    """Collect the values of each column; short rows lack the last ones."""
    if all(len(row) == width for row in rows):
        values = [frozenset(column) for column in zip(*rows, strict=True)]
    else:
        values = [frozenset(row[i] for row in rows if len(row) > i) for i in range(width)]
    values += [frozenset[str]()] * (width - len(values))
    return [CsvColumn(kinds_of(one, kind), one) for one in values]


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


SECOND_HEADINGS = "second-headings"
THIRD_HEADINGS = "third-headings"
HEADINGS_ABOVE = "headings-above"
MOST_HEADINGS = 3
HEADED_ROWS = 100
"""Number of rows that show what the values below headings are."""
LEAST_ROWS = 2
LONG_HEADING = 16
LEAST_FILLED = 2
"""Minimum number of columns that only the second line names, or of numbers below its texts."""
SURE_COLUMNS, SURE_BELOW = 3, 5
"""Minimum numbers of columns and rows that show long cells to be headings, and not by chance."""

# A value that is not known, in a column of numbers: the row is data.
_PLACEHOLDER = re.compile(
    r"\W*|n\W?a\W*|unknown|none|missing|null|tbd|tba|error|empty|not available|no data",
    re.IGNORECASE,
)
_IMPORT_ID = '{"ImportId"'  # in the third line of surveys by Qualtrics


class Headings(NamedTuple):
    """The names that several lines of headings give, how many lines these are, and a flag."""

    names: list[str]
    lines: int
    flag: str


def find_headings(rows: Rows, width: int) -> Headings | None:
    """Find headings of more than one line, as surveys and reports have them."""
    for lines in range(min(MOST_HEADINGS, len(rows) - LEAST_ROWS), 1, -1):
        first, *others = rows[:lines]
        if not all(map(_has_only_texts, [_without_years(first), *others])):
            continue
        below = rows[lines : lines + HEADED_ROWS]
        columns = columns_of(below, max(width, *map(len, rows[:lines])))
        if all(_is_heading(row, first, columns, len(below)) for row in others):
            return _join_headings(first, others)
    return None


def _without_years(first: Sequence[str]) -> list[str]:
    """Return a line with names in place of years, which stand above groups of columns."""
    return ["year" if _YEAR.fullmatch(cell) else cell for cell in first]


def _has_only_texts(row: Sequence[str]) -> bool:
    """Whether a row has texts and nothing else, which few rows of data have."""
    kinds = set(map(kind_of, row))
    return TEXT in kinds and kinds <= {TEXT, BLANK}


def _is_heading(
    row: Sequence[str], first: Sequence[str], columns: Sequence[CsvColumn], rows_below: int
) -> bool:
    """Whether a row is unlike the values below it, and not because a value is unknown."""
    filled = _count_filled(first, row)
    if filled >= LEAST_FILLED and _leaves_numbers_blank(row, columns):
        return True
    cells = [(cell, one) for cell, one in zip(row, columns, strict=False) if cell.strip()]
    if any(cell in column.values or _PLACEHOLDER.fullmatch(cell) for cell, column in cells):
        return False
    if all(cell.startswith(_IMPORT_ID) for cell, _ in cells):
        return True
    votes = sum(_is_typed(column) for _, column in cells)
    if filled:
        # Rows without a header have blanks as well: here all numbers must have a name.
        proof = max(filled, votes) >= LEAST_FILLED
        return proof and 0 < votes == sum(map(_is_typed, columns))
    return votes > 1 or _are_questions(cells, rows_below)


def _is_typed(column: CsvColumn) -> bool:
    return bool(column.kinds) and _UNTYPED.isdisjoint(column.kinds)


def _count_filled(first: Sequence[str], row: Sequence[str]) -> int:
    """Count the cells of a row that name a column where the first line does not, or not only it."""
    return sum(
        bool(cell.strip()) and (i >= len(first) or not first[i].strip() or first[i] in first[:i])
        for i, cell in enumerate(row)
    )


def _leaves_numbers_blank(row: Sequence[str], columns: Sequence[CsvColumn]) -> bool:
    """Whether a row lacks just what all rows below have, as under headings that span lines."""
    typed = [
        (cell, one) for cell, one in zip(row, columns, strict=False) if _is_typed(one)
    ]  # numbers, dates and the like
    return bool(typed) and not any(cell.strip() or "" in column.values for cell, column in typed)


def _are_questions(cells: Sequence[tuple[str, CsvColumn]], rows_below: int) -> bool:
    """Whether every cell is long above far shorter values, or asks, or stands above numbers."""
    asks = sum(cell.rstrip().endswith("?") for cell, _ in cells)
    many = len(cells) >= SURE_COLUMNS and rows_below >= SURE_BELOW
    return (asks * 2 >= len(cells) > 1 or many) and all(
        cell.rstrip().endswith("?")
        or _is_typed(column)
        or (len(cell) >= LONG_HEADING and _is_above_shorter(cell, column))
        for cell, column in cells
    )


def _join_headings(first: Sequence[str], others: Sequence[Sequence[str]]) -> Headings:
    """Take names from the line that names more columns, and what it lacks from the other."""
    second, lines = others[0], 1 + len(others)
    if _count_filled(first, second):
        return Headings(_fill_blanks(second, first), lines, HEADINGS_ABOVE)
    flag = THIRD_HEADINGS if lines == MOST_HEADINGS else SECOND_HEADINGS
    return Headings(_fill_blanks(first, second), lines, flag)


def _fill_blanks(names: Sequence[str], others: Sequence[str]) -> list[str]:
    both = zip_longest(names, others, fillvalue="")
    return [name if name.strip() else other for name, other in both]
