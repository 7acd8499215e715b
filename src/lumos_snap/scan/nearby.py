"""Looking at files in processes of our own on this machine: so few that Spark is not worth it.

Spark takes seconds to start, and looking at twenty thousand files takes no longer than that. The
same function looks at them, so what comes of it is the same. Where a file ends the process that
looks at it, another one takes over, and the file is told of as damaged.
"""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from multiprocessing.connection import wait

from lumos_snap.errors import OutsideError
from lumos_snap.scan.probe.reading import Asked, Line, refused
from lumos_snap.scan.probe.reasons import DAMAGED
from lumos_snap.scan.probe.store import Store
from lumos_snap.scan.reader import Reader

FEW = 20_000
"""How many files are looked at in about the time that Spark takes to start."""

_A_PORTION = 100
"""Files that a process looks at between two answers."""
_MOST = 8
"""Processes at once: more of them start for longer than they read."""


_ENOUGH = 200
"""Processes that may be lost: beyond, it is not the files."""


class Readers:
    """Processes that look at files, until the end of the stack."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._started = [self._new()]  # while files are still being listed

    def look(
        self, files: Iterator[Asked], count: int, stores: tuple[Store, ...]
    ) -> Iterator[list[Line]]:
        """What files say, as it comes."""
        waiting = _Waiting(files)
        wanted = min(cores(), _MOST, -(-count // _A_PORTION))
        self._started += [self._new() for _ in range(wanted - len(self._started))]
        busy: dict[object, Reader] = {}
        for reader in self._started:
            _put_to_work(reader.ready(stores), waiting, busy)
        while busy:
            for line in wait([reader.line for reader in busy.values()]):
                reader = busy.pop(line)
                asked, found = reader.asked, reader.answer()
                if found is None:
                    found = waiting.taken_back(asked, reader.ended())
                    reader = self._new().ready(stores)
                _put_to_work(reader, waiting, busy)
                yield found

    def _new(self) -> Reader:
        reader = Reader()
        self._stack.callback(reader.close)
        return reader


def cores() -> int:
    """How many processes run at once here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _put_to_work(reader: Reader, waiting: "_Waiting", busy: dict[object, Reader]) -> None:
    """Before what it said is taken in: it need not wait for that."""
    if portion := waiting.portion():
        reader.ask(portion)
        busy[reader.line] = reader


class _Waiting:
    """Files that nobody looks at yet."""

    def __init__(self, files: Iterator[Asked]) -> None:
        self._files = files
        self._again: deque[Sequence[Asked]] = deque()
        self._lost = 0

    def portion(self) -> Sequence[Asked]:
        """The next ones; none where all were given out."""
        return self._again.popleft() if self._again else list(islice(self._files, _A_PORTION))

    def taken_back(self, asked: Sequence[Asked], how: str) -> list[Line]:
        """One of these ended a process: they are looked at in halves until it is alone."""
        self._lost += 1
        if self._lost > _ENOUGH:
            raise OutsideError(
                f"processes that read files end again and again: {how}",
                hint="is there memory enough? `--master 'local[*]'` reads with Spark",
            )
        if len(asked) == 1:
            return [refused(asked[0], DAMAGED, f"ends the process that reads it: {how}")]
        half = len(asked) // 2
        self._again += [asked[:half], asked[half:]]
        return []
