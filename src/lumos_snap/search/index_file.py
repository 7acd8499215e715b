"""The index file beside a tree: it affects speed, never the result, and is safe to delete.

A seal beside the index records the state of its file after the last search. Where the two differ
(a kill, a copy, damage, another version), the index is rebuilt without being opened. One search at
a time holds both.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from lumos_snap._version import __version__
from lumos_snap.errors import LumosError
from lumos_snap.search.index import LAYOUT, SearchIndex
from lumos_snap.tree.files import STATE
from lumos_snap.tree.writer import ignore_state, make_state_folder, refuse_repository

Announce = Callable[[str], None]

PATIENCE = 60.0
_INDEX, _SEAL, _LOCK = "search.db", "search.seal", "search.lock"
_JOURNAL = f"{_INDEX}-journal"
_SHORT = 0.02


class Shelf:
    """The index files of a tree, held by one search."""

    def __init__(self, root: Path) -> None:
        self._folder = root / STATE
        self._place = self._folder / _INDEX
        self._opened = (0, 0)

    @contextmanager
    def index(self) -> Iterator[tuple[SearchIndex, int]]:
        """Open the index; also returns the time of the last complete check, 0 for a new one."""
        looked_at = self._sealed()
        if looked_at is None:
            self.discard()
        (self._folder / _JOURNAL).unlink(missing_ok=True)  # our searches leave no journal
        with closing(SearchIndex(self._place)) as index:
            status = os.lstat(self._place)
            self._opened = (status.st_dev, status.st_ino)
            yield index, looked_at or 0

    def discard(self) -> None:
        """Delete the index, which is invalid or not trusted."""
        for name in (_SEAL, _INDEX, _JOURNAL):
            (self._folder / name).unlink(missing_ok=True)

    def seal(self, looked_at: int, *, is_changed: bool) -> None:
        """Seal the complete index before it is closed."""
        if is_changed:
            self._settle()
        status = os.lstat(self._place)
        if (status.st_dev, status.st_ino) != self._opened:
            return  # the index was deleted, and another search rebuilds it
        said = f"{_seal_text(status)} {looked_at}".encode()
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
        descriptor = os.open(self._folder / _SEAL, flags, 0o666)
        try:
            os.pwrite(descriptor, said, 0)
            os.ftruncate(descriptor, len(said))
        finally:
            os.close(descriptor)

    def _settle(self) -> None:
        descriptor = os.open(self._place, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _sealed(self) -> int | None:
        """Time of the last complete check, if the index matches its seal."""
        with suppress(OSError, ValueError):
            descriptor = os.open(self._folder / _SEAL, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                said, _, looked_at = os.read(descriptor, 4096).decode().rpartition(" ")
            finally:
                os.close(descriptor)
            return int(looked_at) if said == _seal_text(os.lstat(self._place)) else None
        return None


def _seal_text(status: os.stat_result) -> str:
    """Content of the seal: versions of the software, and the state of the index file."""
    from sqlite3 import sqlite_version  # noqa: PLC0415 - some Pythons are built without it

    times = (status.st_mtime_ns, status.st_ctime_ns)
    own = (status.st_mode, status.st_dev, status.st_ino, status.st_size, *times)
    return " ".join(map(str, (LAYOUT, __version__, sqlite_version, *own)))


@contextmanager
def open_shelf(
    root: Path, announce: Announce, patience: float = PATIENCE
) -> Iterator[Shelf | None]:
    """Lock the index files of a tree; None where the lock is unavailable."""
    descriptor = _open_lock(root, announce, patience)
    if descriptor is None:
        yield None
        return
    try:
        yield Shelf(root)
    finally:
        os.close(descriptor)


def explain_in_memory(why: str) -> str:
    """Message for a search without a stored index."""
    return f"the search index is made in memory, for this search only: {why}"


def _open_lock(root: Path, announce: Announce, patience: float) -> int | None:
    try:
        refuse_repository(root)
        make_state_folder(root, STATE)
        ignore_state(root)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(root / STATE / _LOCK, flags, 0o666)
    except LumosError as exc:
        announce(explain_in_memory(exc.message))
        return None
    except OSError as exc:
        announce(explain_in_memory(f"{STATE} cannot be written to: {exc.strerror}"))
        return None
    why = _wait_for_lock(descriptor, patience)
    if why:
        os.close(descriptor)
        announce(explain_in_memory(why))
        return None
    return descriptor


def _wait_for_lock(descriptor: int, patience: float) -> str:
    """Wait for the lock; returns why it is unavailable, or an empty text."""
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return "another search has held it for too long"
            time.sleep(_SHORT)
        except OSError as exc:
            return f"it cannot be locked: {exc.strerror}"
        else:
            return ""
