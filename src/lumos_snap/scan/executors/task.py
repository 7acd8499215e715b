"""Reads files in a child process of a Spark worker: a file that crashes it does not end the job.

The worker forks, because this package is not installed there and none of its programs can be
started. For the same reason only plain values go through the pipe: our classes cannot be unpickled
there.
"""

import contextlib
import ctypes
import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from multiprocessing.connection import Connection, Pipe
from typing import TYPE_CHECKING, Any, NoReturn

from lumos_snap.scan.executors.file_task import (
    EvidenceLine,
    FileProber,
    FileTallies,
    FileTally,
    FileTask,
    add_tally,
    lines_of,
    report_crash,
)
from lumos_snap.scan.stores.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

# Queued files in portions; a portion that crashes its reader is split in halves.


MOST_CRASHES = 200
"""Crashes after which the files cannot be the reason."""


class CrashesError(Exception):
    """Readers crashed so often that the files cannot be the reason."""


class Portions:
    """Files, handed out in portions."""

    def __init__(self, files: Iterator[FileTask], size: int) -> None:
        self._files = files
        self._size = size
        self._again: deque[Sequence[FileTask]] = deque()
        self._crashes = 0

    def next_portion(self) -> Sequence[FileTask]:
        """Return the next files; empty after the last one."""
        return self._again.popleft() if self._again else list(islice(self._files, self._size))

    def split(self, asked: Sequence[FileTask], how: str) -> FileTallies:
        """Queue the halves of a portion that crashed its reader; report a file that is alone."""
        self._crashes += 1
        if self._crashes > MOST_CRASHES:
            raise CrashesError(how)
        if len(asked) == 1:
            return report_crash(asked[0], how)
        half = len(asked) // 2
        self._again += [asked[:half], asked[half:]]
        return {}


_A_PORTION = 250
_MEMORY = 4 * 1024**3
"""Bytes of data that a child may allocate; readers stay far below."""

_Answer = dict[tuple[int, str], tuple[list[int], list[int], list[str], int | None]] | str
"""The tallies as plain values, or the error that ended the child; empty when it is ready."""
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def read_in_child(stores: tuple[Store, ...], files: Iterator[FileTask]) -> FileTallies:
    """Read the evidence of files; a file that crashes the child is reported as damaged."""
    portions = Portions(files, _A_PORTION)
    found: FileTallies = {}
    child: _Child | None = None
    try:
        while asked := portions.next_portion():
            child = child or _Child(stores)
            said = child.look(asked)
            if isinstance(said, str):
                child.end()
                child, said = None, portions.split(asked, said)
            for key, tally in said.items():
                add_tally(found, key, tally)
    except CrashesError as exc:
        raise RuntimeError(f"processes that read files end again and again: {exc}") from None
    finally:
        if child is not None:
            child.end()
    return found


class _Child:
    """A process that reads files."""

    def __init__(self, stores: tuple[Store, ...]) -> None:
        self._line, theirs = Pipe()
        with warnings.catch_warnings():
            # Python 3.12 warns about other threads: a worker's threads hold no lock that the child
            # needs.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._id = os.fork()
        if self._id == 0:
            _serve(theirs, stores)
        theirs.close()
        if why := self._answer():
            self.end()
            raise RuntimeError(f"files cannot be read here: {why}")

    def look(self, asked: Sequence[FileTask]) -> FileTallies | str:
        """Read files; return the tallies, or how the child crashed."""
        with contextlib.suppress(OSError):  # the child has ended: there is no answer either
            self._line.send([tuple(one) for one in asked])
        said = self._answer()
        return (
            said if isinstance(said, str) else {key: FileTally(*one) for key, one in said.items()}
        )

    def _answer(self) -> _Answer:
        try:
            answer: _Answer = self._line.recv()
        except (EOFError, OSError):
            return self.end()
        return answer

    def end(self) -> str:
        """End the child; return how it ended, as text."""
        if self._line.closed:
            return "ended before"
        self._line.close()  # an idle child ends by itself, but it may be busy
        os.kill(self._id, signal.SIGKILL)
        _, status = os.waitpid(self._id, 0)
        code = os.waitstatus_to_exitcode(status)
        return f"ended by signal {-code}" if code < 0 else f"ended with {code}"


def _serve(line: Connection, stores: tuple[Store, ...]) -> None:
    """Answer requests until the worker closes the pipe."""
    with _ExitReport(line):
        _detach(line)
        with FileProber(stores) as looking:
            line.send("")
            while True:
                asked = (FileTask(*one) for one in line.recv())
                line.send({key: tuple(one) for key, one in looking.tallies(asked).items()})


class _ExitReport:
    """Ends the child and reports the error, so that it never returns into the worker's own code."""

    def __init__(self, line: Connection) -> None:
        self._line = line

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> NoReturn:
        """Report the error, except a closed pipe: then the worker has no more files."""
        if not isinstance(error, EOFError):
            with contextlib.suppress(OSError):
                self._line.send(f"{type(error).__name__}: {error}")
        os._exit(0)


def _detach(line: Connection) -> None:
    """Close the worker's connections, end when it ends, and limit memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the worker decides when to end
    own = line.fileno()
    os.closerange(3, own)
    os.closerange(own + 1, os.sysconf("SC_OPEN_MAX"))
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - Windows has none

        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


Task = Callable[[Iterator[Any]], Iterator[Any]]

COLUMNS = ("dataset", "number", "store", "path", "hint", "suffix", "parts")
RESULT_SCHEMA = "line string, numbers array<int>, rows array<bigint>"
"""Result of a task: the evidence as JSON, and the numbers and rows of the files that give it."""


def make_task(stores: tuple[Store, ...]) -> Task:
    """Build the function that Spark maps over batches of files."""

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        files = (one for batch in batches for one in _iter_tasks(batch))
        yield _batch(_read_lines(stores, files))

    return task


def _read_lines(stores: tuple[Store, ...], files: Iterator[FileTask]) -> list[EvidenceLine]:
    if not hasattr(os, "fork"):  # Windows: a file that crashes its reader ends the job
        with FileProber(stores) as looking:
            return looking.lines(files)
    return lines_of(read_in_child(stores, files))


def _iter_tasks(batch: "pa.RecordBatch") -> Iterator[FileTask]:
    columns = [batch.column(name).to_pylist() for name in COLUMNS]
    for dataset, number, store, path, hint, suffix, parts in zip(*columns, strict=True):
        names = tuple(map(_decode_path, parts or ()))
        yield FileTask(dataset, number, store, _decode_path(path), hint, suffix, names)


def _decode_path(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _batch(lines: list[EvidenceLine]) -> "pa.RecordBatch":
    import pyarrow as pa

    columns = (
        pa.array([line.said for line in lines], pa.string()),
        pa.array([line.numbers for line in lines], pa.list_(pa.int32())),
        pa.array([line.rows for line in lines], pa.list_(pa.int64())),
    )
    return pa.RecordBatch.from_arrays(list(columns), ["line", "numbers", "rows"])
