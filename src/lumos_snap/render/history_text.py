"""Blame, log, evolution and prediction as plain text."""

from collections.abc import Iterator, Sequence

from lumos_snap.render.plain_text import count, sign, table
from lumos_snap.report.diff import LevelWord
from lumos_snap.report.history import (
    BlamedColumn,
    BlameReport,
    Certainty,
    CommitInfo,
    DatasetChange,
    EvolutionReport,
    Frequency,
    LogEntry,
    LogReport,
    Origin,
    PredictReport,
)

SHORT = 10
"""The number of digits of a short commit id."""
_NESTED = ("ARRAY<", "MAP<", "STRUCT<", "UNION<")


def blame(report: BlameReport) -> Iterator[str]:
    """One line for each column: its last change, and its first appearance."""
    head = ("SINCE", "DATE", "AUTHOR", "FIRST", "DATE", "COLUMN", "TYPE")
    if report.columns:
        yield from table((head, *map(_blame_row, report.columns)))
    yield f"{count(len(report.columns), 'column')} of {report.urn} in {report.source}"
    yield from end(report.ends_at)


def _blame_row(column: BlamedColumn) -> tuple[str, ...]:
    since, date, author = _origin(column.since)
    first, first_date, _ = _origin(column.first)
    of = "" if column.of.value == "fields" else f" ({column.of.value})"
    was = "" if column.first_path == column.path else f" (was {column.first_path})"
    required = " NOT NULL" if column.nullable is False else ""
    kind = column.type
    if kind.startswith(_NESTED):  # nested members have lines of their own
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
    """The author of a commit, if stated."""
    return commit.author.strip() or commit.mail.strip() or "(no name)"


def day(moment: str) -> str:
    """The date of a timestamp."""
    return moment.partition("T")[0]


def end(commit: str | None) -> Iterator[str]:
    """A note that a shallow clone's history ends, if it does."""
    if commit:
        yield (
            f"history ends at {commit[:SHORT]}: this clone is shallow, and what was before is "
            "unknown (`git fetch --unshallow` brings it)"
        )


_TOLD_ABOVE = "version-written"
"""Changes by a release are shown in the line of its commit."""


def log(report: LogReport) -> Iterator[str]:
    """Every change of a dataset, newest first."""
    for entry in report.entries:
        yield from _entry(entry)
    about = f" of `{report.field}`" if report.field else ""
    what = f"{count(len(report.entries), 'commit')} changed {report.urn}{about}"
    if report.is_cut:
        yield f"… and more: --limit 0 shows all ({what} so far)"
    elif report.entries:
        yield what
    else:
        yield f"nothing{about} is known of {report.urn} in {report.source}"
    yield from end(report.ends_at)


def _entry(entry: LogEntry) -> Iterator[str]:
    versions = " / ".join(filter(None, (entry.schema_version, entry.cloud_version)))
    version = f"  {versions}" if versions else ""
    yield f"{_commit(entry.commit)}{version}  [{entry.bump.value}]  {entry.commit.subject}"
    if entry.renamed_from:
        yield f"  was {entry.renamed_from}, is {entry.urn}"
    if entry.unreadable:
        yield f"  ? this version cannot be read: {entry.unreadable}"
    yield from (_change(one) for one in entry.changes if one.slug != _TOLD_ABOVE)


def _commit(commit: CommitInfo) -> str:
    return f"{commit.id[:SHORT]}  {day(commit.date)}  {author(commit)}"


def _change(change: DatasetChange) -> str:
    return f"  {sign(change)} {change.rule} {change.slug}: {change.message}"


def evolution(report: EvolutionReport, *, limit: int) -> Iterator[str]:
    """The changes of a tree over a period: which datasets break most often, and when."""
    names = ("COMMITS", "SILENT", "BREAKING", "NON-BREAKING", "INFORMATIONAL")
    if report.datasets:
        most = limit or len(report.datasets)
        head = ("DATASET", *names, "MAJOR/MINOR/PATCH", "FIRST", "LAST")
        rows = [
            (
                one.urn.removeprefix("lumos://"),
                *_numbers(one.changes),
                f"{one.bumps.major}/{one.bumps.minor}/{one.bumps.patch}",
                day(one.first),
                day(one.last),
            )
            for one in report.datasets[:most]
        ]
        yield from table((head, *rows))
        if len(report.datasets) > most:
            left = count(len(report.datasets) - most, "more dataset")
            yield f"… and {left}: --limit 0 shows all"
        yield ""
        spans = ((one.name, str(one.datasets), *_numbers(one.changes)) for one in report.spans)
        yield from table((("PERIOD", "DATASETS", *names), *spans))
        yield ""
    yield _totals(report)
    yield from end(report.ends_at)


def _numbers(changes: Frequency) -> tuple[str, ...]:
    numbers = (
        changes.commits,
        changes.silent,
        changes.breaking,
        changes.non_breaking,
        changes.informational,
    )
    return tuple(f"{number:,}" if number else "-" for number in numbers)


def _totals(report: EvolutionReport) -> str:
    one = report.totals
    since = f" since {report.since}" if report.since else ""
    until = f" until {report.until}" if report.until else ""
    if not report.datasets:
        return f"no dataset changed{since}{until}"
    unread = f", {count(one.unreadable, 'unreadable version')}" if one.unreadable else ""
    return (
        f"{count(len(report.datasets), 'dataset')} changed in {count(one.commits, 'commit')}"
        f"{since}{until}: {one.silent:,} silent, {one.breaking:,} breaking, "
        f"{one.non_breaking:,} non-breaking, {one.informational:,} informational{unread}"
    )


def prediction(report: PredictReport) -> Iterator[str]:
    """The changes of a proposed schema."""
    for change in report.changes:
        yield _change(change).removeprefix("  ")
        if change.level is LevelWord.BREAKING:
            yield f"    → {change.fix}"
    if report.changes:
        yield ""
    yield _outcome(report)


def _outcome(report: PredictReport) -> str:
    if not report.changes:
        return f"PASS: {report.proposal} changes nothing of {report.urn}"
    version = report.schema_version or "no version yet"
    step = f"{report.bump.value}: {version} → {report.next_version or version}"
    return f"{report.verdict.upper()}: {_count_changes(report.changes)} of {report.urn}, {step}"


def _count_changes(changes: Sequence[DatasetChange]) -> str:
    silent = sum(change.silent for change in changes)
    parts = [f"{silent} silent"] if silent else []
    for level in LevelWord:
        number = sum(change.level is level and not change.silent for change in changes)
        parts += [f"{number} {level.value}"] if number else []
    return f"{', '.join(parts)} {'change' if len(changes) == 1 else 'changes'}"
