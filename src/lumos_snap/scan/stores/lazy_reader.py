"""Readers that connect when they open their first file, and stop when a store is down."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.arrow_reader import AT_ONCE, bad_file
from lumos_snap.scan.stores.errors import StoreRefusedError
from lumos_snap.scan.stores.store import BadFileError, RangedFile, Reader

ENOUGH = AT_ONCE
"""Number of consecutive unreachable files after which no more are tried."""
_NOT_TRIED = "was not tried: the store does not answer any more"


class LazyReader:
    """A reader that reports a failed connection per file, so that the job continues.

    It connects once, and keeps the result. Each file of a store that is down would take until its
    deadline: after some of them, the others are not tried.
    """

    def __init__(self, connect: Callable[[], Reader]) -> None:
        self._connect = connect
        self._lock = Lock()
        self._found: Reader | BadFileError | None = None
        self._unreached = 0
        """Number of consecutive files, up to now, that could not be reached."""

    def opened(self, path: str) -> AbstractContextManager[RangedFile]:
        """Open a file for ranged reads within the context."""
        reader = self._connected()
        if self._unreached >= ENOUGH:
            raise BadFileError(error_codes.UNREACHABLE, _NOT_TRIED)
        return self._counted(reader, path)

    @contextmanager
    def _counted(self, reader: Reader, path: str) -> Iterator[RangedFile]:
        try:
            with reader.opened(path) as file:
                yield file
        except BadFileError as exc:
            self._count(is_reached=exc.reason != error_codes.UNREACHABLE)
            raise
        self._count(is_reached=True)

    def _connected(self) -> Reader:
        with self._lock:
            if self._found is None:
                self._found = self._tried()
        if isinstance(self._found, BadFileError):
            raise BadFileError(self._found.reason, self._found.detail)
        return self._found

    def _count(self, *, is_reached: bool) -> None:
        with self._lock:
            self._unreached = 0 if is_reached else self._unreached + 1

    def _tried(self) -> Reader | BadFileError:
        try:
            return self._connect()
        except StoreRefusedError as exc:
            return BadFileError(exc.reason, exc.detail)
        except (OSError, ValueError) as exc:
            return bad_file(str(exc))
