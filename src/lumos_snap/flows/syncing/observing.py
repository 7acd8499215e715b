"""What was measured goes to a catalog, too: readings that are newer than what was last sent.

Nobody edits them, so they are no part of what is merged; a catalog adds each to a series.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT
from lumos_snap.catalogs import sync_state as bases
from lumos_snap.catalogs.adapter import Catalog, Identity, Observed, Observer
from lumos_snap.catalogs.observation_filter import Mark, is_news, mark
from lumos_snap.catalogs.running.observing import sent
from lumos_snap.catalogs.sync.client import Asking
from lumos_snap.catalogs.sync.rate_limit import Pace, Speed
from lumos_snap.catalogs.sync_state import Base
from lumos_snap.flows.syncing.asked import Asked, Progress
from lumos_snap.flows.syncing.sides import TreeSide
from lumos_snap.report.envelope import Finding
from lumos_snap.tree import Tree


class Due(NamedTuple):
    """A reading that is to be sent."""

    urn: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Readings:
    """What was measured since readings were last sent."""

    due: tuple[Due, ...] = ()
    invalid: tuple[Finding, ...] = ()
    """What is wrong with files that are no valid observations."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of readings: how many are kept there, and why others are not."""

    sent: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)


NONE_DUE = Readings()
NOTHING = Measured()


def due(tree: Tree, base: Base, catalog: Catalog, asked: Asked) -> Readings:
    """The readings that a catalog has not been sent yet, of datasets that the tree has."""
    if asked.sections or not isinstance(catalog, Observer):
        return NONE_DUE
    known, datasets = base.readings(), set(tree.paths(SNAPSHOT))
    found, side = [], TreeSide(tree, asked.wants)
    for (_, urn), document in side.of(OBSERVATION):
        one = mark(document, catalog.capabilities.observes)
        is_new = one is not None and is_news(one, known.get(OBSERVATION.path(urn)))
        if one is not None and is_new and SNAPSHOT.path(urn) in datasets:
            found.append(Due(urn, one))
    return Readings(tuple(found), tuple(side.invalid.values()))


def observed(
    tree: Tree, base: Base, catalog: Catalog, some: Iterable[Due], progress: Progress, *, push: bool
) -> Measured:
    """Send readings of datasets that the catalog holds, and keep in git which were sent."""
    if not isinstance(catalog, Observer):
        return NOTHING
    wanted = {one.urn: one.mark for one in some if SNAPSHOT.path(one.urn) in base.files}
    kept: dict[Identity, Mark] = {}
    failed: dict[str, str] = {}
    asking = Asking(catalog, Pace(Speed()))
    for number, one in enumerate(sent(asking, catalog, _readings(tree, wanted)), start=1):
        if one.reason:
            failed[one.urn] = one.reason
        else:
            kept[Identity(OBSERVATION.name, one.urn)] = wanted[one.urn]
        progress("readings", number, len(wanted))
    if kept:
        bases.confirm(base, {}, {}, readings=kept, source=None, push=push)
    return Measured(len(kept), failed)


def _readings(tree: Tree, wanted: Mapping[str, Mark]) -> Iterator[Observed]:
    """Readings with their datasets; what has changed since it was looked at waits."""
    side = TreeSide(tree, wanted.__contains__)
    for urn in wanted:
        for _, measured in side.read(OBSERVATION, [OBSERVATION.path(urn)]):
            for _, snapshot in side.read(SNAPSHOT, [SNAPSHOT.path(urn)]):
                yield Observed(measured, snapshot)
