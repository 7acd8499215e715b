"""Few files are looked at by processes of our own; what they do to one is told of them alone."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.errors import OutsideError
from lumos_snap.scan.executors.local import ReaderPool
from tests.scan.executors.deadly_stores import LETHAL, Closed, Deadly, asked, in_processes


def test_where_none_starts_the_scan_fails() -> None:
    with pytest.raises(OutsideError, match=r"does not start: .*No module named 'elsewhere'"):
        in_processes(asked("a"), Closed())


@pytest.mark.slow
def test_where_every_file_is_deadly_somebody_says_so() -> None:
    with pytest.raises(OutsideError, match="again and again: ended by signal 9"):
        in_processes(asked(*(f"{LETHAL}/{number}" for number in range(300))), Deadly())


def test_a_scan_that_is_broken_off_leaves_no_process() -> None:
    with ExitStack() as stack:
        found = ReaderPool(stack).look(iter(asked("slow", "fine")), 200, (Deadly(),))
        with pytest.raises(KeyboardInterrupt):
            _interrupted(found)
        began = time.monotonic()
    assert time.monotonic() - began < 5
    assert not list(_children())


def _interrupted(found: Iterator[Any]) -> None:
    def press(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, press)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        list(found)
    finally:
        signal.signal(signal.SIGALRM, before)


def _children() -> Iterator[str]:
    """Readers that run below this process."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = status.read_text().rpartition(")")[2].split()[1]
            words = status.with_name("cmdline").read_bytes()
        except OSError:
            continue
        if int(parent) == os.getpid() and b"lumos_snap.scan.executors.local" in words:
            yield status.parent.name
