"""The files of one dataset: its sample, its partitions, and the evidence that was read."""

import hashlib
import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors.file_task import EXAMPLES
from lumos_snap.scan.grouping.assign import FilePlacement
from lumos_snap.scan.grouping.include_exclude import leads_to, union_places
from lumos_snap.scan.grouping.partitions import Partitions
from lumos_snap.scan.grouping.time_values import TimeValue, take_newest
from lumos_snap.scan.sources.source import Source
from lumos_snap.scan.stores.store import FileEntry, Trouble

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

DECLARED_FORMATS = frozenset({"parquet", "orc", "avro", "arrow"})
"""Formats whose files state their schema: each of them is read, whatever it is called."""

MOST_HEADERS = 10_000
"""Most text files of one partition that are read to find out which columns it lacks."""

TABLE_RULE_SUFFIX = "-table"
"""Suffix of the grouping rules that make a folder with a log a table."""

_MARKS = 1 << 128


@dataclass(slots=True)
class SampleCandidate:
    """A file that may be sampled: the format that its name suggests, and its cached evidence."""

    path: str
    time: TimeValue
    hint: str
    suffix: str
    number: int
    evidence: int
    rows: int


@dataclass(slots=True)
class Sample:
    """A sample of files: the first, the last, the newest, and a pseudo-random choice of others.

    The choice depends on a hash of the path: it is the same whatever the order of the files, and
    most of it stays when a file is added. Where there are older partitions, all files of the newest
    ones are chosen that may have a header, because a column is absent only if all of them lack it.
    """

    most: int
    partitions: int = 1
    """How many of the newest partitions are chosen as a whole."""
    _heap: list[tuple[int, str, SampleCandidate]] = field(default_factory=list)
    _ends: dict[str, SampleCandidate] = field(default_factory=dict)
    _newest: dict[TimeValue, list[SampleCandidate]] = field(default_factory=dict)
    _has_older: bool = False
    _too_many: set[TimeValue] = field(default_factory=set)
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
        if newest is None or (one.time, one.path) > (newest.time, newest.path):
            ends["newest"] = one
        if one.hint != "json":
            self._add_newest(one)
        digest = hashlib.blake2b(one.path.encode("utf-8", "surrogateescape"), digest_size=8)
        entry = (-int.from_bytes(digest.digest(), "big"), one.path, one)
        if len(self._heap) < self.most:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def _add_newest(self, one: SampleCandidate) -> None:
        if not one.time:
            self._has_older = True
            return
        files = self._newest.setdefault(one.time, [])
        if len(files) < MOST_HEADERS:
            files.append(one)
        else:
            self._too_many.add(one.time)
        if len(self._newest) > self.partitions:
            self._has_older = True
            del self._newest[min(self._newest)]

    @property
    def has_too_many(self) -> bool:
        """Whether the newest partitions have more files than are read as a whole."""
        return self._has_older and not self._too_many.isdisjoint(self._newest)

    def chosen(self) -> list[SampleCandidate]:
        """Return at most `most` files and those of the newest partitions, sorted by path."""
        ends = {one.path: one for one in self._ends.values()}
        if len(ends) > self.most:
            ends = {one.path: one for one in (self._ends["newest"],)}
        for _, path, one in sorted(self._heap, reverse=True):
            if len(ends) >= self.most:
                break
            ends.setdefault(path, one)
        if self._has_older and not self.has_too_many:
            ends |= {one.path: one for files in self._newest.values() for one in files}
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


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files of a dataset with the same evidence."""

    format: str
    schema: str
    files: int
    rows: int | None
    versions: tuple[str, ...]
    codecs: tuple[str, ...]
    examples: tuple[str, ...]
    newest: tuple[TimeValue, ...] = ()
    """The newest partitions with such files, the newest first."""


@dataclass(slots=True)
class Evidence:
    """The evidence of all files of one dataset."""

    partitions: int = 1
    """How many of the newest partitions must lack a column until it is absent."""
    said: dict[tuple[str, str], FileGroup] = field(default_factory=dict)
    bad: list[Trouble] = field(default_factory=list)
    bad_times: tuple[TimeValue, ...] = ()
    """The newest partitions with bad files."""

    def add(self, line: JsonObject, times: Iterable[TimeValue] = ()) -> None:
        """Add a task's report; several tasks may report the same evidence for different files.

        `times` are those of the partitions that the files belong to.
        """
        if "reason" in line:
            self.bad.append(Trouble(line["path"], line["reason"], line["detail"]))
            self.bad_times = take_newest((*self.bad_times, *times), self.partitions)
            return
        key = (line["format"], line["schema"])
        before = self.said.get(key)
        newest = take_newest((*(before.newest if before else ()), *times), self.partitions)
        self.said[key] = _extend_group(before, line, newest)


def _extend_group(
    before: FileGroup | None, line: JsonObject, newest: tuple[TimeValue, ...]
) -> FileGroup:
    rows = line["rows"]
    if before is not None:
        rows = None if rows is None or before.rows is None else rows + before.rows
    examples = (*(before.examples if before else ()), *line["examples"])
    return FileGroup(
        format=line["format"],
        schema=line["schema"],
        files=line["files"] + (before.files if before else 0),
        rows=rows,
        versions=tuple({*line["versions"], *(before.versions if before else ())}),
        codecs=tuple({*line["codecs"], *(before.codecs if before else ())}),
        examples=tuple(sorted(examples)[:EXAMPLES]),
        newest=newest,
    )


@dataclass(frozen=True, slots=True)
class SourceDataset:
    """One dataset of a source."""

    source: Source
    names: tuple[str, ...]
    gathered: DatasetFiles
    evidence: Evidence
    in_sight: bool = True
    """Whether every folder below it could be listed."""

    @property
    def urn(self) -> str:
        """The urn of the dataset."""
        return self.source.urn(self.names)

    def location(self, folder: str) -> str | None:
        """Return its location, valid on every machine; a catalog may not know it."""
        if self.source.catalog is not None:
            return self.gathered.location
        return self.source.located(folder)

    @property
    def is_whole(self) -> bool:
        """Whether all files were listed and read: otherwise a missing column may still exist."""
        return self.in_sight and not self.evidence.bad
