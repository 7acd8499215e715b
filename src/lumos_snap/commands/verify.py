"""`lumos snap verify`: compare the documents of two sides, count them, and find dangling names."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import Catalog, Identity, Projection, Unreadable, open_reading
from lumos_snap.catalogs.export_file import ExportFileCatalog
from lumos_snap.catalogs.fetch import SORTS
from lumos_snap.catalogs.report import build_change
from lumos_snap.catalogs.sync.client import Pace, RetryingClient, Speed
from lumos_snap.catalogs.sync.drift import facts
from lumos_snap.catalogs.sync.join import iter_documents
from lumos_snap.catalogs.sync.write_order import references
from lumos_snap.commands.sync import adapters
from lumos_snap.commands.sync.tree_documents import TreeSide, identity_at
from lumos_snap.report.sync import (
    ComparedCount,
    DanglingName,
    DifferentDocument,
    LostPart,
    NamedDocument,
    SideWord,
    UnreadableDocument,
    VerifyReport,
)
from lumos_snap.schema import Document
from lumos_snap.tree import Tree

_PARTS = (
    "columns",
    "lineage edges",
    "lineage of columns",
    "owners",
    "tags given",
    "terms given",
    "checks",
)
WHAT = ("datasets", *_PARTS, *(sort for sort in SORTS if sort != "datasets"))
"""The counted items, in the order of the report."""
_SORT_OF = {kind: sort for sort, kind in SORTS.items()}
_FREE = frozenset({"property", "tag"})
"""Kinds of documents that may be referenced without a definition."""


@dataclass(slots=True)
class SideTally:
    """Counts of one side, and the names that it references."""

    counts: Counter[str] = field(default_factory=Counter)
    _there: set[Identity] = field(default_factory=set)
    _named: dict[Identity, str] = field(default_factory=dict)

    def add(self, identity: Identity, document: Document) -> None:
        """Count a document, and record its references."""
        self.counts[_SORT_OF[identity.kind]] += 1
        if identity.kind == SNAPSHOT.name:
            self.counts.update(_parts(document))
        self._there.add(identity)
        for one in references(document, identity.cls):
            if one.kind not in _FREE:
                self._named.setdefault(one, identity.id)

    def dangling(self) -> Iterator[tuple[Identity, str]]:
        """References without a document, and who references them."""
        for one in sorted(self._named.keys() - self._there):
            yield one, self._named[one]


def _parts(dataset: Document) -> dict[str, int]:
    edges = dataset.get("lineage", {}).get("upstream", ())
    governance = dataset.get("governance", {})
    columns = governance.get("fields", ())
    held = (
        len(dataset.get("schema", {}).get("fields", ())),
        len(edges),
        sum(len(edge.get("columns", ())) for edge in edges),
        len(dataset.get("ownership", {}).get("owners", ())),
        sum(len(one.get("tags", ())) for one in (governance, *columns)),
        sum(len(one.get("terms", ())) for one in (governance, *columns)),
        len(dataset.get("quality", {}).get("checks", ())),
    )
    return dict(zip(_PARTS, held, strict=True))


TREE = "tree"
"""Name of the tree's side."""

SideDocument = tuple[Identity, Document | str]
"""A document, or the reason why it is unreadable."""


@dataclass(frozen=True, slots=True)
class VerifySide:
    """One side: its documents, and what it supports."""

    name: str
    named: Callable[[], Iterable[Identity]]
    """Lists its documents; the list may be incomplete."""
    read: Callable[[list[Identity]], Iterator[SideDocument]]
    """Reads the given documents in order; unreadable ones may come last."""
    project: Callable[[Identity, Document], Projection]


def open_side(tree: Tree, name: str, environment: Mapping[str, str]) -> VerifySide:
    """Open a side by name: `tree`, a catalog, or the file of an export."""
    if name == TREE:
        return _tree(tree)
    known = {one.name for one in tree.config.catalogs}
    if name not in known and Path(name).is_file():
        return _catalog(name, ExportFileCatalog(name, Path(name)))
    return _catalog(
        name, adapters.open_existing(adapters.choose_settings(tree, name), tree, environment)
    )


def _tree(tree: Tree) -> VerifySide:
    side = TreeSide(tree, lambda _: True)

    def read(_: list[Identity]) -> Iterator[SideDocument]:
        yield from iter_documents(side)
        yield from ((identity_at(path), one.message) for path, one in side.invalid.items())

    return VerifySide(TREE, side.identities, read, lambda _, document: Projection(document))


def _catalog(name: str, catalog: Catalog) -> VerifySide:
    def read(identities: list[Identity]) -> Iterator[SideDocument]:
        asking = RetryingClient(catalog, Pace(Speed()))
        for one in map(open_reading, asking.read(identities)):
            if isinstance(one, Unreadable):
                yield one.identity, one.reason
            elif one is not None and not one.is_removed:
                yield one.identity, canonical_document(one.document, one.identity.cls)

    return VerifySide(name, lambda: catalog.search(""), read, catalog.project)


