"""Delimited text: what its columns are called, and what kinds of values they hold."""

from typing import Any, NamedTuple

from lumos_snap.scan.probe import csv_dialect, csv_kinds, csv_lead, csv_table, reasons
from lumos_snap.scan.probe.csv_dialect import Dialect, Read, Rows, Scored
from lumos_snap.scan.probe.csv_lead import Lead
from lumos_snap.scan.probe.csv_table import Table
from lumos_snap.scan.probe.file import BadFileError

COLUMNS = 20_000
"""No reader has more columns than this."""
SURE_SCORE = 0.8
SURE_WIDTH = 3
SURE_ROWS = 3
HINTS = ("csv", "tsv")


class Delimited(NamedTuple):
    """What a text says of its columns; `rows` only where all of them were read."""

    evidence: dict[str, Any]
    rows: int | None


def describe(text: str, *, hint: str, whole: bool, truncated: bool) -> Delimited:
    """The columns of a delimited text; without a hint only where nothing else explains it."""
    lead = csv_lead.split(text)
    scored = _scored(lead, hint)
    read = csv_dialect.read(lead.text, scored.dialect)
    cut = read.cut or not whole
    heading = csv_lead.commented_header(lead, scored)
    has_comments = len(lead.comments) > len(heading)
    rows = heading + _rows(read.rows[:-1] if cut else read.rows, has_comments=has_comments)
    if not rows:
        raise _nothing(truncated=truncated, whole=whole)
    table = csv_table.table_of(csv_lead.without_titles(rows, scored.width), scored.width)
    if hint not in HINTS and not lead.separator:
        _require(table, scored)
    evidence = {
        **_written(scored.dialect, has_comments=has_comments),
        # A reader that leaves comments out leaves out a header that is one.
        "header": table.verdict.is_header and not (heading and has_comments),
        "columns": _columns(table),
        "flags": _flags(table, lead, read, whole=whole),
    }
    return Delimited(evidence, None if cut else len(table.rows))


def _rows(rows: Rows, *, has_comments: bool) -> Rows:
    if max(map(len, rows), default=0) > COLUMNS:
        raise BadFileError(reasons.TOO_LARGE, f"a row has more than {COLUMNS} fields")
    return [row for row in rows if not row[0].startswith("#")] if has_comments else rows


def _scored(lead: Lead, hint: str) -> Scored:
    if lead.separator:
        rows = csv_dialect.read(lead.text, Dialect(lead.separator)).rows
        return Scored(1, max(map(len, rows), default=1), Dialect(lead.separator))
    found = csv_dialect.best(lead.text, hint)
    if found is None and hint not in HINTS:
        raise BadFileError(reasons.UNKNOWN, "its lines have no columns in common")
    return found or Scored(0, 1, Dialect("\t" if hint == "tsv" else ","))


def _nothing(*, truncated: bool, whole: bool) -> BadFileError:
    if truncated:
        return BadFileError(reasons.TRUNCATED, "it breaks off within its first line")
    if whole:
        return BadFileError(reasons.DAMAGED, "a quote in its first line is never closed")
    detail = "its first line is longer than what is read of a file"
    return BadFileError(reasons.TOO_LARGE, detail)


def _require(table: Table, scored: Scored) -> None:
    """Without a hint, ordinary text must not pass for a table."""
    verdict, rows = table.verdict, len(table.rows)
    typed = any(csv_kinds.TEXT not in kinds for kinds in table.kinds)
    wide = scored.width >= SURE_WIDTH or scored.dialect.delimiter in "\t\x01"
    proven = verdict.is_header and verdict.is_sure and rows > 0
    likely = wide and rows + verdict.is_header >= SURE_ROWS and (verdict.is_header or typed)
    if scored.score < SURE_SCORE or not (proven or likely):
        raise BadFileError(reasons.UNKNOWN, "it may be delimited text, but too little tells")


def _flags(table: Table, lead: Lead, read: Read, *, whole: bool) -> list[str]:
    found = {
        "separator-line": lead.separator != "",
        "header-unsure": not table.verdict.is_sure and bool(table.rows),
        "multiline": read.multiline,
        "open-quote": read.open_quote and whole,
        **csv_table.raggedness(table),
    }
    return [flag for flag, is_so in found.items() if is_so]


def _written(dialect: Dialect, *, has_comments: bool) -> dict[str, Any]:
    """How the text is written, where that is not as usual."""
    return {
        "delimiter": dialect.delimiter,
        **({} if dialect.quote == '"' else {"quote": dialect.quote}),
        **({"escape": dialect.escape} if dialect.escape else {}),
        **({"comment": "#"} if has_comments else {}),
    }


def _columns(table: Table) -> list[dict[str, Any]]:
    columns = zip(table.names, table.kinds, strict=True)
    return [{"name": name, "kinds": list(kinds)} for name, kinds in columns]
