"""Detection of a CSV dialect: delimiter, quotes and escapes."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

DELIMITERS = (",", "\t", ";", "|", "\x01")
LINES = 128
"""Number of rows that decide on the dialect, with at most this many characters:"""
CHARACTERS = 64 * 1024
ROWS = 100_000
"""Maximum number of rows to read in a head: only nearly empty rows can be more."""
LEAST_SHARE = 0.6
"""Minimum share of rows with the same number of fields for a plausible delimiter."""
HINT_FACTOR = 1.25
UNCLOSED_FACTOR = 0.5

Rows = list[list[str]]


class Dialect(NamedTuple):
    """A dialect. An empty quote disables quoting; without an escape, quotes are doubled."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""


class CsvRows(NamedTuple):
    """The rows of a text; `cut` if incomplete, `open_quote` if the last quote is not closed."""

    rows: Rows
    cut: bool = False
    open_quote: bool = False
    multiline: bool = False


class ScoredDialect(NamedTuple):
    """A dialect with a score, 1 if all rows have the same `width`, and that width."""

    score: float
    width: int
    dialect: Dialect


def read_rows(text: str, dialect: Dialect, most: int = ROWS) -> CsvRows:
    """Parse the first rows of a text without blank lines; an unclosed quote spoils the last row."""
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, **_settings(dialect))  # type: ignore[arg-type] # mypy knows no `**`
    rows: Rows = []
    try:
        rows.extend(islice(filter(None, reader), most))
    except csv.Error:  # a value above the module's limit
        return CsvRows(rows, cut=True, open_quote=True)
    spread = reader.line_num > len(rows) and _spans_lines(rows)
    open_quote = spread and _ends_in_quotes(text, rows[-1], dialect)
    return CsvRows(rows, lines.read(1) != "" or open_quote, open_quote, spread)


def _spans_lines(rows: Rows) -> bool:
    return any("\n" in cell or "\r" in cell for row in rows for cell in row)


def _settings(dialect: Dialect) -> dict[str, object]:
    return {
        "delimiter": dialect.delimiter,
        "quotechar": dialect.quote or None,
        "quoting": csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        "escapechar": dialect.escape or None,
    }


def _ends_in_quotes(text: str, last: list[str], dialect: Dialect) -> bool:
    inside = "\n" in last[-1] or "\r" in last[-1]
    return inside and not text.rstrip("\r\n").endswith(dialect.quote)


def find_best_dialect(text: str, hint: str) -> ScoredDialect | None:
    """Find the dialect that fits the beginning of a text best, if one results in columns."""
    sample = _sample(text)
    head = _head(text)
    scores = (_score_dialect(head, one, hint) for one in _candidates(sample))
    found = [scored for scored in scores if scored]
    # The first one wins a tie: delimiters and quotes are tried from common to rare.
    return max(found, key=lambda scored: scored.score, default=None)


def most_common_delimiter(text: str) -> str | None:
    """The delimiter in most of the first lines, if it is in the first one and in half of them."""
    lines = [line for line in _sample(text).splitlines() if line.strip()]
    counts = {one: sum(one in line for line in lines) for one in DELIMITERS if one in lines[0]}
    best = max(counts, key=lambda one: counts[one], default=None)
    return best if best and counts[best] * 2 >= len(lines) else None


class Head(NamedTuple):
    """The beginning of a text, whole lines of it; `cut` if the text goes on."""

    text: str
    cut: bool


def _head(text: str) -> Head:
    """The characters that decide on the dialect; rows may have line breaks in quotes."""
    if len(text) <= CHARACTERS:
        return Head(text, cut=False)
    end = text.find("\n", CHARACTERS)
    return Head(text[: end + 1], cut=True) if end >= 0 else Head(text, cut=False)


def _sample(text: str) -> str:
    lines: list[str] = []
    left = CHARACTERS
    for line in islice(io.StringIO(text, newline=""), LINES):
        if left <= 0 and len(lines) > 1:
            break
        lines.append(line)
        left -= len(line)
    return "".join(lines)


def _candidates(sample: str) -> Iterator[Dialect]:
    quoting = tuple(_quote_styles(sample))
    for delimiter in DELIMITERS:
        if delimiter in sample:
            for quote, escape in quoting:
                yield Dialect(delimiter, quote, escape)


_IN_SINGLE = re.compile(r"(?:^|[,\t;|\x01])'[^'\n]*'(?=[,\t;|\x01\r\n]|\Z)", re.MULTILINE)
_IN_DOUBLE = re.compile(r'(?:^|[,\t;|\x01])"', re.MULTILINE)
_BACKSLASHED = re.compile(r'\\"(?![",\t;|\x01\r\n])')
_DOUBLED = re.compile(r'[^,\t;|\x01\r\n"]""[^,\t;|\x01\r\n"]')


def _quote_styles(sample: str) -> Iterator[tuple[str, str]]:
    if _IN_DOUBLE.search(sample):
        slashed = _BACKSLASHED.search(sample) and not _DOUBLED.search(sample)
        yield '"', "\\" if slashed else ""
        yield "", ""
    elif _IN_SINGLE.search(sample):
        yield "'", ""
        yield '"', ""
    else:
        yield '"', ""


def _score_dialect(head: Head, dialect: Dialect, hint: str) -> ScoredDialect | None:
    read = read_rows(head.text, dialect, LINES)
    is_ours = read.open_quote and head.cut and _is_short(read.rows[-1], head)
    rows = read.rows[:-1] if is_ours else read.rows
    rows = [row for row in rows if not row[0].startswith("#")] or rows
    widths = Counter(map(len, rows))
    # The larger width wins a tie: titles and totals are shorter than rows.
    width = max(widths, key=lambda one: (widths[one], one), default=0)
    share = widths[width] / len(rows) if rows else 0
    if width < 2 or share < LEAST_SHARE:  # noqa: PLR2004 - one column needs no delimiter
        return None
    score = (
        share
        * share
        * (0.25 + 0.75 * _clean_share(rows, dialect))
        * (UNCLOSED_FACTOR if read.open_quote and not is_ours else 1)
    )
    if hint == "tsv" and dialect.delimiter == "\t":
        score *= HINT_FACTOR
    return ScoredDialect(score, width, dialect)


def _is_short(row: list[str], head: Head) -> bool:
    """Whether the head may have cut a row within quotes: a quote too many swallows far more."""
    return sum(map(len, row)) < len(head.text) / 2


_QUOTE = re.compile("[\"']")
_DECIMAL_COMMA = re.compile(r"-?[0-9.]+,[0-9]+")


def _clean_share(rows: Rows, dialect: Dialect) -> float:
    """Return the share of values without delimiters or quotes of another dialect."""
    others = re.compile("[" + "".join(one for one in DELIMITERS if one != dialect.delimiter) + "]")
    cells = {cell for row in rows for cell in row}
    together = "\n".join(cells)
    if not (_QUOTE.search(together) or others.search(together)):
        return 1.0
    odd = sum(
        1
        for cell in cells
        if _has_quotes(cell, dialect)
        or (others.search(cell) and not _DECIMAL_COMMA.fullmatch(cell))
    )
    return 1 - odd / max(len(cells), 1)


def _has_quotes(cell: str, dialect: Dialect) -> bool:
    first, last = cell[:1], cell[-1:]
    if not dialect.quote:
        return '"' in (first, last)
    return first in ("'", '"') and first == last != dialect.quote and len(cell) > 1
