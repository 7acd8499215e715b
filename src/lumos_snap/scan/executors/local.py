"""The local engine: processes on this machine read files, without Java.

They run the function that Spark's tasks run, so the result is the same. Where a file crashes its
process, another one takes over, and the file is reported as damaged.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from multiprocessing.connection import wait

from lumos_snap.errors import OutsideError
from lumos_snap.scan.executors.file_task import EvidenceLine, FileTask, lines_of
from lumos_snap.scan.executors.local_worker import ReaderProcess
from lumos_snap.scan.executors.task import CrashesError, Portions
from lumos_snap.scan.stores.store import Store

_A_PORTION = 100
"""Files that a process reads per request."""
_MOST = 8
"""Maximum number of processes: more take longer to start than they save."""


class ReaderPool:
    """Processes that read files; they end with the stack."""

    def __init__(self, stack: ExitStack) -> None:
        self.have_read = False
        self._stack = stack
        self._started = [self._new()]  # while files are still being listed

    def look(
        self, files: Iterator[FileTask], count: int, stores: tuple[Store, ...]
    ) -> Iterator[list[EvidenceLine]]:
        """Yield the evidence of files, as it arrives."""
        self.have_read = True
        waiting = Portions(files, _A_PORTION)
        wanted = min(count_cores(), _MOST, -(-count // _A_PORTION))
        self._started += [self._new() for _ in range(wanted - len(self._started))]
        busy: dict[object, ReaderProcess] = {}
        for reader in self._started:
            _put_to_work(reader.ready(stores), waiting, busy)
        while busy:
            for line in wait([reader.line for reader in busy.values()]):
                reader = busy.pop(line)
                asked, found = reader.asked, reader.answer()
                if found is None:
                    found = _split(waiting, asked, reader.ended())
                    reader = self._new().ready(stores)
                _put_to_work(reader, waiting, busy)
                yield found

    def _new(self) -> ReaderProcess:
        reader = ReaderProcess()
        self._stack.callback(reader.close)
        return reader


def count_cores() -> int:
    """Return the number of processes that can run at once on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _put_to_work(
    reader: ReaderProcess, waiting: Portions, busy: dict[object, ReaderProcess]
) -> None:
    """Assign new files before the last answer is processed, so that the process does not wait."""
    if portion := waiting.next_portion():
        reader.ask(portion)
        busy[reader.line] = reader


def _split(waiting: Portions, asked: Sequence[FileTask], how: str) -> list[EvidenceLine]:
    try:
        return lines_of(waiting.split(asked, how))
    except CrashesError as exc:
        raise OutsideError(
            f"processes that read files end again and again: {how}",
            hint="is there memory enough? `--engine spark` reads with Spark",
        ) from exc
