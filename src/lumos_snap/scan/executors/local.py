"""The local engine: processes on this machine read files, without Java.

They run the function that Spark's tasks run, so the result is the same. Where a file crashes its
process, another one takes over, and the file is reported as damaged.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection, Pipe, wait

from lumos_snap.errors import OutsideError
from lumos_snap.scan.executors.file_task import EvidenceLine, FileProber, FileTask, lines_of
from lumos_snap.scan.executors.task import CrashesError, Portions
from lumos_snap.scan.stores.store import Store

# A process that reads files for a scan on this machine: one answer per request.


_READY = "ready"
_PATIENCE = 60  # seconds until a process has started, on a machine that is very busy
_ENDING = 5  # seconds
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[2:];"
    "from lumos_snap.scan.executors.local import main; main()"
)


def main() -> None:
    """Answer requests until the parent closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to end
    line = Connection(int(sys.argv[1]))
    with suppress(EOFError, ConnectionError), FileProber(line.recv()) as looking:
        line.send(_READY)
        while True:
            line.send(looking.lines(line.recv()))
    os._exit(0)  # do not wait for a thread that still waits for a store


class ReaderProcess:
    """Such a process, and its current request."""

    def __init__(self) -> None:
        self.line, theirs = Pipe()
        self.asked: Sequence[FileTask] = ()
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it ends
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(theirs.fileno()), *sys.path],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._words,
                start_new_session=True,  # Ctrl-C goes to the parent, which ends this process
            )

    def ready(self, stores: tuple[Store, ...]) -> "ReaderProcess":
        """Send the stores, and wait until the process has started."""
        with suppress(EOFError, OSError):
            self.line.send(stores)
            if self.line.poll(_PATIENCE) and self.line.recv() == _READY:
                return self
        raise OutsideError(
            f"a process that reads files does not start: {self.ended()}",
            hint="`lumos doctor` shows what is missing; `--engine spark` reads with Spark",
        )

    def ask(self, asked: Sequence[FileTask]) -> None:
        """Send files to read; a process that has ended does not answer."""
        self.asked = asked
        with suppress(OSError):
            self.line.send(asked)

    def answer(self) -> list[EvidenceLine] | None:
        """Return the evidence of the files; None if they crashed the process."""
        try:
            found: list[EvidenceLine] = self.line.recv()
        except (EOFError, OSError):
            return None
        self.asked = ()
        return found

    def ended(self, patience: float = _ENDING) -> str:
        """End the process, immediately if a request is open; return how it ended, as text."""
        self.line.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        self._process.kill()
        code = self._process.wait()
        with self._words as words:
            words.seek(0)
            said = words.read().decode(errors="replace").strip().rpartition("\n")[2]
        return said or (f"ended by signal {-code}" if code < 0 else f"ended with {code}")

    def close(self) -> None:
        """Release the process."""
        if not self._words.closed:
            self.ended(0 if self.asked else _ENDING)


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
