"""One source in a scan: the state of the tree, its files, its cache, and the files to read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import orjson

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.paths import urn_of
from lumos_snap.documents.limits import loads
from lumos_snap.errors import LumosError
from lumos_snap.git import Repository
from lumos_snap.git.commits import find_unignored_folder
from lumos_snap.json_object import JsonObject
from lumos_snap.report.scan import ScannedDataset, ScanOutcome
from lumos_snap.scan.assign_files import FileAssigner, Files, KnownDatasets
from lumos_snap.scan.dataset import DECLARED_FORMATS, Evidence, SourceDataset
from lumos_snap.scan.dataset_update import DatasetUpdate
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.file_task import SIGNED
from lumos_snap.scan.executors.pending_files import FileEvidence
from lumos_snap.scan.file_index import NOT_KNOWN, FileIndex, PendingFiles
from lumos_snap.scan.grouping.time_values import TimeValue
from lumos_snap.scan.listing import SourceListing
from lumos_snap.scan.scan_cache import (
    CacheLookup,
    ScanCache,
)
from lumos_snap.scan.sources.source import Source, open_source, select_sources
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.tree import Tree

# State of the tree and its settings that a scan starts from.


Stored: TypeAlias = Mapping[str, Mapping[str, str]]
"""Snapshots of the tree: source name to urn to path."""


def read_known_datasets(tree: Tree, source: Source, stored: Mapping[str, str]) -> KnownDatasets:
    """The datasets of a source that the tree knows."""
    return KnownDatasets.of(map(source.names, stored), _files_of(tree, source))


def _files_of(tree: Tree, source: Source) -> Files:
    def said(names: tuple[str, ...]) -> str | None:
        files = _read_storage(tree, SNAPSHOT.path(source.urn(names))).get("files")
        return files if isinstance(files, str) else None

    return said


def _read_storage(tree: Tree, path: str) -> JsonObject:
    """Read the `storage` of a snapshot; the scan reports a document that cannot be read."""
    try:
        document = loads(tree.files.read(path) or b"{}")
    except orjson.JSONDecodeError:
        return {}
    storage = document.get("storage") if isinstance(document, dict) else None
    return storage if isinstance(storage, dict) else {}


def find_stored(paths: Sequence[str], source: Source) -> Iterator[tuple[str, str]]:
    """Urns and paths of the tree's snapshots of a source."""
    folder = f"{SNAPSHOT.folder}/{source.platform}/"
    for path in paths:
        if not path.startswith(folder):
            continue
        try:
            urn = str(urn_of(path.removeprefix(f"{SNAPSHOT.folder}/")))
        except LumosError:
            continue  # reported by `lumos snap validate`
        if urn == source.prefix or urn.startswith(f"{source.prefix}/"):
            yield urn, path


def require_same_folder(tree: Tree, source: Source, stored: Mapping[str, str]) -> None:
    """Refuse a folder that would overwrite the datasets of another folder with the same name.

    The locations in snapshots are compared: of a folder below the tree, they are relative to it.
    Folders elsewhere cannot be told apart, because no path of a machine is written.
    """
    path = next(iter(stored.values()), None)
    location = str(_read_storage(tree, path).get("location", "")) if path else ""
    other = _other_folder(location, source, tree.root)
    if other is not None:
        raise LumosError(
            f"{source.name}: its datasets are those of {other}, and this is {source.location}",
            hint="give each a `name` of its own under `sources:` in lumos.yaml",
        )


def _other_folder(location: str, source: Source, root: Path) -> str | None:
    """The folder that a location leads to, if it is surely another one than the source."""
    if not location.startswith("file:") or source.folder_of(location) is not None:
        return None
    usual = f"file:{source.name}"
    if location == usual or location.startswith(f"{usual}/"):  # of earlier versions, or of the top
        return usual if (root / source.name).is_dir() else None
    above, found, _ = f"{location}/".partition(f"/{source.name}/")
    return f"{above}{found}".rstrip("/") if found else None


def build_data_warning(repository: Repository | None, source: Source) -> str | None:
    """A warning where the next commit would take the data of a source; None if none would."""
    if repository is None or not isinstance(source.store, LocalStore):
        return None
    path = find_unignored_folder(repository, Path(source.store.root))
    if path is None:
        return None
    return (
        f"{path}/ lies in this repository, and git does not ignore it:"
        f" `echo /{path}/ >> .gitignore` keeps data out of commits"
    )


def open_sources(tree: Tree, wanted: Sequence[str]) -> tuple[Source, ...]:
    """Open the selected sources."""
    return tuple(
        open_source(one, tree.root)
        for one in select_sources(tree.config.sources, wanted, tree.root)
    )


_LASTING = frozenset(
    (
        error_codes.EMPTY,
        error_codes.TRUNCATED,
        error_codes.DAMAGED,
        error_codes.ENCRYPTED,
        error_codes.TOO_LARGE,
        error_codes.UNKNOWN,
    )
)
"""Error codes that depend only on the file: cached while the file is unchanged."""


