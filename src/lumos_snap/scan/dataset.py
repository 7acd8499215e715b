"""The files of one dataset, their evidence, and the description that follows from it."""

import hashlib
import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from lumos_snap.json_object import JsonObject
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import Kind
from lumos_snap.scan.executors.file_task import EXAMPLES
from lumos_snap.scan.formats.registry import SCHEMAS, describe_evidence
from lumos_snap.scan.grouping.assign import FilePlacement
from lumos_snap.scan.grouping.include_exclude import leads_to, union_places
from lumos_snap.scan.grouping.partitions import Partitions
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.schemas.union import Disagreement, SchemaUnion, union_schemas
from lumos_snap.scan.sources.source import Source
from lumos_snap.scan.stores.store import FileEntry, Trouble
from lumos_snap.text import readable

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


@dataclass(slots=True)
class Evidence:
    """The evidence of all files of one dataset."""

    said: dict[tuple[str, str], FileGroup] = field(default_factory=dict)
    bad: list[Trouble] = field(default_factory=list)

    def add(self, line: JsonObject) -> None:
        """Add a task's report; several tasks may report the same evidence for different files."""
        if "reason" in line:
            self.bad.append(Trouble(line["path"], line["reason"], line["detail"]))
            return
        key = (line["format"], line["schema"])
        self.said[key] = _extend_group(self.said.get(key), line)


def _extend_group(before: FileGroup | None, line: JsonObject) -> FileGroup:
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
    )


@dataclass(frozen=True, slots=True)
class DatasetDescription:
    """One dataset as its files describe it."""

    format: str
    leading: DatasetSchema
    united: SchemaUnion
    rows: int | None
    versions: tuple[str, ...]
    codecs: tuple[str, ...]
    files: int
    notes: tuple[str, ...]


def describe_dataset(evidence: Evidence) -> DatasetDescription:
    """Combine the evidence into one description, in a deterministic order."""
    ranks = list(SCHEMAS)
    said = sorted(evidence.said.values(), key=lambda one: (ranks.index(one.format), one.schema))
    kinds = [describe_evidence(one.format, one.schema) for one in said]
    beside = ""
    if kinds[0].table is not None and len(kinds) > 1:
        beside = (
            f"other files lie beside its log, and are not described: {_describe_formats(said[1:])}"
        )
        said, kinds = said[:1], kinds[:1]
    main = [kind for kind, one in zip(kinds, said, strict=True) if one.format == said[0].format]
    joined = union_schemas([kind.schema for kind in kinds])
    rows = [one.rows for one in said]
    return DatasetDescription(
        format=said[0].format,
        leading=kinds[next(which for which in joined.order if which < len(main))],
        united=joined,
        rows=None if None in rows else sum(row or 0 for row in rows),
        versions=tuple(sorted({version for one in said for version in one.versions})),
        codecs=tuple(sorted({codec for one in said for codec in one.codecs})),
        files=sum(one.files for one in said),
        notes=(*_notes(said, kinds, main, joined), *([beside] if beside else ())),
    )


def _notes(
    said: Sequence[FileGroup],
    kinds: Sequence[DatasetSchema],
    main: Sequence[DatasetSchema],
    joined: SchemaUnion,
) -> Iterable[str]:
    yield from dict.fromkeys(note for kind in kinds for note in kind.notes)
    if len(main) < len(kinds):
        yield f"has files of several formats: {_describe_formats(said)}"
    for name, values in _find_differing_options(main):
        yield f"its files differ in {name}: {', '.join(values)}"
    is_json = all(one.format == "json" for one in said)
    for who, paths in () if is_json else joined.lacking.items():
        verb = "is" if len(paths) == 1 else "are"
        yield f"{_describe_columns(paths)} {verb} missing in {_describe_files(who, said)}"
    for found in joined.disagreements:
        if not (joined.schema.inferred and _is_usual(found)):
            yield _describe_disagreement(found, said)
    if joined.renumbered:
        yield f"ids of {_describe_columns(joined.renumbered)} differ between files and are left out"


def _describe_columns(paths: Sequence[str]) -> str:
    if len(paths) <= _MOST_NAMED:
        return ", ".join(paths)
    return f"{len(paths):,} columns such as {', '.join(paths[:_MOST_NAMED])}"


def _describe_formats(said: Sequence[FileGroup]) -> str:
    formats = dict.fromkeys(one.format for one in said)
    examples = {name: next(o.examples[0] for o in said if o.format == name) for name in formats}
    return ", ".join(f"{name} ({readable(examples[name])})" for name in formats)


def _find_differing_options(main: Sequence[DatasetSchema]) -> Iterable[tuple[str, list[str]]]:
    """Find the read options that differ between files of one format, with their values."""
    names = sorted({name for kind in main for name in kind.options})
    for name in names:
        values = sorted({kind.options.get(name, "none") for kind in main})
        if len(values) > 1:
            yield name, values
    encodings = sorted({kind.encoding or "utf-8" for kind in main})
    if len(encodings) > 1:
        yield "encoding", encodings


_MOST_OPINIONS = 4
_MOST_NAMED = 3
_LAST_RESORTS = frozenset((Kind.STRING, Kind.JSON))


def _is_usual(found: Disagreement) -> bool:
    """Whether inferred types differ in the usual way, such as integers and decimals."""
    return found.became is not None and found.became.type not in _LAST_RESORTS


def _describe_disagreement(found: Disagreement, said: Sequence[FileGroup]) -> str:
    opinions = [f"{one.says} in {_describe_files(one.schemas, said)}" for one in found.opinions]
    more = "" if len(opinions) <= _MOST_OPINIONS else ", …"
    became = "" if found.became is None else f"; together they are {format_type(found.became)}"
    return (
        f"files disagree about {found.path}: {', '.join(opinions[:_MOST_OPINIONS])}{more}{became}"
    )


def _describe_files(schemas: Sequence[int], said: Sequence[FileGroup]) -> str:
    number = sum(said[which].files for which in schemas)
    example = readable(min(path for which in schemas for path in said[which].examples))
    return example if number == 1 else f"{number:,} files such as {example}"


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
