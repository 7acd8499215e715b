"""Progress of long commands: one updated line on a terminal, elsewhere only long waits."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import click

from lumos_snap.commands.scan.options import ScanProgress, ScanStage
from lumos_snap.commands.sync.options import Progress as SyncProgress
from lumos_snap.commands.sync.options import ignore_progress as unwatched

_EVERY = 0.1  # seconds between updates
_CLEAR = "\r\033[K"
_LONG_WAIT = 5  # seconds


@contextmanager
def scan_progress() -> Iterator[ScanProgress]:
    """Progress display of a scan; in CI and without a terminal, only long waits are shown."""
    with _display(_of_scan) as display:
        yield display or _Waits()


@contextmanager
def sync_progress() -> "Iterator[SyncProgress]":
    """Progress display of a sync: documents, rate, and remaining time."""
    with _display(_of_sync) as display:
        yield display or unwatched


@contextmanager
def _display(line: "Line") -> "Iterator[_Display | None]":
    """A line that is updated, and cleared at the end."""
    if not sys.stderr.isatty() or os.environ.get("CI"):
        yield None
        return
    try:
        yield _Display(line)
    finally:
        click.echo(_CLEAR, err=True, nl=False)


Line = Callable[[str, int, int | None, float, int], str]
"""Formats stage, done, total, seconds and pages as a line."""


class _Waits:
    """Prints what a scan waits for, once for each state, where lines cannot be updated."""

    def __init__(self) -> None:
        self._printed = ""

    def __call__(
        self, stage: ScanStage, done: int, total: int | None, pages: int = 0, *, note: str = ""
    ) -> None:
        del total, pages
        if stage is ScanStage.WAITING and done >= _LONG_WAIT and note != self._printed:
            self._printed = note
            click.echo(f"lumos: {note}", err=True)


class _Display:
    def __init__(self, line: Line) -> None:
        self._line = line
        self._since: dict[str, float] = {}
        self._shown = 0.0

    def __call__(
        self, stage: str, done: int, total: int | None, pages: int = 0, *, note: str = ""
    ) -> None:
        now = time.monotonic()
        since = self._since.setdefault(stage, now)
        if now - self._shown < _EVERY and done != total:
            return
        self._shown = now
        if note:
            text = f"{note} ({done:,} of at most {total:,} seconds)"
        else:
            text = self._line(stage, done, total, now - since, pages)
        click.echo(f"{_CLEAR}{text}", err=True, nl=False)


_UNITS: Mapping[str, str] = {
    ScanStage.LISTED: "files",
    ScanStage.GROUPED: "files",
    ScanStage.READ: "files",
    ScanStage.MERGED: "datasets",
    ScanStage.WRITTEN: "documents",
    ScanStage.CACHED: "files",
}


def _of_scan(stage: str, done: int, total: int | None, seconds: float, pages: int) -> str:
    answers = f" in {pages:,} pages" if pages else ""
    return f"{stage} {_format_count(done, total)} {_UNITS[stage]}{answers}{_rate(done, seconds)}"


_READING = frozenset({"read", "read back"})


def _of_sync(stage: str, done: int, total: int | None, seconds: float, _pages: int) -> str:
    what = f"{stage} {{}} documents" if stage in _READING else f"wrote {stage}: {{}}"
    left = _format_remaining(done, total, seconds)
    return f"{what.format(_format_count(done, total))}{_rate(done, seconds)}{left}"


def _format_count(done: int, total: int | None) -> str:
    return f"{done:,}" if total is None else f"{done:,} of {total:,}"


def _rate(done: int, seconds: float) -> str:
    return f", {done / seconds:,.0f} a second" if seconds > 1 and done else ""


def _format_remaining(done: int, total: int | None, seconds: float) -> str:
    if total is None or not done or done >= total or seconds <= 1:
        return ""
    rest = (total - done) * seconds / done
    return f", {rest:.0f} s left" if rest < _LONG else f", {rest / 60:.0f} min left"


_LONG = 100
"""Seconds above which a duration is shown in minutes."""
