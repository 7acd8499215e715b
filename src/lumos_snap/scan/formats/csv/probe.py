"""The probe of CSV: dialect, preamble, header and the kinds of values per column."""

import re
from typing import NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.formats.csv import dialect
from lumos_snap.scan.formats.csv import dialect as csv_dialect
from lumos_snap.scan.formats.csv.dialect import CsvRows, Dialect, Rows, ScoredDialect
from lumos_snap.scan.formats.csv.header import CsvTable, raggedness, table_of
from lumos_snap.scan.formats.csv.value_kinds import TEXT
from lumos_snap.scan.stores.store import BadFileError

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
    return [*filter(None, [table.headings]), *(flag for flag, is_so in found.items() if is_so)]


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
