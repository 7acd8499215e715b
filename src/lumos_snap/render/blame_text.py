"""Origins of columns as plain text, and how commits are written."""

from collections.abc import Iterator

from lumos_snap.render.tables import count, table
from lumos_snap.report.blame import Blame, BlamedColumn, Certainty, CommitInfo, Origin

SHORT = 10
"""So many digits of a commit's id tell it from the others."""
_NESTED = ("ARRAY<", "MAP<", "STRUCT<", "UNION<")


def blame(report: Blame) -> Iterator[str]:
    """A line for each column: what it is since when, and when it first appeared."""
    head = ("SINCE", "DATE", "AUTHOR", "FIRST", "DATE", "COLUMN", "TYPE")
    if report.columns:
        yield from table((head, *map(_blamed, report.columns)))
    yield f"{count(len(report.columns), 'column')} of {report.urn} in {report.source}"
    yield from end(report.ends_at)


def _blamed(column: BlamedColumn) -> tuple[str, ...]:
    since, date, author = _origin(column.since)
    first, first_date, _ = _origin(column.first)
    of = "" if column.of.value == "fields" else f" ({column.of.value})"
    was = "" if column.first_path == column.path else f" (was {column.first_path})"
    required = " NOT NULL" if column.nullable is False else ""
    kind = column.type
    if kind.startswith(_NESTED):  # what is nested has lines of its own
        kind = kind.partition("<")[0]
    path = f"{column.path}{of}{was}"
    return since, date, author, first, first_date, path, f"{kind}{required}"


def _origin(origin: Origin) -> tuple[str, str, str]:
    commit = origin.commit
    if commit is None:
        return "not committed", "-", "-"
    if origin.certainty is Certainty.AT_THE_LATEST:
        return f"≤ {commit.id[:SHORT]}", day(commit.date), "-"
    return commit.id[:SHORT], day(commit.date), author(commit)


def author(commit: CommitInfo) -> str:
    """Who wrote a commit, as far as it says."""
    return commit.author.strip() or commit.mail.strip() or "(no name)"


def day(moment: str) -> str:
    """The day of a moment."""
    return moment.partition("T")[0]


def end(commit: str | None) -> Iterator[str]:
    """That a shallow clone knows no more, where it does not."""
    if commit:
        yield (
            f"history ends at {commit[:SHORT]}: this clone is shallow, and what was before is "
            "unknown (`git fetch --unshallow` brings it)"
        )
