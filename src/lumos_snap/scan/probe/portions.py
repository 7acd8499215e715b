"""Files that wait to be looked at; those that end a process come back in halves, until alone."""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice

from lumos_snap.scan.probe.reading import Asked, Tallies, refused

ENOUGH = 200
"""Processes that may be lost: beyond, it is not the files."""


class LostError(Exception):
    """So many processes have ended that it cannot be the files."""


class Portions:
    """Files, handed out in portions."""

    def __init__(self, files: Iterator[Asked], size: int) -> None:
        self._files = files
        self._size = size
        self._again: deque[Sequence[Asked]] = deque()
        self._lost = 0

    def following(self) -> Sequence[Asked]:
        """The next files; none where all were handed out."""
        return self._again.popleft() if self._again else list(islice(self._files, self._size))

    def taken_back(self, asked: Sequence[Asked], how: str) -> Tallies:
        """One of these files ended a process: what is said of it, where it is alone by now."""
        self._lost += 1
        if self._lost > ENOUGH:
            raise LostError(how)
        if len(asked) == 1:
            return refused(asked[0], how)
        half = len(asked) // 2
        self._again += [asked[:half], asked[half:]]
        return {}
