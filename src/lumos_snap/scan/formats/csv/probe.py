"""The probe of CSV: dialect, preamble, header and the kinds of values per column."""

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.formats.csv import dialect
from lumos_snap.scan.formats.csv import dialect as csv_dialect
from lumos_snap.scan.formats.csv.dialect import CsvRows, Dialect, Rows, ScoredDialect
from lumos_snap.scan.stores.store import BadFileError

# Kinds of column values, such as integer or date; the values themselves are not kept.


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


LONGEST_NAME = 64
"""A first row with longer values is not a header, unless there is other evidence."""

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
    votes = sum(
        0 if years and top not in _UNTYPED else _vote(cell, top, column)
        for cell, top, column in zip(first, tops, columns, strict=False)
    )
    if votes:
        return HeaderVerdict(votes > 0, is_sure=True)
    return HeaderVerdict(_may_be_names(first, tops, years=years), is_sure=False)


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
        and max(map(len, named)) <= LONGEST_NAME
        and not any(map(_VALUE.match, named))
        and (years or all(top in _UNTYPED for top in tops))
    )


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


def table_of(rows: Rows, width: int) -> CsvTable:
    """Detect the header, then the columns."""
    first, below = rows[0], rows[1:]
    if len(first) > 1 and first in below and _are_distinct(first):
        found = table_of([first, *(row for row in below if row != first)], width)
        return found._replace(is_repeated=True) if found.verdict.is_header else _table(rows, width)
    return _table(rows, width)


def _table(rows: Rows, width: int) -> CsvTable:
    first, below = rows[0], rows[1:]
    columns = columns_of(below, max(width, len(first)))
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


TITLES = 10
"""Maximum number of lines with one value before a table that count as titles."""

_SEPARATOR = re.compile(r"sep=(\t|[^\s\w\"'\\])(?:\r\n|\r|\n)", re.IGNORECASE)
_COMMENT = re.compile(r"#[^\r\n]*(?:\r\n|\r|\n|\Z)")


class Preamble(NamedTuple):
    """A text, and the lines before it."""

    separator: str
    comments: tuple[str, ...]
    text: str


def split_preamble(text: str) -> Preamble:
    """Split off leading lines that are not rows; if there is nothing else, they are the rows."""
    separator = _SEPARATOR.match(text)
    start = at = separator.end() if separator else 0
    comments = []
    while comment := _COMMENT.match(text, at):
        comments.append(comment[0])
        at = comment.end()
    if not text[at:].strip():
        comments, at = [], start
    return Preamble(separator[1] if separator else "", tuple(comments), text[at:])


def drop_titles(rows: Rows, width: int) -> Rows:
    """Drop the rows before the first one with several values."""
    narrow = next((i for i, row in enumerate(rows[: TITLES + 1]) if len(row) > 1), 0)
    return rows[narrow:] if width > 1 else rows


def find_commented_header(lead: Preamble, scored: ScoredDialect) -> Rows:
    """Return the last comment, if it is as wide as the table, as in `#CHROM<tab>POS`."""
    if not lead.comments or scored.width < 2:  # noqa: PLR2004 - one word is a comment
        return []
    rows = dialect.read_rows(lead.comments[-1], scored.dialect).rows
    return [row for row in rows if len(row) == scored.width]


COLUMNS = 20_000
"""Maximum number of columns: no reader supports more."""
SURE_SCORE = 0.8
SURE_WIDTH = 3
SURE_ROWS = 3
HINTS = ("csv", "tsv")


class CsvEvidence(NamedTuple):
    """The columns of a text; `rows` only if all were read."""

    evidence: JsonObject
    rows: int | None


