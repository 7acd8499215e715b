"""Index of a source's files: evidence and row count by number, stored on disk.

Files are numbered in the order of their paths. A scan records under a file's number which evidence
it gives, and how many rows it has.
"""

import mmap
import struct
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TextIO

from lumos_snap.scan.grouping.time_values import TimeValue
from lumos_snap.scan.listing import (
    BETWEEN,
    entry_of,
    escape_line_ends,
    iter_lines,
    open_lines,
    unescape_line_ends,
)
from lumos_snap.scan.stores.store import FileEntry

NOT_KNOWN = -1
"""No evidence, or an unknown number of rows."""

_RECORD = struct.Struct("<iq")


@dataclass(slots=True)
class _Times:
    """The time of each file's partition: four bytes a file, because most files share theirs."""

    _numbers: dict[TimeValue, int] = field(default_factory=dict)
    _known: list[TimeValue] = field(default_factory=list)
    _files: "array[int]" = field(default_factory=lambda: array("i"))

    def add(self, time: TimeValue) -> None:
        number = self._numbers.setdefault(time, len(self._known))
        if number == len(self._known):
            self._known.append(time)
        self._files.append(number)

    def of(self, number: int) -> TimeValue:
        return self._known[self._files[number]]


@dataclass(slots=True)
class FileIndex:
    """The files of one source that belong to datasets."""

    path: Path
    stack: ExitStack
    count: int = 0
    _file: TextIO | None = None
    _sheet: mmap.mmap | None = field(default=None)
    _times: _Times = field(default_factory=_Times)

    def add(self, line: str, evidence: int, rows: int, time: TimeValue = ()) -> int:
        """Add a file with its cached evidence and rows; return its number."""
        if self._file is None:
            self._file = self.stack.enter_context(open_lines(self.path, "w"))
        self._file.write(f"{line}\0{evidence}\0{rows}\n")
        self._times.add(time)
        self.count += 1
        return self.count - 1

    def times(self, numbers: Iterable[int]) -> set[TimeValue]:
        """Return the different times of the partitions of some files."""
        return {self._times.of(number) for number in numbers}

    def note(self, number: int, evidence: int, rows: int) -> None:
        """Record the evidence and the rows of a file."""
        if self._sheet is None:
            self._sheet = self._blank()
        _RECORD.pack_into(self._sheet, number * _RECORD.size, evidence + 1, rows)

    def _blank(self) -> mmap.mmap:
        """Create a record for every file; zeros mean that nothing was recorded."""
        place = self.path.with_suffix(".sheet")
        file = self.stack.enter_context(place.open("w+b"))
        file.truncate(self.count * _RECORD.size)
        return self.stack.enter_context(mmap.mmap(file.fileno(), 0))

    def lines(self) -> Iterator[tuple[str, int, int]]:
        """Yield every file, sorted by path: its line, its evidence and its rows."""
        if self._file is None:
            return
        self._file.flush()
        with open_lines(self.path, "r") as file:
            for number, whole in enumerate(iter_lines(file)):
                line, known, rows = whole.rsplit(BETWEEN, 2)
                evidence, counted = int(known), int(rows)
                if self._sheet is not None:
                    noted, found = _RECORD.unpack_from(self._sheet, number * _RECORD.size)
                    evidence, counted = (noted - 1, found) if noted else (evidence, counted)
                yield line, evidence, counted

    def entries(self, paths: Collection[str]) -> Mapping[str, FileEntry]:
        """Find some files by path."""
        if not paths or self._file is None:
            return {}
        self._file.flush()
        with (
            self.path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as lines,
        ):
            found = (_find_line(lines, escape_line_ends(path)) for path in paths)
            return {entry.path: entry for entry in map(entry_of, filter(None, found))}


def _find_line(lines: mmap.mmap, path: str) -> str | None:
    """Find the line of a file by binary search, without its line end; lines are sorted by path."""
    low, high = 0, len(lines)  # offsets where lines start and end
    while low < high:
        start = lines.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = lines.find(b"\n", start)
        line = lines[start:end].decode("utf-8", "surrogateescape")
        found = line.partition(BETWEEN)[0]
        if found == path:
            return line.rsplit(BETWEEN, 2)[0]
        low, high = (end + 1, high) if found < path else (low, start)
    return None


class PendingFile(NamedTuple):
    """A file to read, or a table with the files of its log."""

    dataset: int
    number: int
    """Its number in the file index of its source."""
    path: str
    hint: str
    suffix: str
    parts: tuple[str, ...] = ()


@dataclass(slots=True)
class PendingFiles:
    """A queue of files on disk, read back in the same order."""

    path: Path
    stack: ExitStack
    count: int = 0
    _file: TextIO | None = None

    def add(self, one: PendingFile) -> None:
        """Append a file."""
        if self._file is None:
            self._file = self.stack.enter_context(open_lines(self.path, "w"))
        dataset, number, path, hint, suffix, parts = one
        names = BETWEEN.join(map(escape_line_ends, (path, *parts)))
        self._file.write(f"{dataset}\0{number}\0{hint}\0{suffix}\0{names}\n")
        self.count += 1

    def portions(self, most: int) -> Iterator[list[PendingFile]]:
        """Yield all files in portions of at most `most`."""
        if self._file is None:
            return
        self._file.flush()
        with open_lines(self.path, "r") as file:
            waiting = map(_parse_pending, iter_lines(file))
            while portion := list(islice(waiting, most)):
                yield portion


def _parse_pending(line: str) -> PendingFile:
    dataset, number, hint, suffix, *names = line.split(BETWEEN)
    path, *parts = map(unescape_line_ends, names)
    return PendingFile(int(dataset), int(number), path, hint, suffix, tuple(parts))
