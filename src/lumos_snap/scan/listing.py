"""The listing of a source: files as sorted lines on disk, so that millions need little memory.

Lines of different files sort as their paths do: the field separator is below every character of a
path.
"""

import heapq
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO, cast

from lumos_snap.errors import OutsideError
from lumos_snap.scan.dataset import DatasetFiles, ScanFilter
from lumos_snap.scan.executors.engine import Engine
from lumos_snap.scan.executors.error_codes import ARCHIVED, VANISHED
from lumos_snap.scan.grouping.assign import names_of_folder
from lumos_snap.scan.sources.source import Source
from lumos_snap.scan.sources.urls import is_url
from lumos_snap.scan.spark.listing import list_on_workers
from lumos_snap.scan.stores.distributed_listing import DistributableStore
from lumos_snap.scan.stores.store import CREDENTIALS, FileEntry, OnAnswer, Store, Trouble, Wants
from lumos_snap.scan.tables.registry import LOGS, TableLog, log_of
from lumos_snap.text import readable

BETWEEN = "\0"


def line_of(entry: FileEntry) -> str:
    """Encode a file as a line, without a line end."""
    path, size, modified, tag = entry
    return f"{escape_line_ends(path)}\0{size}\0{modified}\0{escape_line_ends(tag)}"


def entry_of(line: str) -> FileEntry:
    """Decode a file from its line."""
    path, size, modified, tag = line.split(BETWEEN)
    return FileEntry(unescape_line_ends(path), int(size), int(modified), unescape_line_ends(tag))


def escape_line_ends(text: str) -> str:
    """Escape line ends in a text, because file names may contain them."""
    if "\n" not in text and "\x01" not in text:
        return text
    return text.replace("\x01", "\x01e").replace("\n", "\x01n")


def unescape_line_ends(text: str) -> str:
    """Reverse `escape_line_ends`."""
    if "\x01" not in text:
        return text
    return text.replace("\x01n", "\n").replace("\x01e", "\x01")


def open_lines(path: Path, mode: str) -> TextIO:
    """Open a file of lines; names that are not valid UTF-8 keep their bytes."""
    file = path.open(mode, encoding="utf-8", errors="surrogateescape", newline="\n")
    return cast("TextIO", file)


def iter_lines(file: TextIO) -> Iterator[str]:
    """Yield the lines of a file, without their line ends."""
    return (line[:-1] for line in file)


_IN_MEMORY = 100_000  # lines, of about 300 bytes each


@dataclass(slots=True)
class LineSorter:
    """Lines, added one by one and read back sorted."""

    folder: Path
    """Where lines go that exceed the memory limit."""
    in_memory: int = _IN_MEMORY
    count: int = 0
    _lines: list[str] = field(default_factory=list)
    _runs: list[Path] = field(default_factory=list)
    _last: str = ""

    def add(self, line: str) -> None:
        """Add a line."""
        self._lines.append(line)
        self.count += 1
        if len(self._lines) >= self.in_memory:
            self._put_down()

    def _put_down(self) -> None:
        self._lines.sort()
        if not self._runs or self._lines[0] < self._last:
            self._runs.append(self.folder / f"run-{len(self._runs)}")
        with open_lines(self._runs[-1], "a") as file:
            file.writelines(f"{line}\n" for line in self._lines)
        self._last = self._lines[-1]
        self._lines.clear()

    def sorted(self) -> Iterator[str]:
        """Yield all lines, sorted by path."""
        self._lines.sort()
        with ExitStack() as stack:
            runs = [iter_lines(stack.enter_context(open_lines(run, "r"))) for run in self._runs]
            yield from heapq.merge(*runs, self._lines) if runs else self._lines


