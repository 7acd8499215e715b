"""How far a long command is, on a terminal: one line that says what is true now."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from lumos_snap.flows.scanning.asked import Progress, Stage, unheard

_EVERY = 0.1  # seconds: a terminal is not faster
_CLEAR = "\r\033[K"


@contextmanager
def scan_progress() -> Iterator[Progress]:
    """A display for a scan; nothing in CI, or where nobody looks."""
    if not sys.stderr.isatty() or os.environ.get("CI"):
        yield unheard
        return
    display = _Display()
    try:
        yield display
    finally:
        click.echo(_CLEAR, err=True, nl=False)


class _Display:
    def __init__(self) -> None:
        self._since: dict[Stage, float] = {}
        self._shown = 0.0

    def __call__(self, stage: Stage, done: int, total: int | None, pages: int = 0) -> None:
        now = time.monotonic()
        since = self._since.setdefault(stage, now)
        if now - self._shown < _EVERY and done != total:
            return
        self._shown = now
        click.echo(f"{_CLEAR}{_line(stage, done, total, pages, now - since)}", err=True, nl=False)


_UNITS = {
    Stage.LISTED: "files",
    Stage.READ: "files",
    Stage.MERGED: "datasets",
    Stage.WRITTEN: "documents",
}


def _line(stage: Stage, done: int, total: int | None, pages: int, seconds: float) -> str:
    of = "" if total is None else f" of {total:,}"
    rate = f", {done / seconds:,.0f} a second" if seconds > 1 and done else ""
    answers = f" in {pages:,} pages" if pages else ""
    return f"{stage} {done:,}{of} {_UNITS[stage]}{answers}{rate}"
