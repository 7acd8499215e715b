"""Cache of a source's last scan: the evidence of each file, and the result of each dataset.

One file per source, sorted by path, read and written as a stream and safe to delete. It is used as
a whole or not at all: if it is damaged, of another version or of another source, it counts as
empty. A file with the same path, size, time and tag has the same evidence.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO, TypeAlias, cast

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.file_index import NOT_KNOWN
from lumos_snap.scan.listing import BETWEEN, iter_lines

_VERSION = 1
_AT_ONCE = 1 << 20
_BROKEN = (EOFError, OSError, ValueError, LookupError, TypeError, StopIteration, zlib.error)

CachedDecision: TypeAlias = JsonObject
"""The result of a dataset and a digest of its files, encoded by `commands/scan/cache.py`."""

CachedFile: TypeAlias = tuple[str, int, int]
"""A file's line, its evidence and its rows."""


@dataclass(slots=True)
class ScanCache:
    """The cache of a source; empty if it is missing or invalid."""

    place: Path
    of: str
    decided_by: str
    evidence: list[str] = field(default_factory=list)
    decisions: dict[str, CachedDecision] = field(default_factory=dict)
    count: int = 0
    """Number of cached files."""

    def files(self) -> Iterator[CachedFile]:
        """Yield every cached file, sorted by path."""
        if not self.count:
            return
        with suppress(*_BROKEN), _open_cache(self.place) as file:
            lines = iter_lines(file)
            for _ in range(2):  # skip decisions and evidence
                while next(lines, ""):
                    pass
            for whole in lines:
                line, evidence, rows = whole.rsplit(BETWEEN, 2)
                yield line, int(evidence), int(rows)


@dataclass(slots=True)
class CacheLookup:
    """A merge join of two sorted lists: cached files and requested files."""

    known: Iterator[CachedFile]
    met: int = 0
    """Number of files that are unchanged."""
    _next: CachedFile = ("", NOT_KNOWN, NOT_KNOWN)

    def of(self, line: str) -> tuple[int, int] | None:
        """Find the cached evidence and rows of a file; lines must be requested in order."""
        while self._next[0] < line:
            self._next = next(self.known, _END)
        found, evidence, rows = self._next
        if found != line:
            return None
        self.met += 1
        return None if evidence == NOT_KNOWN else (evidence, rows)


_END: CachedFile = ("\U0010ffff", NOT_KNOWN, NOT_KNOWN)


def read_cache(place: Path, *, of: str, decided_by: str) -> ScanCache:
    """Read the cache of this source and version; decisions only if they had the same settings."""
    nothing = ScanCache(place, of, decided_by)
    try:
        _check_integrity(place)
        with _open_cache(place) as file:
            lines = iter_lines(file)
            head = json.loads(next(lines))
            if head["version"] != _VERSION or head["of"] != of:
                return nothing
            decisions = dict(map(json.loads, iter(lambda: next(lines), "")))
            evidence = list(iter(lambda: next(lines), ""))
            if head["decided_by"] != decided_by:
                decisions = {}
            return ScanCache(place, of, decided_by, evidence, decisions, int(head["files"]))
    except _BROKEN:
        return nothing


def _check_integrity(place: Path) -> None:
    """Read the file to its end, where gzip has its checksum."""
    with gzip.open(place, "rb") as file:
        while file.read(_AT_ONCE):
            pass


def write_cache(
    file: TextIO,
    files: Callable[[], Iterator[CachedFile]],
    evidence: Sequence[str],
    decisions: Mapping[str, CachedDecision],
    *,
    of: str,
    decided_by: str,
) -> None:
    """Write the cache; evidence that no file refers to is dropped."""
    used: dict[int, int] = {NOT_KNOWN: NOT_KNOWN}
    count = 0
    for _, number, _ in files():
        used.setdefault(number, len(used) - 1)
        count += 1
    head = {"version": _VERSION, "of": of, "decided_by": decided_by, "files": count}
    file.write(_encode(head) + "\n")
    file.writelines(f"{_encode(one)}\n" for one in sorted(decisions.items()))
    file.write("\n")
    file.writelines(f"{evidence[number]}\n" for number in used if number != NOT_KNOWN)
    file.write("\n")
    file.writelines(f"{line}\0{used[number]}\0{rows}\n" for line, number, rows in files())


def _encode(value: object) -> str:
    return json.dumps(value)  # noqa: TID251 - a cache, no document of ours


def _open_cache(place: Path) -> TextIO:
    return cast(
        "TextIO",
        gzip.open(place, "rt", encoding="utf-8", errors="surrogateescape", newline="\n"),
    )


def create_cache_file(path: Path) -> TextIO:
    """Create a cache file for `write_cache`."""
    file = gzip.open(  # noqa: SIM115 - the caller closes it
        path, "wt", compresslevel=1, encoding="utf-8", errors="surrogateescape", newline="\n"
    )
    return cast("TextIO", file)
