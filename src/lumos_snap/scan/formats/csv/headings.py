"""Headings of more than one line: groups above names, and questions or units below them."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from lumos_snap.scan.formats.csv.dialect import Rows
from lumos_snap.scan.formats.csv.value_kinds import (
    BLANK,
    TEXT,
    UNTYPED,
    YEAR,
    CsvColumn,
    columns_of,
    is_above_shorter,
    kind_of,
)

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
    return ["year" if YEAR.fullmatch(cell) else cell for cell in first]


def _has_only_texts(row: Sequence[str]) -> bool:
    """Whether a row has texts and nothing else, which few rows of data have."""
    kinds = set(map(kind_of, row))
    return TEXT in kinds and kinds <= {TEXT, BLANK}


def _is_heading(
    row: Sequence[str], first: Sequence[str], columns: Sequence[CsvColumn], rows_below: int
) -> bool:
    """Whether a row is unlike the values below it, and not because a value is unknown."""
    cells = [(cell, one) for cell, one in zip(row, columns, strict=False) if cell.strip()]
    if any(_PLACEHOLDER.fullmatch(cell) for cell, _ in cells):
        return False
    votes = sum(_is_typed(column) for _, column in cells)
    filled = _count_filled(first, row)
    if filled:
        # Rows without a header have blanks as well: here all numbers must be unlike the row.
        return max(filled, votes) >= LEAST_FILLED and _differs_from_numbers(row, columns)
    if any(cell in column.values for cell, column in cells):
        return False
    words = {cell for cell, _ in cells}
    if all(word.startswith(_IMPORT_ID) for word in words):
        return True
    if len(words) * 2 <= len(cells) and _differs_from_numbers(row, columns):
        return True  # as in `Response,Response,Response`
    return votes > 1 or _are_questions(cells, rows_below)


def _is_typed(column: CsvColumn) -> bool:
    return bool(column.kinds) and UNTYPED.isdisjoint(column.kinds)


def _count_filled(first: Sequence[str], row: Sequence[str]) -> int:
    """Count the cells of a row that name a column where the first line does not, or not only it."""
    return sum(
        bool(cell.strip()) and (i >= len(first) or not first[i].strip() or first[i] in first[:i])
        for i, cell in enumerate(row)
    )


def _differs_from_numbers(row: Sequence[str], columns: Sequence[CsvColumn]) -> bool:
    """Whether a row has texts above numbers, or lacks what all rows below have."""
    typed = [(cell, one) for cell, one in zip(row, columns, strict=False) if _is_typed(one)]
    return bool(typed) and all(cell.strip() or "" not in one.values for cell, one in typed)


def _are_questions(cells: Sequence[tuple[str, CsvColumn]], rows_below: int) -> bool:
    """Whether every cell is long above far shorter values, or asks, or stands above numbers."""
    asks = sum(cell.rstrip().endswith("?") for cell, _ in cells)
    many = len(cells) >= SURE_COLUMNS and rows_below >= SURE_BELOW
    return (asks * 2 >= len(cells) > 1 or many) and all(
        cell.rstrip().endswith("?")
        or _is_typed(column)
        or (len(cell) >= LONG_HEADING and is_above_shorter(cell, column))
        for cell, column in cells
    )


def _join_headings(first: Sequence[str], others: Sequence[Sequence[str]]) -> Headings:
    """Take names from the line that names more columns, and what it lacks from the other."""
    second, lines = others[0], 1 + len(others)
    if _count_filled(first, second):
        return Headings(_name_by_both(first, second), lines, HEADINGS_ABOVE)
    flag = THIRD_HEADINGS if lines == MOST_HEADINGS else SECOND_HEADINGS
    return Headings([*first], lines, flag)


def _name_by_both(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Take the second name of a column if it is the only one so called, or there is no other."""
    counts = Counter(second)
    return [
        two if two.strip() and (counts[two] == 1 or not one.strip()) else one
        for one, two in zip_longest(first, second, fillvalue="")
    ]
