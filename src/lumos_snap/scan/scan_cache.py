"""What scans remember of a source: what each file said, and what became of each dataset.

One file for each source, sorted by path, read and written as a stream and safe to delete. It is
believed only as a whole: where it is broken, of another version or of another place, nothing is
known. A file that is as it was (its path, size, time and tag) says what it said.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, TypeAlias, cast

from lumos_snap.scan.file_index import NOT_KNOWN
from lumos_snap.scan.listing import BETWEEN, iter_lines

_VERSION = 1
_AT_ONCE = 1 << 20
_BROKEN = (EOFError, OSError, ValueError, LookupError, TypeError, StopIteration, zlib.error)

CachedDecision: TypeAlias = Mapping[str, Any]
"""What became of a dataset, and of which files: as `remembering` puts it."""

CachedFile: TypeAlias = tuple[str, int, int]
"""A file's line, its evidence and its rows."""


@dataclass(slots=True)
class ScanCache:
    """What is remembered of a source; nothing where there is nothing to believe."""

    place: Path
    of: str
    decided_by: str
    evidence: list[str] = field(default_factory=list)
    decisions: dict[str, CachedDecision] = field(default_factory=dict)
    count: int = 0
    """Of how many files something is remembered."""

    def files(self) -> Iterator[CachedFile]:
        """Every file that is remembered, by path."""
        if not self.count:
            return
        with suppress(*_BROKEN), _open_cache(self.place) as file:
            lines = iter_lines(file)
            for _ in range(2):  # what was decided, and what was said
                while next(lines, ""):
                    pass
            for whole in lines:
                line, evidence, rows = whole.rsplit(BETWEEN, 2)
                yield line, int(evidence), int(rows)


@dataclass(slots=True)
class CacheLookup:
    """Two sorted lists, walked side by side: what is remembered, and what is asked for."""

    known: Iterator[CachedFile]
    met: int = 0
    """How many files were met that are as they were."""
    _next: CachedFile = ("", NOT_KNOWN, NOT_KNOWN)

    def of(self, line: str) -> tuple[int, int] | None:
        """What is known of a file; ask in order."""
        while self._next[0] < line:
            self._next = next(self.known, _END)
        found, evidence, rows = self._next
        if found != line:
            return None
        self.met += 1
        return None if evidence == NOT_KNOWN else (evidence, rows)


_END: CachedFile = ("\U0010ffff", NOT_KNOWN, NOT_KNOWN)


def read_cache(place: Path, *, of: str, decided_by: str) -> ScanCache:
    """What lies at a place: of this very source and version, and decided by these settings."""
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
    """Read it to its end, where its own checksum is."""
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
    """Put down what is to be remembered; evidence that no file gives any more is forgotten."""
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


def _encode(value: Any) -> str:
    return json.dumps(value)  # noqa: TID251 - a cache, no document of ours


def _open_cache(place: Path) -> TextIO:
    return cast(
        "TextIO",
        gzip.open(place, "rt", encoding="utf-8", errors="surrogateescape", newline="\n"),
    )


def create_cache_file(path: Path) -> TextIO:
    """A new file at a path, for `write`."""
    file = gzip.open(  # noqa: SIM115 - the caller closes it
        path, "wt", compresslevel=1, encoding="utf-8", errors="surrogateescape", newline="\n"
    )
    return cast("TextIO", file)