class UnlistablePaths:
    """Paths that could not be listed or read, including everything above and below them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._known = frozenset(paths)
        self._sorted = sorted(self._known)

    def touches(self, folder: str) -> bool:
        """Whether something at, above or below a folder is unlistable."""
        if not self._sorted:
            return False
        if not folder or "" in self._known:
            return True
        names = folder.split("/")
        if any("/".join(names[:depth]) in self._known for depth in range(1, len(names) + 1)):
            return True
        at = bisect_left(self._sorted, f"{folder}/")
        return at < len(self._sorted) and self._sorted[at].startswith(f"{folder}/")


Names = tuple[str, ...]
OnListed = Callable[[int, int], None]
"""Called with the number of files and of store responses so far."""

NOT_ASKED = "not asked for"
_OFTEN = 1_000  # files: a folder may have millions, and is a single response


MOST_NAMED = 100
"""Number of skipped files to name for each reason."""


@dataclass(slots=True)
class SkippedFiles:
    """The files that are no data of a dataset: their number by reason, and the first of them."""

    counts: Counter[str] = field(default_factory=Counter)
    paths: dict[str, list[str]] = field(default_factory=dict)
    """Sorted, whatever the order of the listing."""

    def add(self, reason: str, path: str) -> None:
        """Count a file, and name it if it is one of the first."""
        self.counts[reason] += 1
        named = self.paths.setdefault(reason, [])
        if len(named) < MOST_NAMED or path < named[-1]:
            insort(named, path)
            del named[MOST_NAMED:]


@dataclass(slots=True)
class SourceListing:
    """The files of a source."""

    source: Source
    roll: LineSorter
    logs: dict[str, dict[str, TableLog]] = field(default_factory=dict)
    """The logs of tables, by folder and format."""
    datasets: dict[Names, DatasetFiles] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """Remarks for the user about how it was listed."""
    passed_over: SkippedFiles = field(default_factory=SkippedFiles)
    files: int = 0
    bytes: int = 0
    _hidden: tuple[int, UnlistablePaths] | None = None
    """Cache of the unlistable paths, with the number of troubles that it was built from."""

    def hides(self, folder: str) -> bool:
        """Whether something at, above or below a folder could not be listed, or not be read yet."""
        if self._hidden is None or self._hidden[0] != len(self.troubles):
            lost = (readable(one.path) for one in self.troubles if one.hides or _is_present(one))
            self._hidden = (len(self.troubles), UnlistablePaths(lost))
        return self._hidden[1].touches(folder)

    @property
    def complete(self) -> bool:
        """Whether every folder could be listed; one that is gone has nothing to list."""
        return not any(one.hides and one.reason != VANISHED for one in self.troubles)


def _is_present(trouble: Trouble) -> bool:
    """Whether a file exists although it cannot be read from its storage class."""
    return trouble.reason == ARCHIVED


def list_source(
    source: Source, only: ScanFilter, scratch: Path, met: OnListed, engine: Engine | None = None
) -> SourceListing:
    """List a source, as far as datasets match; an engine can help with very many files."""
    listing = SourceListing(source, LineSorter(scratch))
    if source.store is None:
        return listing
    files = pages = 0

    def answered() -> None:
        nonlocal pages
        pages += 1
        met(files, pages)

    def wants(folder: str) -> bool:
        return _may_hold_datasets(source, only, folder)

    for found in _entries(source.store, wants, answered, engine, listing.remarks):
        if isinstance(found, Trouble):
            if found.hides and not found.path and not listing.roll.count:
                raise _root_error(source, found)
            listing.troubles.append(found)
        else:
            _add_entry(listing, found)
            files += 1
            if files % _OFTEN == 0:
                met(files, pages)
    met(files, pages)
    return listing


def _root_error(source: Source, root: Trouble) -> OutsideError:
    """Nothing is known of a source whose root cannot be listed: it is not an empty one."""
    hint = CREDENTIALS if is_url(source.address) else "check its permissions"
    return OutsideError(f"{source.name}: {source.address}: {root.detail}", hint=hint)


def _entries(
    store: Store, wants: Wants, answered: OnAnswer, engine: Engine | None, remarks: list[str]
) -> Iterator[FileEntry | Trouble]:
    if engine is None or not isinstance(store, DistributableStore):
        return store.entries("", wants, answered)
    return store.entries("", wants, answered, list_on_workers(engine, store, remarks.append))


def _may_hold_datasets(source: Source, only: ScanFilter, folder: str) -> bool:
    log = log_of(f"{folder}/")
    if log is not None:
        return source.filter.may_hold(log[0]) and only.may_lead(tuple(log[0].split("/")))
    if source.passed_over(f"{folder}/"):
        return False
    return not only.globs or only.may_lead(names_of_folder(folder, source.layout))


def _add_entry(listing: SourceListing, entry: FileEntry) -> None:
    log = log_of(entry.path)
    if log is not None:
        root, kind = log
        logs = listing.logs.setdefault(root, {})
        if kind not in logs:
            logs[kind] = LOGS[kind]()
        logs[kind].add(entry)
        return
    reason = listing.source.passed_over(entry.path)
    if reason is not None:
        listing.passed_over.add(reason, entry.path)
    else:
        listing.roll.add(line_of(entry))
