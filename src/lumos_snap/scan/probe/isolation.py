"""Files are looked at in a child process of the worker: one that ends it costs itself, not the job.

The child is a copy of the worker: no package of ours is there to start another program with. For
the same reason it is asked, and answers, in plain values.
"""

import contextlib
import ctypes
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, Pipe
from typing import Any, NoReturn

from lumos_snap.scan.probe.portions import LostError, Portions
from lumos_snap.scan.probe.reading import Asked, Looking, Tallies, Tally, count_in
from lumos_snap.scan.probe.store import Store

_A_PORTION = 250
_MEMORY = 4 * 1024**3
"""Bytes that a child may take: every reader stays far below, and a machine has more."""
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def looked(stores: tuple[Store, ...], files: Iterator[Asked]) -> Tallies:
    """What files say, each of which may end the process that reads it."""
    portions = Portions(files, _A_PORTION)
    found: Tallies = {}
    child: _Child | None = None
    try:
        while asked := portions.following():
            child = child or _Child(stores)
            said = child.look(asked)
            if isinstance(said, str):
                child.end()
                child, said = None, portions.taken_back(asked, said)
            for key, tally in said.items():
                count_in(found, key, tally)
    except LostError as exc:
        raise RuntimeError(f"processes that read files end again and again: {exc}") from None
    finally:
        if child is not None:
            child.end()
    return found


class _Child:
    """A process that looks at files."""

    def __init__(self, stores: tuple[Store, ...]) -> None:
        self._line, theirs = Pipe()
        with warnings.catch_warnings():
            # Python 3.12 warns of other threads: those of a worker hold no lock that we need.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._id = os.fork()
        if self._id == 0:
            _serve(theirs, stores)
        theirs.close()
        if why := self._answer():
            self.end()
            raise RuntimeError(f"files cannot be read here: {why}")

    def look(self, asked: Sequence[Asked]) -> Tallies | str:
        """What files say, or how they have ended the process."""
        with contextlib.suppress(OSError):  # then it does not answer either
            self._line.send([tuple(one) for one in asked])
        said = self._answer()
        return said if isinstance(said, str) else {key: Tally(*one) for key, one in said.items()}

    def _answer(self) -> Any:
        try:
            return self._line.recv()
        except (EOFError, OSError):
            return self.end()

    def end(self) -> str:
        """End it; how it ended, in words."""
        if self._line.closed:
            return "ended before"
        self._line.close()  # one that waits for files ends by itself, but it may be busy
        os.kill(self._id, signal.SIGKILL)
        _, status = os.waitpid(self._id, 0)
        code = os.waitstatus_to_exitcode(status)
        return f"ended by signal {-code}" if code < 0 else f"ended with {code}"


def _serve(line: Connection, stores: tuple[Store, ...]) -> None:
    """Answer until nobody asks any more."""
    with _LastWords(line):
        _part_from_worker(line)
        with Looking(stores) as looking:
            line.send("")
            while True:
                asked = (Asked(*one) for one in line.recv())
                line.send({key: tuple(one) for key, one in looking.tallies(asked).items()})


class _LastWords:
    """The end of a child, whatever came: it says why, and never returns to the worker's work."""

    def __init__(self, line: Connection) -> None:
        self._line = line

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> NoReturn:
        """Say what a file did to its reader, unless the worker has simply no more files."""
        if not isinstance(error, EOFError):
            with contextlib.suppress(OSError):
                self._line.send(f"{type(error).__name__}: {error}")
        os._exit(0)


def _part_from_worker(line: Connection) -> None:
    """Let go of the worker's connections, and end when it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the worker decides when it is over
    own = line.fileno()
    os.closerange(3, own)
    os.closerange(own + 1, os.sysconf("SC_OPEN_MAX"))
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - Windows has none

        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
