"""Files that wait to be looked at: as many as there are, on disk, read back in parts."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TextIO

from lumos_snap.scan.listing import BETWEEN, escaped, lines_in, opened, unescaped


class Unread(NamedTuple):
    """A file to look at, or a table by the files of its log."""

    dataset: int
    number: int
    """Of the file, in the ledger of its source."""
    path: str
    hint: str
    suffix: str
    parts: tuple[str, ...] = ()


@dataclass(slots=True)
class Spool:
    """Files put down one by one, and taken up again in the same order."""

    path: Path
    stack: ExitStack
    count: int = 0
    _file: TextIO | None = None

    def add(self, one: Unread) -> None:
        """Put a file down."""
        if self._file is None:
            self._file = self.stack.enter_context(opened(self.path, "w"))
        dataset, number, path, hint, suffix, parts = one
        names = BETWEEN.join(map(escaped, (path, *parts)))
        self._file.write(f"{dataset}\0{number}\0{hint}\0{suffix}\0{names}\n")
        self.count += 1

    def portions(self, most: int) -> Iterator[list[Unread]]:
        """All files, so many at a time."""
        if self._file is None:
            return
        self._file.flush()
        with opened(self.path, "r") as file:
            waiting = map(_unread, lines_in(file))
            while portion := list(islice(waiting, most)):
                yield portion


def _unread(line: str) -> Unread:
    dataset, number, hint, suffix, *names = line.split(BETWEEN)
    path, *parts = map(unescaped, names)
    return Unread(int(dataset), int(number), path, hint, suffix, tuple(parts))
