"""The files of a dataset as listed: counts, sizes, times, and the sample to read.

`--only` selects datasets by globs.
"""

import hashlib
import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from lumos_snap.scan.grouping.assign import FilePlacement
from lumos_snap.scan.grouping.include_exclude import leads_to, union_places
from lumos_snap.scan.grouping.partitions import Partitions
from lumos_snap.scan.sources.source import Source
from lumos_snap.scan.stores.store import FileEntry

# Selects the datasets of a scan by globs, with the syntax of `lumos snap ls`.


_SCHEME = "lumos://"


@dataclass(frozen=True, slots=True)
class ScanFilter:
    """The datasets of one source that match some globs; without globs, all of them."""

    globs: tuple[str, ...]
    within: str
    """The source's own urn without the scheme."""

    @classmethod
    def of(cls, source: Source, globs: Sequence[str]) -> "ScanFilter":
        """Build the filter of a source from globs."""
        bare = (glob.removeprefix(_SCHEME) for glob in globs)
        return cls(tuple(bare), source.prefix.removeprefix(_SCHEME))

    def wants(self, names: Sequence[str]) -> bool:
        """Whether a dataset matches: by urn, by its path within the source, or by name."""
        if not self.globs:
            return True
        inside = "/".join(names)
        texts = (
            f"{self.within}/{inside}" if inside else self.within,
            inside,
            names[-1] if names else "",
        )
        return any(fnmatchcase(text, glob) for glob in self.globs for text in texts if text)

    def may_lead(self, names: Sequence[str]) -> bool:
        """Whether a folder whose datasets begin with these names may contain a match."""
        if not self.globs:
            return True
        whole = (*self.within.split("/"), *names)
        return any(
            "/" not in glob or leads_to(whole, glob) or leads_to(tuple(names), glob)
            for glob in self.globs
        )


SAMPLED_FORMATS = frozenset({"csv", "tsv", "json", ""})
"""Formats whose files have no schema: some files are sampled, spread over all."""

TABLE_RULE_SUFFIX = "-table"
"""Suffix of the grouping rules that make a folder with a log a table."""

_MARKS = 1 << 128


@dataclass(slots=True)
class SampleCandidate:
    """A file that may be sampled: the format that its name suggests, and its cached evidence."""

    path: str
    modified: int
    hint: str
    suffix: str
    number: int
    evidence: int
    rows: int


@dataclass(slots=True)
class Sample:
    """A sample of files: the first, the last, the newest, and a pseudo-random choice of others.

    The choice depends on a hash of the path: it is the same whatever the order of the files, and
    most of it stays when a file is added.
    """

    most: int
    _heap: list[tuple[int, str, SampleCandidate]] = field(default_factory=list)
    _ends: dict[str, SampleCandidate] = field(default_factory=dict)
    seen: int = 0

    def add(self, one: SampleCandidate) -> None:
        """Consider a file for the sample."""
        self.seen += 1
        ends = self._ends
        first, last, newest = ends.get("first"), ends.get("last"), ends.get("newest")
        if first is None or one.path < first.path:
            ends["first"] = one
        if last is None or one.path > last.path:
            ends["last"] = one
        if newest is None or (one.modified, one.path) > (newest.modified, newest.path):
            ends["newest"] = one
        digest = hashlib.blake2b(one.path.encode("utf-8", "surrogateescape"), digest_size=8)
        entry = (-int.from_bytes(digest.digest(), "big"), one.path, one)
        if len(self._heap) < self.most:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def chosen(self) -> list[SampleCandidate]:
        """Return at most `most` files, sorted by path."""
        ends = {one.path: one for one in self._ends.values()}
        if len(ends) > self.most:
            ends = {one.path: one for one in (self._ends["newest"],)}
        for _, path, one in sorted(self._heap, reverse=True):
            if len(ends) >= self.most:
                break
            ends.setdefault(path, one)
        return [ends[path] for path in sorted(ends)]


@dataclass(slots=True)
class DatasetFiles:
    """The files of one dataset, collected while the listing is read."""

    placed: FilePlacement
    sample: Sample
    number: int = 0
    location: str | None = None
    """Its location according to a catalog."""
    first: str = ""
    files: int = 0
    bytes: int = 0
    first_modified: int | None = None
    last_modified: int | None = None
    places: set[tuple[str, str | None]] = field(default_factory=set)
    partitions: Partitions = field(default_factory=Partitions)
    mark: int = 0
    """Fingerprint of the set of files: it changes when a file is added, removed or changed."""

    def add(self, entry: FileEntry, placed: FilePlacement, line: str) -> None:
        """Count a file."""
        self.first = min(self.first or entry.path, entry.path)
        first, last = self.first_modified, self.last_modified
        self.first_modified = entry.modified if first is None else min(first, entry.modified)
        self.last_modified = entry.modified if last is None else max(last, entry.modified)
        self.files += 1
        self.bytes += entry.size
        self.partitions.add(placed.partitions)
        self.places.add((placed.folder, placed.files))
        self.note(line)

    def note(self, line: str) -> None:
        """Add a line to the fingerprint."""
        digest = hashlib.blake2b(line.encode("utf-8", "surrogateescape"), digest_size=16)
        self.mark = (self.mark + int.from_bytes(digest.digest(), "big")) % _MARKS

    @property
    def rule(self) -> str:
        """The grouping rule that assigned its files."""
        return self.placed.rule

    def place(self) -> tuple[str, str | None]:
        """Return the folder of all its files, and a glob if it shares that folder with others."""
        return union_places(self.places) if self.places else (self.placed.folder, self.placed.files)
