"""One file, read in ranges: the only way in which bytes reach a probe."""

from collections.abc import Callable

ENDS = 64 * 1024
"""How much of each end of a file is read at once: it holds most footers and headers whole."""


class BadFileError(Exception):
    """A file that cannot be described; the reason is one of `reasons`, the detail is for people."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class File:
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