def describe_csv(text: str, *, hint: str, whole: bool, truncated: bool) -> CsvEvidence:
    """Describe the columns of a delimited text; without a hint, only with sufficient evidence."""
    lead = split_preamble(text)
    scored = _find_dialect(lead, hint)
    read = csv_dialect.read_rows(lead.text, scored.dialect)
    cut = read.cut or not whole
    heading = find_commented_header(lead, scored)
    has_comments = len(lead.comments) > len(heading)
    rows = heading + _drop_comments(read.rows[:-1] if cut else read.rows, has_comments=has_comments)
    if not rows:
        raise _no_rows_error(truncated=truncated, whole=whole)
    table = table_of(drop_titles(rows, scored.width), scored.width)
    if hint not in HINTS and not lead.separator:
        _require_table(table, scored)
    evidence = {
        **_dialect_evidence(scored.dialect, has_comments=has_comments),
        # A reader that skips comments also skips a header that is one.
        "header": table.verdict.is_header and not (heading and has_comments),
        "columns": _columns(table),
        "flags": _flags(table, lead, read, whole=whole),
    }
    return CsvEvidence(evidence, None if cut else len(table.rows))


def _drop_comments(rows: Rows, *, has_comments: bool) -> Rows:
    if max(map(len, rows), default=0) > COLUMNS:
        raise BadFileError(error_codes.TOO_LARGE, f"a row has more than {COLUMNS} fields")
    return [row for row in rows if not row[0].startswith("#")] if has_comments else rows


def _find_dialect(lead: Preamble, hint: str) -> ScoredDialect:
    if lead.separator:
        rows = csv_dialect.read_rows(lead.text, Dialect(lead.separator)).rows
        return ScoredDialect(1, max(map(len, rows), default=1), Dialect(lead.separator))
    found = csv_dialect.find_best_dialect(lead.text, hint)
    if found is None and hint not in HINTS:
        raise BadFileError(error_codes.UNKNOWN, "its lines have no columns in common")
    usual = "\t" if hint == "tsv" else ","
    delimiter = csv_dialect.most_common_delimiter(lead.text) or usual
    return found or ScoredDialect(0, 1, Dialect(usual if usual in lead.text else delimiter))


def _no_rows_error(*, truncated: bool, whole: bool) -> BadFileError:
    if truncated:
        return BadFileError(error_codes.TRUNCATED, "it breaks off within its first line")
    if whole:
        return BadFileError(error_codes.DAMAGED, "a quote in its first line is never closed")
    detail = "its first line is longer than what is read of a file"
    return BadFileError(error_codes.TOO_LARGE, detail)


def _require_table(table: CsvTable, scored: ScoredDialect) -> None:
    """Reject ordinary text as a table, for files without a hint."""
    verdict, rows = table.verdict, len(table.rows)
    typed = any(TEXT not in kinds for kinds in table.kinds)
    wide = scored.width >= SURE_WIDTH or scored.dialect.delimiter in "\t\x01"
    proven = verdict.is_header and verdict.is_sure and rows > 0
    likely = wide and rows + verdict.is_header >= SURE_ROWS and (verdict.is_header or typed)
    if scored.score < SURE_SCORE or not (proven or likely):
        raise BadFileError(error_codes.UNKNOWN, "it may be delimited text, but too little tells")


def _flags(table: CsvTable, lead: Preamble, read: CsvRows, *, whole: bool) -> list[str]:
    found = {
        "separator-line": lead.separator != "",
        "repeated-header": table.is_repeated,
        "header-unsure": not table.verdict.is_sure and bool(table.rows),
        "multiline": read.multiline,
        "open-quote": read.open_quote and whole,
        **raggedness(table),
    }
    return [flag for flag, is_so in found.items() if is_so]


def _dialect_evidence(dialect: Dialect, *, has_comments: bool) -> JsonObject:
    """Return the dialect as evidence, without defaults."""
    return {
        "delimiter": dialect.delimiter,
        **({} if dialect.quote == '"' else {"quote": dialect.quote}),
        **({"escape": dialect.escape} if dialect.escape else {}),
        **({"comment": "#"} if has_comments else {}),
    }


def _columns(table: CsvTable) -> list[JsonObject]:
    columns = zip(table.names, table.kinds, strict=True)
    return [{"name": name, "kinds": list(kinds)} for name, kinds in columns]