Progress = Callable[[str, int, int], None]
_Pair = tuple[Identity, Document | str | None, Document | str | None]


def verify_sides(source: VerifySide, target: VerifySide, progress: Progress) -> VerifyReport:
    """Find everything that is missing or different on one of the sides.

    Each side reads all documents that either side lists, because a list may lag behind.
    """
    named = sorted({*source.named(), *target.named()})
    looking = _SideComparison(source, target)
    for number, pair in enumerate(_pair_documents(source.read(named), target.read(named)), start=1):
        looking.take(*pair)
        progress("verified", number, len(named))
    progress("verified", len(named), len(named))
    return looking.report()


def _pair_documents(
    ours: Iterator[SideDocument], theirs: Iterator[SideDocument]
) -> Iterator[_Pair]:
    """Pair the documents of two sorted sides."""
    one, two = next(ours, None), next(theirs, None)
    while one is not None or two is not None:
        if two is None or (one is not None and one[0] < two[0]):
            assert one is not None  # noqa: S101 - one of the two is there
            yield one[0], one[1], None
            one = next(ours, None)
        elif one is None or two[0] < one[0]:
            yield two[0], None, two[1]
            two = next(theirs, None)
        else:
            yield one[0], one[1], two[1]
            one, two = next(ours, None), next(theirs, None)


class _SideComparison:
    """Collects the differences, document by document."""

    def __init__(self, source: VerifySide, target: VerifySide) -> None:
        self._source, self._target = source, target
        self._tallies: dict[SideWord, SideTally] = {"source": SideTally(), "target": SideTally()}
        self._missing: list[NamedDocument] = []
        self._additional: list[NamedDocument] = []
        self._different: list[DifferentDocument] = []
        self._lost: list[LostPart] = []
        self._unreadable: list[UnreadableDocument] = []

    def take(
        self, one: Identity, ours: Document | str | None, theirs: Document | str | None
    ) -> None:
        """Compare a document of both sides, or record it where only one side has it."""
        mine, its = self._known("source", one, ours), self._known("target", one, theirs)
        if isinstance(ours, str) or isinstance(theirs, str) or mine == its:
            return  # equal content is supported by both sides
        if mine is not None:
            held = self._held("target", one, mine, self._target)
            if its is None and not held.refusal:
                self._missing.append(NamedDocument(kind=one.kind, id=one.id))
        if its is not None:
            held = self._held("source", one, its, self._source)
            if mine is None and not held.refusal:
                self._additional.append(NamedDocument(kind=one.kind, id=one.id))
        if mine is not None and its is not None:
            self._compare(one, mine, its)

    def _known(
        self, side: SideWord, one: Identity, found: Document | str | None
    ) -> Document | None:
        if isinstance(found, str):
            self._unreadable.append(
                UnreadableDocument(kind=one.kind, id=one.id, side=side, reason=found)
            )
            return None
        if found is not None:
            self._tallies[side].add(one, found)
        return found

    def _held(
        self, side: SideWord, one: Identity, document: Document, party: VerifySide
    ) -> Projection:
        """Project a document to what a side supports; the losses are recorded."""
        held = party.project(one, document)
        reasons = [(loss.at, loss.reason) for loss in held.losses]
        for at, reason in dict.fromkeys([("", held.refusal)] if held.refusal else reasons):
            self._lost.append(LostPart(kind=one.kind, id=one.id, side=side, at=at, reason=reason))
        return held

    def _compare(self, one: Identity, mine: Document, its: Document) -> None:
        left, right = (self._held_by_both(one, document) for document in (mine, its))
        changes = facts(left, right, one.cls)
        if changes:
            told = tuple(map(build_change, changes))
            self._different.append(DifferentDocument(kind=one.kind, id=one.id, changes=told))

    def _held_by_both(self, one: Identity, document: Document) -> Document:
        """Reduce a document to what both sides support."""
        for party in (self._source, self._target):
            document = party.project(one, document).document
        return canonical_document(document, one.cls)

    def _but_unreadable(self, found: list[NamedDocument]) -> tuple[NamedDocument, ...]:
        """Documents that are certainly on one side only; unreadable ones are left out."""
        unknown = {(one.kind, one.id) for one in self._unreadable}
        return tuple(one for one in found if (one.kind, one.id) not in unknown)

    def report(self) -> VerifyReport:
        """Build the report."""
        ours, theirs = self._tallies["source"].counts, self._tallies["target"].counts
        counts = tuple(
            ComparedCount(what=one, source=ours[one], target=theirs[one]) for one in WHAT
        )
        return VerifyReport(
            source=self._source.name,
            target=self._target.name,
            counts=tuple(one for one in counts if one.source or one.target),
            missing=self._but_unreadable(self._missing),
            additional=self._but_unreadable(self._additional),
            different=tuple(self._different),
            lost=tuple(self._lost),
            dangling=tuple(
                DanglingName(kind=one.kind, id=one.id, side=side, named_by=by)
                for side, tally in self._tallies.items()
                for one, by in tally.dangling()
            ),
            unreadable=tuple(self._unreadable),
        )