@dataclass(slots=True)
class Survey:
    """The state of a source during a scan."""

    listing: SourceListing
    memory: ScanCache
    ledger: FileIndex
    first: int
    """Number of its first dataset."""
    evidence: list[Evidence] = field(default_factory=list)
    """Evidence from files, by dataset."""
    fresh: set[int] = field(default_factory=set)
    """Numbers of the datasets with newly read files."""
    looked_at: int = 0
    closed: str = ""
    """Why the executors cannot read the files of a source that this machine could list."""
    is_as_it_was: bool = True
    """Whether the files are exactly those in the cache."""
    _numbers: dict[str, int] = field(default_factory=dict)

    def gather(
        self, gathering: FileAssigner, spool: PendingFiles, begin: Callable[[], object]
    ) -> None:
        """Assign files to datasets, and add those that must be read to the spool.

        `begin` is called for each of the latter, so that the engine can start in the meantime.
        """
        recalling = CacheLookup(self.memory.files())
        said = [orjson.loads(text) for text in self.memory.evidence]
        gathering.bad = frozenset(number for number, one in enumerate(said) if "reason" in one)
        gathering.skipped = frozenset(at for at, one in enumerate(said) if "skipped" in one)
        gathering.declared = frozenset(
            at
            for at, one in enumerate(said)
            if one.get("format") in DECLARED_FORMATS or SIGNED in one
        )
        for parts in (gathering.files(recalling.of), gathering.samples()):
            for one in parts:
                begin()
                self.fresh.add(one.dataset)
                spool.add(one)
        self.is_as_it_was = recalling.met == self.ledger.count == self.memory.count
        self.evidence = [Evidence(gathering.absent_after) for _ in self.listing.datasets]
        self._numbers = {text: at for at, text in enumerate(self.memory.evidence)}
        for (dataset, number), tally in gathering.tallies.items():
            counts = {"files": tally.files, "rows": tally.rows, "examples": tally.examples}
            self._add(dataset, said[number], counts, tally.times)

    def take(self, found: FileEvidence) -> None:
        """Add the evidence of files, and cache it for each file."""
        said = orjson.loads(found.evidence)
        if said.get("reason") == error_codes.CLOSED:
            self.closed = said["detail"]
            return
        number = NOT_KNOWN
        if said.get("reason", error_codes.DAMAGED) in _LASTING:
            number = self._numbers.setdefault(found.evidence, len(self._numbers))
            if number == len(self.memory.evidence):
                self.memory.evidence.append(found.evidence)
        for file, counted in zip(found.numbers, found.rows, strict=True):
            self.ledger.note(file, number, counted)
        self.looked_at += len(found.numbers)
        rows = None if min(found.rows) == NOT_KNOWN else sum(found.rows)
        counts = {"files": len(found.numbers), "rows": rows, "examples": found.examples}
        self._add(found.dataset, said, counts, self.ledger.times(found.numbers))

    def _add(
        self, dataset: int, said: JsonObject, counts: JsonObject, times: Iterable[TimeValue]
    ) -> None:
        """Add the evidence of some files to that of their dataset."""
        evidence = self.evidence[dataset - self.first]
        if "skipped" in said:
            return
        if "reason" in said:
            for path in counts["examples"]:
                evidence.add({**said, "path": path}, times)
        else:
            evidence.add({**said, **counts}, times)

    def met(self) -> Iterator[SourceDataset]:
        """The datasets of the source, sorted by name."""
        for names, gathered in sorted(self.listing.datasets.items()):
            evidence = self.evidence[gathered.number - self.first]
            in_sight = not self.listing.hides(gathered.place()[0])
            yield SourceDataset(self.listing.source, names, gathered, evidence, in_sight=in_sight)


# One dataset in the report of a scan.


def is_worth_reporting(one: DatasetUpdate) -> bool:
    """Whether a dataset appears in the report."""
    return one.outcome is not ScanOutcome.UNCHANGED or bool(one.notes or one.told)


def describe_dataset(one: DatasetUpdate) -> ScannedDataset:
    """Describe a dataset for the report."""
    if one.told is not None:
        return one.told
    summary, gathered = one.summary, one.gathered
    if summary is None:
        return ScannedDataset(
            urn=one.urn,
            path=one.path,
            outcome=one.outcome,
            files=gathered.files if gathered else None,
            bytes=gathered.bytes if gathered else None,
            notes=one.notes,
        )
    return ScannedDataset(
        urn=one.urn,
        path=one.path,
        outcome=one.outcome,
        format=summary.format,
        columns=summary.columns,
        files=summary.files,
        looked_at=summary.looked_at,
        bytes=summary.bytes,
        rows=summary.rows,
        moved_from=one.moved_from,
        notes=one.notes,
    )
