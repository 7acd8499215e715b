"""Queued files in portions; a portion that crashes its reader is split in halves."""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice

from lumos_snap.scan.executors.file_task import FileTallies, FileTask, report_crash

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
