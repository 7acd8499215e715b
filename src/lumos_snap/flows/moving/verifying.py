"""`lumos snap verify`: whether two sides hold the same, as far as both can hold it."""

from collections.abc import Callable, Iterator

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import Identity, Projection
from lumos_snap.catalogs.report import told_of_change
from lumos_snap.catalogs.sync.drift import facts
from lumos_snap.flows.moving.counting import WHAT, Tally
from lumos_snap.flows.moving.parties import Found, Party
from lumos_snap.report.verify import (
    Counted,
    DanglingName,
    DifferentDocument,
    LostPart,
    NamedDocument,
    SideWord,
    UnreadableDocument,
    Verified,
)
from lumos_snap.schema import Document

Progress = Callable[[str, int, int], None]
_Pair = tuple[Identity, Document | str | None, Document | str | None]


def verified(source: Party, target: Party, progress: Progress) -> Verified:
    """Everything that one side has and the other lacks, or has otherwise.

    Each side is asked by name for what either lists: a list may lag behind what is stored.
    """
    named = sorted({*source.named(), *target.named()})
    looking = _Looking(source, target)
    for number, pair in enumerate(_paired(source.read(named), target.read(named)), start=1):
        looking.take(*pair)
        progress("verified", number, len(named))
    progress("verified", len(named), len(named))
    return looking.report()


def _paired(ours: Iterator[Found], theirs: Iterator[Found]) -> Iterator[_Pair]:
    """Documents of both sides, side by side; each comes in order."""
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


class _Looking:
    """What is found, document by document."""

    def __init__(self, source: Party, target: Party) -> None:
        self._source, self._target = source, target
        self._tallies: dict[SideWord, Tally] = {"source": Tally(), "target": Tally()}
        self._missing: list[NamedDocument] = []
        self._additional: list[NamedDocument] = []
        self._different: list[DifferentDocument] = []
        self._lost: list[LostPart] = []
        self._unreadable: list[UnreadableDocument] = []

    def take(
        self, one: Identity, ours: Document | str | None, theirs: Document | str | None
    ) -> None:
        """Compare a document of both sides, or name it where only one has it."""
        mine, its = self._known("source", one, ours), self._known("target", one, theirs)
        if isinstance(ours, str) or isinstance(theirs, str) or mine == its:
            return  # what both say, both can hold
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

    def _held(self, side: SideWord, one: Identity, document: Document, party: Party) -> Projection:
        """What a side can hold of a document of the other; what it cannot is named."""
        held = party.project(one, document)
        reasons = [(loss.at, loss.reason) for loss in held.losses]
        for at, reason in dict.fromkeys([("", held.refusal)] if held.refusal else reasons):
            self._lost.append(LostPart(kind=one.kind, id=one.id, side=side, at=at, reason=reason))
        return held

    def _compare(self, one: Identity, mine: Document, its: Document) -> None:
        left, right = (self._held_by_both(one, document) for document in (mine, its))
        changes = facts(left, right, one.cls)
        if changes:
            told = tuple(map(told_of_change, changes))
            self._different.append(DifferentDocument(kind=one.kind, id=one.id, changes=told))

    def _held_by_both(self, one: Identity, document: Document) -> Document:
        """A document as far as both sides can hold it."""
        for party in (self._source, self._target):
            document = party.project(one, document).document
        return canonical_document(document, one.cls)

    def _but_unreadable(self, found: list[NamedDocument]) -> tuple[NamedDocument, ...]:
        """What is surely on one side only: of what cannot be read, nothing is known."""
        unknown = {(one.kind, one.id) for one in self._unreadable}
        return tuple(one for one in found if (one.kind, one.id) not in unknown)

    def report(self) -> Verified:
        """All of it."""
        ours, theirs = self._tallies["source"].counts, self._tallies["target"].counts
        counts = tuple(Counted(what=one, source=ours[one], target=theirs[one]) for one in WHAT)
        return Verified(
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
