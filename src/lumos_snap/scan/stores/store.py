"""The interface of stores, and files read in ranges: the only way in which a probe gets bytes.

Messages of errors contain no credentials.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lumos_snap.scan.executors.error_codes import UNREADABLE

if TYPE_CHECKING:
    from lumos_snap.errors import LumosError

# Errors of stores, with messages that contain no credentials.


_QUERY = re.compile(r"(\w+://[^\s?\"'<>]*)\?[^\s\"'<>]*")
_PATH = re.compile(r"(?: with)? url: \S+")  # the end of urllib3's messages
_USER = re.compile(r"(?<=://)[^/@\s]*@")
_SECRET = re.compile(r"(?i)\b(sig|signature|token|password|secret|key|x-amz-[\w-]+)=[^\s&\"']+")
_LONGEST = 200

CREDENTIALS = "check the credentials: docs/guides/stores.md says where they are looked for"
ADDRESS = "check the address in lumos.yaml"
NETWORK = "check the address, and that this machine reaches it"


class StoreRefusedError(Exception):
    """An error of a store or of the connection: one of `error_codes`, a message and a hint."""

    def __init__(self, reason: str, detail: str, hint: str) -> None:
        super().__init__(reason, detail, hint)
        self.reason = reason
        self.detail = detail
        self.hint = hint


class AbsentError(StoreRefusedError):
    """The client of a store is not installed, here or in the workers."""

    def __init__(self, store: str, extra: str, missing: ImportError) -> None:
        detail = f"reading {store} needs {missing.name or extra}, which is not installed"
        super().__init__(UNREADABLE, detail, f"pip install 'lumos-snap[{extra}]'")


def redact_message(text: str) -> str:
    """Return the first line of a client's message, without anything that could be a secret."""
    lines = text.replace("\\n", "\n").splitlines()
    line = next((line.strip() for line in lines if line.strip()), "")
    line = _SECRET.sub(r"\1=…", _USER.sub("", _QUERY.sub(r"\1", _PATH.sub("", line))))
    return line[:_LONGEST].rstrip(".: ")


def make_outside_error(address: str, refused: StoreRefusedError) -> "LumosError":
    """Build the error that ends a scan, because a store cannot be reached."""
    # Workers do not have this package: what only the driver needs is imported where it is used.
    from lumos_snap.errors import MissingPackageError, OutsideError  # noqa: PLC0415

    kind = MissingPackageError if isinstance(refused, AbsentError) else OutsideError
    return kind(f"{address}: {refused.detail}", hint=refused.hint)


ENDS = 64 * 1024
"""Bytes to read at once from each end of a file: most footers and headers are shorter."""


class BadFileError(Exception):
    """A file that cannot be described: one of `error_codes`, and a detail for people."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class RangedFile:
    """A file of known size; each of its ends is read once, however often it is requested."""

    def __init__(self, size: int, read: Callable[[int, int], bytes]) -> None:
        self.size = size
        self._read = read
        self._head = b""
        self._tail = b""

    def read(self, offset: int, length: int) -> bytes:
        """Read bytes; fewer at the end of the file."""
        end = min(offset + length, self.size)
        if end <= offset:
            return b""
        if end <= len(self._head):
            return self._head[offset:end]
        start = self.size - len(self._tail)
        if offset >= start:
            return self._tail[offset - start : end - start]
        return self._read(offset, end - offset)

    def head(self, length: int = ENDS) -> bytes:
        """Return the first bytes."""
        if length > len(self._head) < self.size:
            self._head = self._read(0, min(max(length, ENDS), self.size))
        return self._head[:length]

    def tail(self, length: int = ENDS) -> bytes:
        """Return the last bytes."""
        if length > len(self._tail) < self.size:
            reach = min(max(length, ENDS), self.size)
            self._tail = self.read(self.size - reach, reach)
        return self._tail[-length:] if length else b""


class FileEntry(NamedTuple):
    """A file as listed."""

    path: str
    """Relative to the root, with `/`; bytes that are not UTF-8 are surrogate escapes."""
    size: int
    modified: int
    """In nanoseconds since 1970."""
    tag: str = ""
    """Anything else from the store that changes with the content: an etag, a checksum."""


class Trouble(NamedTuple):
    """A path that could not be listed or read; for a folder, `hides` means all below it as well."""

    path: str
    reason: str
    detail: str
    hides: bool = False


Wants = Callable[[str], bool]
"""Whether a folder (no trailing slash) may contain requested files."""

OnAnswer = Callable[[], None]
"""Called after each response of the store, in the thread that consumes the files."""


def ignore_answer() -> None:
    """Ignore responses."""


class Reader(Protocol):
    """Opens the files of one store, in one task; it is thread-safe."""

    def opened(self, path: str) -> AbstractContextManager[RangedFile]:
        """Open a file for ranged reads within the context."""
        ...


class Store(Protocol):
    """A place where files are stored."""

    @property
    def at_once(self) -> int:
        """Number of files that a task should read at once: more than one if reads wait."""
        ...

    def entries(
        self, start: str, may_hold: Wants, answered: OnAnswer = ignore_answer
    ) -> Iterator[FileEntry | Trouble]:
        """List every file below a folder, in any order; only in folders that `may_hold` selects.

        Raise `OutsideError` if the store cannot be reached at all. A later failure is a trouble
        that hides what is below it, and the listing goes on.
        """
        ...

    def has(self, path: str) -> bool:
        """Whether a file or folder exists at a path."""
        ...

    def reader(self) -> Reader:
        """Return the reader of a task."""
        ...


_SMALL = 256 * 1024


def remote_file(size: int, read: Callable[[int, int], bytes]) -> RangedFile:
    """Create a remote file; a small one is read whole, so that a probe needs one request."""
    if size > _SMALL:
        return RangedFile(size, read)
    whole: list[bytes] = []

    def kept(offset: int, length: int) -> bytes:
        if not whole:
            whole.append(read(0, size))
        return whole[0][offset : offset + length]

    return RangedFile(size, kept)
