"""Whether the first row of a table names its columns."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from lumos_snap.scan.formats.csv import value_kinds

LONGEST_NAME = 64
"""A first row with longer values is not taken for names where nothing else tells."""

# Addresses, links, dates, telephone numbers: a row of data must not end up as names.
_VALUE = re.compile(r"\S+@\S+\.\S+|\w+://|.*[0-9]{5}|.*[0-9][./-][0-9]+[./-][0-9]", re.DOTALL)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_UNTYPED = frozenset((value_kinds.TEXT, value_kinds.BLANK, value_kinds.MISSING))
_NUMBERS = frozenset((value_kinds.INT, value_kinds.BIG, value_kinds.FLOAT, value_kinds.NAN))


class Column(NamedTuple):
    """What stands below one value of the first row."""

    kinds: tuple[str, ...]
    values: frozenset[str]


class Verdict(NamedTuple):
    """Whether there is a header, and whether the values below it prove that."""

    is_header: bool
    is_sure: bool


def judged(first: Sequence[str], columns: Sequence[Column]) -> Verdict:
    """Each column votes: text above numbers speaks for a header, a value like those below against.

    Where no column can tell, values that may be names are a header, as nearly all files have one.
    """
    tops = [value_kinds.kind_of(cell) for cell in first]
    numbers = [cell for cell, top in zip(first, tops, strict=True) if top not in _UNTYPED]
    years = bool(numbers) and all(map(_YEAR.fullmatch, numbers)) and _distinct(numbers)
    votes = sum(
        0 if years and top not in _UNTYPED else _vote(cell, top, column)
        for cell, top, column in zip(first, tops, columns, strict=False)
    )
    if votes:
        return Verdict(votes > 0, is_sure=True)
    return Verdict(_may_be_names(first, tops, years=years), is_sure=False)


def _vote(cell: str, top: str, column: Column) -> int:
    if top == value_kinds.BLANK or not column.kinds:
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
        and _distinct(named)
        and max(map(len, named)) <= LONGEST_NAME
        and not any(map(_VALUE.match, named))
        and (years or all(top in _UNTYPED for top in tops))
    )


def _distinct(cells: Sequence[str]) -> bool:
    return len(set(cells)) == len(cells)


def columns_of(
    rows: Sequence[Sequence[str]], width: int, kind: Callable[[str], str] = value_kinds.kind_of
) -> list[Column]:
    """The values of rows, column by column; what a short row lacks is not there."""
    if all(len(row) == width for row in rows):
        values = [frozenset(column) for column in zip(*rows, strict=True)]
    else:
        values = [frozenset(row[i] for row in rows if len(row) > i) for i in range(width)]
    values += [frozenset[str]()] * (width - len(values))
    return [Column(value_kinds.kinds_of(one, kind), one) for one in values]
