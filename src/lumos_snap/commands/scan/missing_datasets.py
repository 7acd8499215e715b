"""Datasets of the tree that a scan did not find: vanished, moved, or hidden from the scan."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT
from lumos_snap.canonical.read import read
from lumos_snap.commands.scan.options import ScanOptions
from lumos_snap.commands.scan.sources import ScannedSources
from lumos_snap.errors import LumosError
from lumos_snap.report.scan import ScanOutcome
from lumos_snap.scan.dataset_update import DatasetUpdate
from lumos_snap.scan.listing import SourceListing
from lumos_snap.scan.merge_snapshot import has_curated_metadata
from lumos_snap.scan.moved_datasets import check_removals, find_moves, rename_snapshot
from lumos_snap.schema import Document
from lumos_snap.tree import Tree


@dataclass(frozen=True, slots=True)
class MissingDataset:
    """A dataset that was not found: its documents, and the content of their files."""

    snapshot: Document
    observation: Document | None
    contents: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class MissingDatasets:
    """Datasets that were not found."""

    gone: Mapping[str, MissingDataset] = field(default_factory=dict)
    moves: Mapping[str, str] = field(default_factory=dict)
    """Urn of the new dataset to urn of the old one, for moved datasets."""
    removed: tuple[str, ...] = ()
    why_not: tuple[str, ...] = ()
    """Why some datasets are not removed although `--prune` was given."""

    def former(self, urn: str) -> Document:
        """The former snapshot of a moved dataset, under its new urn."""
        return rename_snapshot(self.gone[self.moves[urn]].snapshot, urn)

    def files(self) -> Mapping[str, bytes]:
        """The files to remove, with their content."""
        return {
            path: content
            for urn in self.removed
            for path, content in self.gone[urn].contents.items()
        }


_UNSAVED = "{}: holds words that were never committed: it is not removed"
_ONLY_A_PART = "only a part was looked at: nothing is removed"


def find_missing(
    tree: Tree, seen: ScannedSources, decided: Sequence[DatasetUpdate], asked: ScanOptions
) -> MissingDatasets:
    """Find missing datasets; those outside `--only` are not considered."""
    if asked.only:
        return MissingDatasets(why_not=(_ONLY_A_PART,) if asked.prune else ())
    met = {one.urn for one in decided}
    gone: dict[str, MissingDataset] = {}
    removed: list[str] = []
    why_not: list[str] = []
    for survey in seen.surveys:
        listing = survey.listing
        stored = seen.stored[listing.source.name]
        lost = dict(_iter_missing(tree, listing, {u: p for u, p in stored.items() if u not in met}))
        gone |= lost
        why = check_removals(
            lost,
            known=len(stored),
            met=len(listing.datasets),
            complete=listing.complete,
            allowed=asked.prune_max,
        )
        if asked.prune and lost and why:
            why_not.append(f"{listing.source.name}: {why}")
        elif asked.prune:
            unsaved = _find_uncommitted(tree, lost)
            removed += (urn for urn in lost if urn not in unsaved)
            why_not += map(_UNSAVED.format, sorted(unsaved))
    documents = {urn: (one.snapshot, one.observation) for urn, one in gone.items()}
    added = [one for one in decided if one.outcome is ScanOutcome.ADDED]
    return MissingDatasets(gone, find_moves(added, documents), tuple(removed), tuple(why_not))


def _find_uncommitted(tree: Tree, lost: Mapping[str, MissingDataset]) -> set[str]:
    """Datasets whose curated metadata git could not restore: the last commit has other content."""
    told = {
        SNAPSHOT.path(urn): urn for urn, one in lost.items() if has_curated_metadata(one.snapshot)
    }
    if not told:
        return set()
    try:
        committed = dict(tree.at("HEAD").files.read_all(tuple(told)))
    except LumosError:
        committed = {}  # no repository, or no commit yet
    return {
        urn for path, urn in told.items() if committed.get(path) != lost[urn].contents.get(path)
    }


def _iter_missing(
    tree: Tree, listing: SourceListing, unmet: Mapping[str, str]
) -> Iterator[tuple[str, MissingDataset]]:
    """Snapshots of a source that were not found, although no error hides them."""
    for urn, path in sorted(unmet.items()):
        content = tree.files.read(path)
        snapshot = None if content is None else _read_valid(content)
        if content is None or snapshot is None or not _is_missed(listing, urn, snapshot):
            continue
        contents = {path: content}
        place = OBSERVATION.path(urn)
        measured = tree.files.read(place)
        if measured is not None:
            contents[place] = measured
        observation = None if measured is None else read(measured, OBSERVATION.cls).document
        yield urn, MissingDataset(snapshot, observation, contents)


def _read_valid(content: bytes) -> Document | None:
    """Read a valid snapshot; invalid ones are ignored by scans."""
    reading = read(content, SNAPSHOT.cls)
    return None if reading.problems else reading.document


def _is_missed(listing: SourceListing, urn: str, snapshot: Document) -> bool:
    """Whether a scan of this source would have found the dataset if it existed."""
    source = listing.source
    if source.catalog is not None:
        return not listing.hides("/".join(source.names(urn)))
    location = snapshot.get("storage", {}).get("location")
    folder = None if location is None else source.folder_of(location)
    if folder is None or listing.hides(folder):
        return False
    # With filter globs, only a deleted folder proves that its dataset is gone.
    return not (source.is_filtered and source.store is not None and source.store.has(folder))
