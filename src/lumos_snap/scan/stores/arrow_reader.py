"""Ranged reads through pyarrow's file systems, which are available in workers."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.errors import redact_message
from lumos_snap.scan.stores.store import BadFileError, RangedFile, remote_file
from lumos_snap.scan.stores.timeouts import LATEST, call_within

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

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
