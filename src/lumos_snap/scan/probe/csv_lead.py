"""What stands before a table: a line that names the delimiter, comments, titles."""

import re
from typing import NamedTuple

from lumos_snap.scan.probe import csv_dialect
from lumos_snap.scan.probe.csv_dialect import Rows, Scored

TITLES = 10
"""As many lines before a table, of one value each, are taken for titles."""

_SEPARATOR = re.compile(r"sep=(\t|[^\s\w\"'\\])(?:\r\n|\r|\n)", re.IGNORECASE)
_COMMENT = re.compile(r"#[^\r\n]*(?:\r\n|\r|\n|\Z)")


class Lead(NamedTuple):
    """A text, and what stood before it."""

    separator: str
    comments: tuple[str, ...]
    text: str


def split(text: str) -> Lead:
    """The lines that are no rows, and the rest; where nothing else is there, they are the rows."""
    separator = _SEPARATOR.match(text)
    start = at = separator.end() if separator else 0
    comments = []
    while comment := _COMMENT.match(text, at):
        comments.append(comment[0])
        at = comment.end()
    if not text[at:].strip():
        comments, at = [], start
    return Lead(separator[1] if separator else "", tuple(comments), text[at:])


def without_titles(rows: Rows, width: int) -> Rows:
    """The rows from the first that is as wide as a table."""
    narrow = next((i for i, row in enumerate(rows[: TITLES + 1]) if len(row) > 1), 0)
    return rows[narrow:] if width > 1 else rows


def commented_header(lead: Lead, scored: Scored) -> Rows:
    """The last comment, where it is as wide as the table, as in `#CHROM<tab>POS`."""
    if not lead.comments or scored.width < 2:  # noqa: PLR2004 - one word is a comment
        return []
    rows = csv_dialect.read(lead.comments[-1], scored.dialect).rows
    return [row for row in rows if len(row) == scored.width]
