"""From what was met to datasets: every file is put where it belongs, and what must be read is told.

A table speaks for itself: what lies in its folder is its own business, and none of it is placed.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lumos_snap.scan.dataset import Evidence, Met, Said
from lumos_snap.scan.dataset_files import TABLE, TEXTS, Candidate, Gathered, Sample
from lumos_snap.scan.dataset_filter import Only
from lumos_snap.scan.executors.file_task import EXAMPLES
from lumos_snap.scan.file_index import NOTHING, Ledger, Unread
from lumos_snap.scan.formats.registry import described
from lumos_snap.scan.grouping.assign import Placed, place
from lumos_snap.scan.grouping.suffixes import suffixes_of
from lumos_snap.scan.known_datasets import Known, alone, is_guessed
from lumos_snap.scan.listing import NOT_ASKED, Listing, entry_of, line_of
from lumos_snap.scan.stores.store import Entry
from lumos_snap.scan.tables.detect import LOGS

OF_A_TABLE = "part of a table, which speaks for itself"
NAMED_AS_TABLE = "has the name of a table beside it"

Recall = Callable[[str], tuple[int, int] | None]
"""What is known of a file, by its line: its evidence and its rows. Lines must come sorted."""


Grouped = Callable[[int, int], None]
"""Called with how many files were grouped, of how many."""

_OFTEN = 1_000  # files


def uncounted(done: int, total: int) -> None:
    """For callers without a display."""
    del done, total


@dataclass(slots=True)
class Tally:
    """What is known of files of one dataset that say the same."""

    files: int = 0
    rows: int | None = 0
    examples: list[str] = field(default_factory=list)

    def add(self, path: str, rows: int, *, is_bad: bool) -> None:
        """Count a file in; paths come sorted, and every bad one is named."""
        self.files += 1
        self.rows = None if rows == NOTHING or self.rows is None else self.rows + rows
        if is_bad or len(self.examples) < EXAMPLES:
            self.examples.append(path)


@dataclass(slots=True)
class Gathering:
    """The datasets of a source, and what is known of their files already."""

    listing: Listing
    known: Known
    only: Only
    ledger: Ledger
    first: int
    """The number of its first dataset: datasets are counted over all sources."""
    grouped: Grouped = uncounted
    bad: Container[int] = frozenset()
    """The evidence that says why files say nothing."""
    tallies: dict[tuple[int, int], Tally] = field(default_factory=dict)
    """By dataset and evidence."""
    _tables: dict[str, "_Table"] = field(default_factory=dict)
    _folder: tuple[str, bool] = ("", False)

    def files(self, recall: Recall) -> Iterator[Unread]:
        """Put every file where it belongs; yields those that say themselves what they are."""
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
                self.listing.passed_over[OF_A_TABLE] += 1
            else:
                yield from self._file(entry, name, line, recall)

    def samples(self) -> Iterator[Unread]:
        """Of files that tell nothing but their data, those to look at."""
        for gathered in self.listing.datasets.values():
            for one in gathered.sample.chosen():
                if one.evidence == NOTHING:
                    yield Unread(gathered.number, one.number, one.path, one.hint, one.suffix)
                else:
                    self._tell(gathered.number, one.path, one.evidence, one.rows)

    def _file(self, entry: Entry, name: str, line: str, recall: Recall) -> Iterator[Unread]:
        placed = self.known.place(entry.path, place(entry.path, self.listing.source.layout))
        if not self.only.wants(placed.names):
            self.listing.passed_over[NOT_ASKED] += 1
            return
        gathered = self._dataset(placed)
        if gathered.placed.rule.endswith(TABLE):
            self.listing.passed_over[NAMED_AS_TABLE] += 1
            return
        self.listing.files += 1
        self.listing.bytes += entry.size
        gathered.add(entry, placed, line)
        evidence, rows = recall(line) or (NOTHING, NOTHING)
        number = self.ledger.add(line, evidence, rows)
        hint, suffix = suffixes_of(name)
        if hint in TEXTS:
            gathered.sample.add(
                Candidate(entry.path, entry.modified, hint, suffix, number, evidence, rows)
            )
        elif evidence == NOTHING:
            yield Unread(gathered.number, number, entry.path, hint, suffix)
        else:
            self._tell(gathered.number, entry.path, evidence, rows)

    def _table(self, root: str, entry: Entry, line: str, recall: Recall) -> Iterator[Unread]:
        table = self._tables[root]
        if not self.only.wants(table.placed.names):
            self.listing.passed_over[NOT_ASKED] += 1
            return
        gathered = self._dataset(table.placed)
        gathered.note(line)
        evidence, rows = recall(line) or (NOTHING, NOTHING)
        number = self.ledger.add(line, evidence, rows)
        if evidence == NOTHING:
            yield Unread(gathered.number, number, root, table.kind, "", table.parts)
        else:
            self._tell(gathered.number, root, evidence, rows)

    def _dataset(self, placed: Placed) -> Gathered:
        datasets = self.listing.datasets
        gathered = datasets.get(placed.names)
        if gathered is None:
            sample = Sample(self.listing.source.sample)
            gathered = Gathered(placed, sample, number=self.first + len(datasets))
            datasets[placed.names] = gathered
        return gathered

    def _tell(self, dataset: int, path: str, evidence: int, rows: int) -> None:
        tally = self.tallies.setdefault((dataset, evidence), Tally())
        tally.add(path, rows, is_bad=evidence in self.bad)

    def _find_tables(self) -> None:
        """Of several logs in one folder, the first that makes a table; a table holds no others."""
        for root in sorted(self.listing.logs):
            if self._is_of_table(root):
                continue
            logs = self.listing.logs[root]
            made = ((kind, logs[kind].parts()) for kind in LOGS if kind in logs)
            kind, parts = next(((kind, parts) for kind, parts in made if parts), ("", ()))
            if parts:
                paths = tuple(one.path for one in parts)
                self._tables[root] = _Table(kind, placed_table(root, kind), paths)
                self._folder = ("", False)
                self.listing.roll.add(line_of(_as_one(root, parts)))

    def _is_of_table(self, folder: str) -> bool:
        if not self._tables:
            return False
        if folder != self._folder[0]:
            self._folder = (folder, any(above in self._tables for above in _from_top(folder)))
        return self._folder[1] or "" in self._tables


class _Table(NamedTuple):
    kind: str
    placed: Placed
    parts: tuple[str, ...]


def placed_table(root: str, kind: str) -> Placed:
    """A table is called as its folder is."""
    names = tuple(filter(None, root.split("/")))
    return Placed(names, root, None, (), f"{kind}{TABLE}")


def _as_one(root: str, parts: tuple[Entry, ...]) -> Entry:
    """A table as a file that changes wherever its log does."""
    told = "\0".join(map(line_of, parts))
    digest = hashlib.blake2b(told.encode("utf-8", "surrogateescape"), digest_size=16)
    size = sum(one.size for one in parts)
    newest = max(one.modified for one in parts)
    return Entry(f"{root}/", size, newest, digest.hexdigest())


def _from_top(folder: str) -> Iterator[str]:
    names = folder.split("/")
    return ("/".join(names[: depth + 1]) for depth in range(len(names)))


_FEWEST = 3  # of two files one may be an accident, as an error page among data
_COMMON_SHARE = 0.5
_SAYS_PART = re.compile(r"(?<![a-z])part(?![a-z])", re.IGNORECASE)


Entries = Callable[[Collection[str]], Mapping[str, Entry]]
"""What a listing knows of some files, by path."""


def parted(
    met: Met, entries: Entries, *, among_parted: bool, taken: Container[str]
) -> Iterator[Met]:
    """The datasets that files turn out to be: what was met, or one for each of its files.

    Where others in their folder stand alone already, files do so that never stood together. Each
    must get a urn of its own: none that is `taken`, no two the same.
    """
    if not (_may_part(met) and (among_parted or _share_nothing(met)) and _is_clear(met, taken)):
        yield met
        return
    said = {one.examples[0]: one for one in met.evidence.said.values()}
    bad = {one.path: one for one in met.evidence.bad}
    for path, entry in sorted(entries(_paths(met)).items()):
        placed = alone(path)
        gathered = Gathered(placed, Sample(1), number=met.gathered.number)
        gathered.add(entry, placed, line_of(entry))
        evidence = Evidence()
        if path in said:
            found = said[path]
            evidence.said[(found.format, found.schema)] = found
        elif path in bad:
            evidence.bad.append(bad[path])
        yield Met(met.source, placed.names, gathered, evidence)


def _paths(met: Met) -> list[str]:
    """The files that were looked at, where no two say the same."""
    said = [one.examples[0] for one in met.evidence.said.values()]
    return sorted([*said, *(one.path for one in met.evidence.bad)])


def _is_clear(met: Met, taken: Container[str]) -> bool:
    urns = [met.source.urn(alone(path).names) for path in _paths(met)]
    return len(set(urns)) == len(urns) and not any(urn in taken for urn in urns)


def _share_nothing(met: Met) -> bool:
    said = tuple(met.evidence.said.values())
    if len(said) < _FEWEST or met.evidence.bad:
        return False
    columns = [_columns(one) for one in said]
    met_in = Counter(name for names in columns for name in names)
    common = {name for name, files in met_in.items() if files * 2 > len(columns)}
    return all(len(names & common) <= len(names) * _COMMON_SHARE for names in columns)


def _may_part(met: Met) -> bool:
    """Whether names alone have put these files together, and each of them says something else."""
    gathered, said = met.gathered, met.evidence.said.values()
    if not is_guessed(gathered.placed) or gathered.partitions.columns:
        return False
    if any(_SAYS_PART.search(path.rpartition("/")[2]) for path in _paths(met)):
        return False
    looked_at = len(said) + len(met.evidence.bad)
    return all(one.files == 1 for one in said) and looked_at == gathered.files


def _columns(one: Said) -> frozenset[str]:
    return frozenset(
        field.name.casefold() for field in described(one.format, one.schema).schema.fields
    )
