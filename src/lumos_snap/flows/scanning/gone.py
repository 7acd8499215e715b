"""What the tree knows and a scan no longer meets: vanished, moved, or only out of sight."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lumos_snap.canonical.kinds import OBSERVATION, SNAPSHOT
from lumos_snap.canonical.reading import read
from lumos_snap.flows.scanning.asked import Asked
from lumos_snap.flows.scanning.looking import Seen
from lumos_snap.report.scanning import Outcome
from lumos_snap.scan.deciding import Decided
from lumos_snap.scan.moving import as_former, moves, why_not_removed
from lumos_snap.shape import Document
from lumos_snap.tree import Tree


@dataclass(frozen=True, slots=True)
class Leaving:
    """Datasets that are no longer met."""

    gone: Mapping[str, Document] = field(default_factory=dict)
    """Their snapshots, by urn."""
    moves: Mapping[str, str] = field(default_factory=dict)
    """Which new dataset was which of them before: the urns."""
    removed: tuple[str, ...] = ()
    why_not: str = ""
    """Why none is removed though it was asked for."""

    def former(self, urn: str) -> Document:
        """What a dataset that moved was before, under its present urn."""
        return as_former(self.gone[self.moves[urn]], urn)


def leaving(tree: Tree, seen: Seen, decided: Sequence[Decided], asked: Asked) -> Leaving:
    """What was not met; what is not asked for is not missed."""
    if asked.only:
        return Leaving(why_not=_said(asked, (), known=0, met=0, complete=True))
    met = {one.urn for one in decided}
    known = {urn: path for stored in seen.stored.values() for urn, path in stored.items()}
    gone = {
        urn: document
        for urn, path in sorted(known.items())
        if urn not in met and (document := _document(tree, path)) is not None
    }
    if not gone:
        return Leaving()
    measured = {urn: (one, _measure(tree, urn)) for urn, one in gone.items()}
    added = [one for one in decided if one.outcome is Outcome.ADDED]
    complete = all(listing.complete for listing in seen.listings)
    why_not = _said(asked, tuple(gone), known=len(known), met=len(met), complete=complete)
    removed = tuple(gone) if asked.prune and not why_not else ()
    return Leaving(gone, moves(added, measured), removed, why_not)


def _said(asked: Asked, gone: Sequence[str], *, known: int, met: int, complete: bool) -> str:
    if not asked.prune:
        return ""
    return why_not_removed(
        gone,
        known=known,
        met=met,
        complete=complete,
        filtered=bool(asked.only),
        allowed=asked.prune_max,
    )


def _document(tree: Tree, path: str) -> Document | None:
    """A snapshot that can be read; any other is no business of a scan."""
    content = tree.files.read(path)
    reading = None if content is None else read(content, SNAPSHOT.cls)
    return None if reading is None or reading.problems else reading.document


def _measure(tree: Tree, urn: str) -> Document | None:
    content = tree.files.read(OBSERVATION.path(urn))
    return None if content is None else read(content, OBSERVATION.cls).document
