"""One file, read in ranges: the only way in which bytes reach a probe."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

ENDS = 64 * 1024
"""How much of each end of a file is read at once: it holds most footers and headers whole."""


class BadFileError(Exception):
    """A file that cannot be described; the reason is one of `reasons`, the detail is for people."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class RangedFile:
    """A file of a known size. Both of its ends are read once, however often they are asked for."""

    def __init__(self, size: int, read: Callable[[int, int], bytes]) -> None:
        self.size = size
        self._read = read
        self._head = b""
        self._tail = b""

    def read(self, offset: int, length: int) -> bytes:
        """Some bytes; fewer where the file ends before."""
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
        """The first bytes."""
        if length > len(self._head) < self.size:
            self._head = self._read(0, min(max(length, ENDS), self.size))
        return self._head[:length]

    def tail(self, length: int = ENDS) -> bytes:
        """The last bytes."""
        if length > len(self._tail) < self.size:
            reach = min(max(length, ENDS), self.size)
            self._tail = self.read(self.size - reach, reach)
        return self._tail[-length:] if length else b""


class FileEntry(NamedTuple):
    """A file as a listing knows it."""

    path: str
    """Below the root, with `/` between names; bytes that are not UTF-8 are surrogate escapes."""
    size: int
    modified: int
    """In nanoseconds since 1970."""
    tag: str = ""
    """Whatever else the store says that changes with the content: an etag, a checksum."""


class Trouble(NamedTuple):
    """What could not be looked at; a folder `hides` what lies below it."""

    path: str
    reason: str
    detail: str
    hides: bool = False


Wants = Callable[[str], bool]
"""Whether a folder, without a slash at its end, may hold files that are asked for."""

OnAnswer = Callable[[], None]
"""Is told of each answer of the store, in the thread that asks for the files."""


def ignore_answer() -> None:
    """Nobody counts the answers."""


class Reader(Protocol):
    """Opens the files of one store, in one task; several threads may use it at once."""

    def opened(self, path: str) -> AbstractContextManager[RangedFile]:
        """A file, open for ranged reads for as long as the context lasts."""
        ...


class Store(Protocol):
    """Where files lie."""

    @property
    def at_once(self) -> int:
        """How many files a task does well to read at once: more than one where reads wait."""
        ...

    def entries(
        self, start: str, may_hold: Wants, answered: OnAnswer = ignore_answer
    ) -> Iterator[FileEntry | Trouble]:
        """Every file below a folder, in any order; only of folders that `may_hold` any.

        Raises `OutsideError` where nothing at all can be reached. What fails later is a trouble
        that hides what lies below it, and the rest goes on.
        """
        ...

    def has(self, path: str) -> bool:
        """Whether something lies at a path."""
        ...

    def reader(self) -> Reader:
        """What a task reads files with."""
        ...


_SMALL = 256 * 1024


def remote_file(size: int, read: Callable[[int, int], bytes]) -> RangedFile:
    """A file that is read whole by its first read if it is small, so that a probe asks once."""
    if size > _SMALL:
        return RangedFile(size, read)
    whole: list[bytes] = []

    def kept(offset: int, length: int) -> bytes:
        if not whole:
            whole.append(read(0, size))
        return whole[0][offset : offset + length]

    return RangedFile(size, kept)
