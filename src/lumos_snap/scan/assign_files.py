"""Assignment of listed files to datasets, and selection of the files that must be read.

A table format describes its own files: other files in the folder of a table are skipped.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from lumos_snap.config.settings import MOST_PARTITIONS
from lumos_snap.scan.dataset import (
    SAMPLED_FORMATS,
    TABLE_RULE_SUFFIX,
    DatasetFiles,
    Evidence,
    FileGroup,
    Sample,
    SampleCandidate,
    ScanFilter,
    SourceDataset,
)
from lumos_snap.scan.executors.file_task import EXAMPLES
from lumos_snap.scan.file_index import NOT_KNOWN, FileIndex, PendingFile, PendingFiles
from lumos_snap.scan.formats.detect import SIGNATURE_ONLY
from lumos_snap.scan.formats.registry import describe_evidence
from lumos_snap.scan.grouping.assign import FilePlacement, Layout, place_file
from lumos_snap.scan.grouping.extensions import suffixes_of
from lumos_snap.scan.grouping.time_values import TimeValue, take_newest
from lumos_snap.scan.listing import NOT_ASKED, SourceListing, entry_of, line_of
from lumos_snap.scan.stores.store import FileEntry
from lumos_snap.scan.tables.registry import LOGS
from lumos_snap.text import readable

# Datasets that the tree already has: a file that is a dataset of its own stays one.


Names = tuple[str, ...]

ALONE = "nothing-in-common"
_EACH = Layout(grouping="file")
_GUESSED = frozenset(("generic-file", "own-named-file", "folder-named-file", "root"))


def place_alone(path: str) -> FilePlacement:
    """Place a file as a dataset of its own."""
    return replace(place_file(path, _EACH), rule=ALONE)


def is_guessed(placed: FilePlacement) -> bool:
    """Whether the grouping was guessed and not configured."""
    return placed.rule.rpartition("/")[2] in _GUESSED


Files = Callable[[Names], str | None]
"""Returns `storage.files` of a dataset in the tree."""


def find_no_files(names: Names) -> str | None:
    """Return None, for an empty tree."""
    del names
    return None


@dataclass(frozen=True, slots=True)
class KnownDatasets:
    """The datasets of a source that the tree has, by name."""

    names: frozenset[Names] = frozenset()
    above: frozenset[Names] = frozenset()
    """Parents of these names: only below them can a single file be a known dataset."""
    files: Files = find_no_files

    @classmethod
    def of(cls, names: Iterable[Names], files: Files) -> "KnownDatasets":
        """Build the known datasets of a source."""
        found = frozenset(names)
        return cls(found, frozenset(one[:-1] for one in found if one), files)

    def place(self, path: str, placed: FilePlacement) -> FilePlacement:
        """Place a file: as a dataset of its own, if the tree has it as one."""
        if placed.names not in self.above and placed.names[:-1] not in self.above:
            return placed
        if placed.partitions or not is_guessed(placed):
            return placed
        if tuple(filter(None, path.split("/")[:-1])) not in self.above:
            return placed  # no file of its folder is a known dataset
        own = place_alone(path)
        if own.names == placed.names or own.names not in self.names:
            return placed
        # A folder may have the same name: `storage.files` tells them apart.
        return own if self.files(own.names) == readable(own.files or "") else placed


OF_A_TABLE = "part of a table, which speaks for itself"
NAMED_AS_TABLE = "has the name of a table beside it"

Recall = Callable[[str], tuple[int, int] | None]
"""Cached evidence and row count of a file, by its line. Lines must come sorted."""


OnGrouped = Callable[[int, int], None]
"""Called with the number of files assigned so far and their total."""

_OFTEN = 1_000  # files


def ignore_progress(done: int, total: int) -> None:
    """Ignore progress, for callers without a display."""
    del done, total


@dataclass(slots=True)
class CachedTally:
    """Cached results of the files of one dataset that have the same evidence."""

    files: int = 0
    rows: int | None = 0
    examples: list[str] = field(default_factory=list)
    times: set[TimeValue] = field(default_factory=set)
    """Times of the newest partitions of the files."""

    def add(self, path: str, rows: int, time: TimeValue, *, is_bad: bool) -> None:
        """Count one file; paths come sorted, and every bad file is kept as an example."""
        self.files += 1
        self.times.add(time)
        if len(self.times) > 2 * MOST_PARTITIONS:
            self.times = {*take_newest(self.times, MOST_PARTITIONS)}
        self.rows = None if rows == NOT_KNOWN or self.rows is None else self.rows + rows
        if is_bad or len(self.examples) < EXAMPLES:
            self.examples.append(path)


@dataclass(slots=True)
class FileAssigner:
    """The datasets of a source, and the cached results of their files."""

    listing: SourceListing
    known: KnownDatasets
    only: ScanFilter
    ledger: FileIndex
    first: int
    """The number of its first dataset: datasets are numbered across all sources."""
    grouped: OnGrouped = ignore_progress
    absent_after: int = 1
    """How many of the newest partitions must lack a column until it is absent."""
    bad: Container[int] = frozenset()
    """Numbers of the evidence that gives a reason why files could not be read."""
    declared: Container[int] = frozenset()
    """Numbers of the evidence of files that state a schema, or begin as if they did."""
    skipped: Container[int] = frozenset()
    """Numbers of the evidence that a file is text, and was not read because it was not sampled."""
    tallies: dict[tuple[int, int], CachedTally] = field(default_factory=dict)
    """By dataset and evidence."""
    _tables: dict[str, "_Table"] = field(default_factory=dict)
    _folder: tuple[str, bool] = ("", False)
    _unnamed: PendingFiles = field(init=False)
    """New files whose names suggest no format."""

    def __post_init__(self) -> None:
        """Queue files beside the index."""
        self._unnamed = PendingFiles(self.ledger.path.with_suffix(".unnamed"), self.ledger.stack)

    def files(self, recall: Recall) -> Iterator[PendingFile]:
        """Assign every file to a dataset; yield the files to read, except candidates of samples."""
        self._find_tables()
        roll = self.listing.roll
        for done, line in enumerate(roll.sorted(), 1):
            if done % _OFTEN == 0 or done == roll.count:
                self.grouped(done, roll.count)
            entry = entry_of(line)
            folder, _, name = entry.path.rpartition("/")
            if not name:
                yield from self._table(folder, entry, line, recall)
            elif self._is_of_table(folder):
                self.listing.passed_over.add(OF_A_TABLE, entry.path)
            else:
                yield from self._file(entry, name, line, recall)

    def samples(self) -> Iterator[PendingFile]:
        """Yield the sampled files that must be read: of formats without a schema in the file.

        Of the other files, those whose names say nothing follow: they may state a schema.
        """
        chosen: set[int] = set()
        for gathered in self.listing.datasets.values():
            for one in gathered.sample.chosen():
                chosen.add(one.number)
                if one.evidence == NOT_KNOWN or one.evidence in self.skipped:
                    yield PendingFile(gathered.number, one.number, one.path, one.hint, one.suffix)
                else:
                    self._tell(gathered.number, one.path, one.evidence, one.rows, one.time)
        for portion in self._unnamed.portions(_OFTEN):
            for left in portion:
                if left.number not in chosen:
                    yield left._replace(hint=SIGNATURE_ONLY)

    def _file(
        self, entry: FileEntry, name: str, line: str, recall: Recall
    ) -> Iterator[PendingFile]:
        placed = self.known.place(entry.path, place_file(entry.path, self.listing.source.layout))
        if not self.only.wants(placed.names):
            self.listing.passed_over.add(NOT_ASKED, entry.path)
            return
        gathered = self._dataset(placed)
        if gathered.placed.rule.endswith(TABLE_RULE_SUFFIX):
            self.listing.passed_over.add(NAMED_AS_TABLE, entry.path)
            return
        self.listing.files += 1
        self.listing.bytes += entry.size
        gathered.add(entry, placed, line)
        evidence, rows = recall(line) or (NOT_KNOWN, NOT_KNOWN)
        number = self.ledger.add(line, evidence, rows, placed.time)
        hint, suffix = suffixes_of(name)
        if hint in SAMPLED_FORMATS and (hint or evidence not in self.declared):
            gathered.sample.add(
                SampleCandidate(entry.path, placed.time, hint, suffix, number, evidence, rows)
            )
            if not hint and evidence == NOT_KNOWN:
                self._unnamed.add(PendingFile(gathered.number, number, entry.path, hint, suffix))
        elif evidence == NOT_KNOWN:
            yield PendingFile(gathered.number, number, entry.path, hint, suffix)
        else:
            self._tell(gathered.number, entry.path, evidence, rows, placed.time)

    def _table(
        self, root: str, entry: FileEntry, line: str, recall: Recall
    ) -> Iterator[PendingFile]:
        table = self._tables[root]
        if not self.only.wants(table.placed.names):
            self.listing.passed_over.add(NOT_ASKED, entry.path)
            return
        gathered = self._dataset(table.placed)
        gathered.note(line)
        evidence, rows = recall(line) or (NOT_KNOWN, NOT_KNOWN)
        number = self.ledger.add(line, evidence, rows)
        if evidence == NOT_KNOWN:
            yield PendingFile(gathered.number, number, root, table.kind, "", table.parts)
        else:
            self._tell(gathered.number, root, evidence, rows)

    def _dataset(self, placed: FilePlacement) -> DatasetFiles:
        datasets = self.listing.datasets
        gathered = datasets.get(placed.names)
        if gathered is None:
            sample = Sample(self.listing.source.sample, self.absent_after)
            gathered = DatasetFiles(placed, sample, number=self.first + len(datasets))
            datasets[placed.names] = gathered
        return gathered

    def _tell(
        self, dataset: int, path: str, evidence: int, rows: int, time: TimeValue = ()
    ) -> None:
        tally = self.tallies.setdefault((dataset, evidence), CachedTally())
        tally.add(path, rows, time, is_bad=evidence in self.bad)

    def _find_tables(self) -> None:
        """Find the tables: the first valid log in a folder wins, and tables do not nest."""
        for root in sorted(self.listing.logs):
            if self._is_of_table(root):
                continue
            logs = self.listing.logs[root]
            made = ((kind, logs[kind].parts()) for kind in LOGS if kind in logs)
            kind, parts = next(((kind, parts) for kind, parts in made if parts), ("", ()))
            if parts:
                paths = tuple(one.path for one in parts)
                self._tables[root] = _Table(kind, place_table(root, kind), paths)
                self._folder = ("", False)
                self.listing.roll.add(line_of(_table_entry(root, parts)))

    def _is_of_table(self, folder: str) -> bool:
        if not self._tables:
            return False
        if folder != self._folder[0]:
            self._folder = (folder, any(above in self._tables for above in _iter_ancestors(folder)))
        return self._folder[1] or "" in self._tables


class _Table(NamedTuple):
    kind: str
    placed: FilePlacement
    parts: tuple[str, ...]


def place_table(root: str, kind: str) -> FilePlacement:
    """Name a table after its folder."""
    names = tuple(filter(None, root.split("/")))
    return FilePlacement(names, root, None, (), f"{kind}{TABLE_RULE_SUFFIX}")


def _table_entry(root: str, parts: tuple[FileEntry, ...]) -> FileEntry:
    """Represent a table as one file entry, which changes whenever its log changes."""
    told = "\0".join(map(line_of, parts))
    digest = hashlib.blake2b(told.encode("utf-8", "surrogateescape"), digest_size=16)
    size = sum(one.size for one in parts)
    newest = max(one.modified for one in parts)
    return FileEntry(f"{root}/", size, newest, digest.hexdigest())


def _iter_ancestors(folder: str) -> Iterator[str]:
    names = folder.split("/")
    return ("/".join(names[: depth + 1]) for depth in range(len(names)))


_FEWEST = 3  # a difference between two files may be an accident, as an error page among data
_COMMON_SHARE = 0.5
_SAYS_PART = re.compile(r"(?<![a-z])part(?![a-z])", re.IGNORECASE)


Entries = Callable[[Collection[str]], Mapping[str, FileEntry]]
"""Returns the listed entries of some files, by path."""


def split_dataset(
    met: SourceDataset, entries: Entries, *, among_parted: bool, taken: Container[str]
) -> Iterator[SourceDataset]:
    """Yield the datasets that these files are: the dataset as it is, or one per file.

    It is split where its files share too few columns, or where other files of the folder are
    datasets of their own already (`among_parted`). Each file needs a unique urn that is not
    `taken`.
    """
    if not (
        _may_split(met) and (among_parted or _share_nothing(met)) and _has_free_urns(met, taken)
    ):
        yield met
        return
    said = {one.examples[0]: one for one in met.evidence.said.values()}
    bad = {one.path: one for one in met.evidence.bad}
    for path, entry in sorted(entries(_evidence_paths(met)).items()):
        placed = place_alone(path)
        gathered = DatasetFiles(placed, Sample(1), number=met.gathered.number)
        gathered.add(entry, placed, line_of(entry))
        evidence = Evidence()
        if path in said:
            found = said[path]
            evidence.said[(found.format, found.schema)] = found
        elif path in bad:
            evidence.bad.append(bad[path])
        yield SourceDataset(met.source, placed.names, gathered, evidence)


def _evidence_paths(met: SourceDataset) -> list[str]:
    """Return the files that were read, if each has its own schema."""
    said = [one.examples[0] for one in met.evidence.said.values()]
    return sorted([*said, *(one.path for one in met.evidence.bad)])


def _has_free_urns(met: SourceDataset, taken: Container[str]) -> bool:
    urns = [met.source.urn(place_alone(path).names) for path in _evidence_paths(met)]
    return len(set(urns)) == len(urns) and not any(urn in taken for urn in urns)


def _share_nothing(met: SourceDataset) -> bool:
    said = tuple(met.evidence.said.values())
    if len(said) < _FEWEST or met.evidence.bad:
        return False
    columns = [_column_names(one) for one in said]
    met_in = Counter(name for names in columns for name in names)
    common = {name for name, files in met_in.items() if files * 2 > len(columns)}
    return all(len(names & common) <= len(names) * _COMMON_SHARE for names in columns)


def _may_split(met: SourceDataset) -> bool:
    """Whether file names alone grouped these files, and each has its own schema."""
    gathered, said = met.gathered, met.evidence.said.values()
    if not is_guessed(gathered.placed) or gathered.partitions.columns:
        return False
    if any(_SAYS_PART.search(path.rpartition("/")[2]) for path in _evidence_paths(met)):
        return False
    looked_at = len(said) + len(met.evidence.bad)
    return all(one.files == 1 for one in said) and looked_at == gathered.files


def _column_names(one: FileGroup) -> frozenset[str]:
    return frozenset(
        field.name.casefold() for field in describe_evidence(one.format, one.schema).schema.fields
    )
