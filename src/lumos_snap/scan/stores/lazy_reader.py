"""Readers that connect when they open their first file, and stop when a store is down.

Ranges of files are read through pyarrow, which workers have.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.request_pool import LATEST, call_within
from lumos_snap.scan.stores.store import (
    BadFileError,
    RangedFile,
    Reader,
    StoreRefusedError,
    redact_message,
    remote_file,
)

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

# Ranged reads through pyarrow's file systems, which are available in workers.


T = TypeVar("T")

AT_ONCE = 16
"""Number of files that a task reads at once: each read waits for the network."""
GONE = "was there when the folder was listed, and is gone"
DENIED = "access is denied"
BUSY = "cannot be reached, or stays busy"
_SAID = (
    (re.compile(r"(?i)invalid.?object.?state|BlobArchived"), error_codes.ARCHIVED,
     "is archived: it must be restored before it can be read"),
    (re.compile(r"(?i)access.?denied|forbidden|permission.?denied|unauthori[sz]ed|\b40[13]\b"
                r"|Authorization(?:Permission)?(?:Failure|Mismatch)|AuthenticationFailed"
                r"|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT_MATCH"),
     error_codes.UNREADABLE, DENIED),
    (re.compile(r"(?i)not.?found|no such|\b404\b|NO_SUCH_KEY"), error_codes.VANISHED, GONE),
    (re.compile(r"(?i)time.?out|timed out|NETWORK_CONNECTION"),
     error_codes.UNREACHABLE, "did not answer in time"),
    (re.compile(r"(?i)connect to (?:the endpoint|server)|get a new connection|max retries exceeded"
                r"|(?:establish a new|broken|closed|reset|refused|aborted).{0,20}connection"
                r"|connection.{0,20}(?:broken|closed|reset|refused|aborted)"
                r"|slow_?down|service.?unavailable|server.?busy|internal.?(?:server.?)?(?:error|fail)"
                r"|(?:status |error: \[\] |occurred \()(?:429|50\d)\b"),
     error_codes.UNREACHABLE, BUSY),
)  # fmt: skip


class ArrowReader:
    """Opens the files below a path of a pyarrow file system."""

    def __init__(self, filesystem: "FileSystem", top: str) -> None:
        self._filesystem = filesystem
        self._top = top

    @contextmanager
    def opened(self, path: str) -> Iterator[RangedFile]:
        """Open a file for ranged reads within the context."""
        file = call_store(lambda: self._filesystem.open_input_file(f"{self._top}{path}"))
        with file:
            size = call_store(file.size)
            yield remote_file(
                size, lambda offset, length: call_store(lambda: file.read_at(length, offset))
            )


def call_store(call: Callable[[], T]) -> T:
    """Return the result of a read; raise `BadFileError` if it fails or takes too long."""
    try:
        return call_within(LATEST, call)
    except TimeoutError as exc:
        raise BadFileError(error_codes.UNREACHABLE, str(exc)) from exc
    except FileNotFoundError as exc:
        raise BadFileError(error_codes.VANISHED, GONE) from exc
    except PermissionError as exc:
        raise BadFileError(error_codes.UNREADABLE, DENIED) from exc
    except (OSError, RuntimeError) as exc:  # clients written in Rust raise the latter
        raise bad_file(str(exc)) from exc


def bad_file(text: str) -> BadFileError:
    """Build the error for a client's message."""
    for pattern, reason, detail in _SAID:
        if pattern.search(text):
            return BadFileError(reason, detail)
    return BadFileError(error_codes.UNREADABLE, f"cannot be read: {redact_message(text)}")


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
