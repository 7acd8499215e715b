"""Kinds of values, such as integer or date, and the values of columns that show them."""

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

BLANK = "blank"
INT = "int"
BIG = "big"  # above 64 bits, up to 38 digits
HUGE = "huge"
PADDED = "padded"  # such as 007: a code, not a number
FLOAT = "float"
COMMA = "comma"  # such as 1,5
NAN = "nan"
BOOL = "bool"
DATE = "date"
TIMESTAMP = "timestamp"
TIMESTAMP_NS = "timestamp-ns"
INSTANT = "instant"  # a timestamp with a zone
INSTANT_NS = "instant-ns"
MISSING = "missing"  # a word such as NULL, which may be a value
TEXT = "text"

KNOWN_VALUES: Mapping[str, str] = {
    "": BLANK,
    "\\N": BLANK,  # null in Hive, PostgreSQL and MySQL
    **dict.fromkeys(("true", "false", "True", "False", "TRUE", "FALSE"), BOOL),
    **dict.fromkeys(
        ("NaN", "nan", "-nan", "Infinity", "-Infinity", "inf", "-inf", "Inf", "-Inf"), NAN
    ),
    **dict.fromkeys(("NULL", "Null", "null", "NA", "N/A", "n/a", "#N/A", "None"), MISSING),
}
SMALLEST, LARGEST = -(2**63), 2**63 - 1
MICROSECONDS = 6

_NUMBER = re.compile(
    r"(?P<int>-?(?:0|[1-9][0-9]{0,17}))"
    r"|(?P<big>-?[1-9][0-9]{18,37})"
    r"|(?P<huge>-?[1-9][0-9]{38,})"
    r"|(?P<padded>-?0[0-9]+(?:\.[0-9]*)?)"
    r"|(?P<float>-?(?:0|[1-9][0-9]*)?\.[0-9]+(?:[eE][+-]?[0-9]+)?"
    r"|-?(?:0|[1-9][0-9]*)(?:\.?[eE][+-]?[0-9]+|\.))"
    r"|(?P<comma>-?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+)"
)
_MOMENT = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?P<clock>[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.(?P<fraction>[0-9]{1,9}))?)?"
    r"(?P<zone> ?(?:Z|UTC|[+-](?:0[0-9]|1[0-8])(?::?[0-5][0-9])?))?)?"
)
_LONG = 18  # digits: any shorter integer fits into 64 bits
_LEADING = frozenset("0123456789-.")


def kind_of(value: str) -> str:
    """Classify one value; readers of numbers ignore space around it."""
    value = value.strip()
    if value.isdecimal() and value.isascii() and len(value) < _LONG and value[0] != "0":
        return INT  # same result as the pattern below, for most numbers
    known = KNOWN_VALUES.get(value)
    if known is not None:
        return known
    if value[0] not in _LEADING:
        return BOOL if value.lower() in ("true", "false") else TEXT
    number = _NUMBER.fullmatch(value)
    if number:
        kind = number.lastgroup or TEXT
        return INT if kind == BIG and SMALLEST <= int(value) <= LARGEST else kind
    return _kind_of_moment(value)


def _kind_of_moment(value: str) -> str:
    match = _MOMENT.fullmatch(value)
    if match is None:
        return TEXT
    try:
        datetime.date.fromisoformat(match["day"])
    except ValueError:  # such as 2024-02-30, or MySQL's 0000-00-00
        return TEXT
    if match["clock"] is None:
        return DATE
    kind = INSTANT if match["zone"] else TIMESTAMP
    return f"{kind}-ns" if len(match["fraction"] or "") > MICROSECONDS else kind


def kinds_of(values: Iterable[str], kind: Callable[[str], str] = kind_of) -> tuple[str, ...]:
    """Classify the values of a column, without kinds that others include."""
    return summarize_kinds(map(kind, set(values)))


def summarize_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Drop kinds that others include, so that more files have equal evidence."""
    seen = set()
    for kind in kinds:
        if kind == TEXT:
            return (TEXT,)  # every other kind is irrelevant beside text
        seen.add(kind)
    for wide, narrow in _ABSORBS:
        if wide in seen:
            seen -= narrow
    return tuple(sorted(seen - {BLANK} or seen))


_ABSORBS: tuple[tuple[str, frozenset[str]], ...] = (
    (FLOAT, frozenset((INT,))),
    (TIMESTAMP_NS, frozenset((TIMESTAMP,))),
    (INSTANT_NS, frozenset((INSTANT,))),
)


UNTYPED = frozenset((TEXT, BLANK, MISSING))
"""Kinds of values that do not tell a name from data."""
YEAR = re.compile(r"(?:19|20)[0-9]{2}")
MUCH_LONGER = 2


class CsvColumn(NamedTuple):
    """The values below one cell of the first row."""

    kinds: tuple[str, ...]
    values: frozenset[str]


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


def is_above_shorter(cell: str, column: CsvColumn) -> bool:
    """Whether a cell is far longer than every value below it, as a question is."""
    return len(cell) > MUCH_LONGER * max(map(len, column.values), default=len(cell))
