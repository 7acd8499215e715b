"""A scan as plain text: outcomes, unreadable files, and totals; and the state of a Spark server."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lumos_snap.render.plain_text import count, table
from lumos_snap.text import width

if TYPE_CHECKING:
    from lumos_snap.report.scan import (
        BadFile,
        FailedSource,
        PlacementReport,
        ScannedDataset,
        ScanReport,
        SparkServer,
    )

_FIXES = {"vanished": "`--prune` removes it"}
_QUIET = "unchanged"
_WIDEST = 60


def scan_lines(report: "ScanReport", *, limit: int) -> Iterator[str]:
    """The datasets, the files that failed, and a summary."""
    told = [one for one in report.datasets if one.outcome != _QUIET]
    yield from _cut(_datasets(told, limit), len(told), limit, "dataset")
    noted = [one for one in report.datasets if one.outcome == _QUIET]
    yield from _cut(_note_lines(noted, limit), len(noted), limit, "dataset with a remark")
    bad = report.bad_files
    yield from _cut(map(_bad, bad[: limit or None]), len(bad), limit, "file")
    yield from map(_failure_line, report.failed)
    yield from report.remarks
    yield from _summary(report)


def _cut(lines: Iterator[str], number: int, limit: int, what: str) -> Iterator[str]:
    yield from lines
    if limit and number > limit:
        yield f"… and {count(number - limit, f'more {what}')}: --limit 0 shows all"


def _datasets(told: "list[ScannedDataset]", limit: int) -> Iterator[str]:
    shown = told[: limit or None]
    for one, line in zip(shown, _align_rows(map(_dataset, shown)), strict=True):
        yield line
        yield from (f"    {note}" for note in one.notes)


def _align_rows(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Rows in columns; a very long name shifts only its own row."""
    listed = list(rows)
    usual = [row for row in listed if width(row[1]) <= _WIDEST]
    widths = [max((width(row[at]) for row in usual), default=0) for at in range(3)]
    for row in listed:
        cells = (cell + " " * (most - width(cell)) for cell, most in zip(row, widths, strict=False))
        yield "  ".join((*cells, row[3])).rstrip()


def _dataset(one: "ScannedDataset") -> tuple[str, ...]:
    said = one.format or _FIXES.get(one.outcome, "")
    size = [] if one.columns is None else [count(one.columns, "column")]
    if one.files is not None:
        some = "" if one.looked_at in (None, one.files) else f", {one.looked_at:,} read"
        size.append(f"{count(one.files, 'file')}{some}")
    if one.rows is not None:
        size.append(count(one.rows, "row"))
    return (one.outcome, one.urn.removeprefix("lumos://"), said, ", ".join(size))


def _note_lines(noted: "list[ScannedDataset]", limit: int) -> Iterator[str]:
    for one in noted[: limit or None]:
        yield one.urn.removeprefix("lumos://")
        yield from (f"    {note}" for note in one.notes)


def _bad(one: "BadFile") -> str:
    return f"{one.reason}: {one.source}: {one.path}: {one.detail}"


def _failure_line(one: "FailedSource") -> str:
    hint = f": {one.hint}" if one.hint else ""
    return f"not reached: {one.name}: {one.problem}{hint}"


def _summary(report: "ScanReport") -> Iterator[str]:
    files = sum(source.files for source in report.sources)
    looked_at = sum(source.looked_at for source in report.sources)
    passed = sum(sum(source.passed_over.values()) for source in report.sources)
    sizes = [f"{count(files, 'file')} listed", f"{looked_at:,} read{_engine(report)}"]
    sizes += [f"{len(report.bad_files):,} bad"] if report.bad_files else []
    sizes += [f"{passed:,} passed over"] if passed else []
    yield ", ".join(sizes)
    datasets = sum(source.datasets for source in report.sources)
    became = [f"{number:,} {outcome}" for outcome, number in report.counts.items() if number]
    yield f"{count(datasets, 'dataset')}: {', '.join(became) or 'nothing to describe'}"
    verb = "would write" if report.dry_run else "wrote"
    yield f"{verb} {count(len(report.written), 'file')}{_count_removed(report)}"
    yield from (f"kept {path}: it was changed meanwhile; scan again" for path in report.left)
    if report.commit is not None:
        yield f"committed {report.commit[:10]} on {report.branch}"


def _engine(report: "ScanReport") -> str:
    used = report.engine
    if used is None:
        return ""
    return f" by Spark on {used.place}" if used.name == "spark" else " by the local engine"


def _count_removed(report: "ScanReport") -> str:
    if not report.removed:
        return ""
    verb = "remove" if report.dry_run else "removed"
    return f", {verb} {len(report.removed):,}"


def placement(report: "PlacementReport") -> Iterator[str]:
    """Why a file belongs to its dataset."""
    yield f"{report.path} in {report.source}"
    if report.steps:
        yield from (f"  {line}" for line in table((one.part, one.meaning) for one in report.steps))
    if report.ignored is not None:
        yield f"is no data: {report.ignored}"
    else:
        yield f"dataset   {report.urn}"
        yield f"document  {report.document}"
        yield f"rule      {report.rule}: {report.why}"
        if report.last is not None:
            yield f"last      {report.last}"


# The Spark server as plain text.


_WORDS = {"started": "started", None: "running"}


def spark_server(report: "SparkServer") -> Iterator[str]:
    """Whether it is running, where, and until when."""
    if not report.running:
        yield "stopped" if report.change else "not running: `lumos spark start`"
        return
    yield f"{_WORDS[report.change]}  Spark {report.spark} at {report.url}, process {report.pid}"
    unused = f"unused for {_duration(report.unused_seconds or 0)}"
    use = "in use" if report.in_use else unused
    idle = _duration(report.idle_seconds or 0)
    yield f"{report.memory} of memory; stops after {idle} without a scan; {use}"
    if report.not_used_because is not None:
        yield f"scans from here do not use it: {report.not_used_because}"
        yield "  → `lumos spark stop`, then `lumos spark start` here"


def _duration(seconds: int) -> str:
    """Seconds below a minute, minutes below two hours, else hours."""
    if seconds < _MINUTE:
        return f"{seconds} s"
    if seconds < 2 * _HOUR:
        return f"{seconds // _MINUTE} min"
    return f"{seconds // _HOUR} h"


_MINUTE, _HOUR = 60, 3600
