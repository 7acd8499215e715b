"""Sending of observations in batches; rejected batches are split."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT
from lumos_snap.catalogs import sync_state as bases
from lumos_snap.catalogs.adapter import (
    Catalog,
    Identity,
    ObservedDataset,
    Observer,
    WriteAnswer,
    WriteConfirmed,
    WriteRefused,
)
from lumos_snap.catalogs.observation_filter import ObservationMark, is_news, mark
from lumos_snap.catalogs.sync.client import Pace, RetryingClient, Speed
from lumos_snap.catalogs.sync_state import SyncBase
from lumos_snap.commands.sync.options import Progress, SyncOptions
from lumos_snap.commands.sync.tree_documents import TreeSide
from lumos_snap.report.envelope import FileFinding
from lumos_snap.tree import Tree

AT_ONCE = 100
"""Observations in a request: DataHub's client sends up to 200 points, and each has two or more."""


@dataclass(frozen=True, slots=True)
class ReadingResult:
    """Outcome of one observation; an empty reason means success."""

    urn: str
    reason: str = ""


def send_readings(
    asking: RetryingClient, observer: Observer, readings: Iterable[ObservedDataset]
) -> Iterator[ReadingResult]:
    """Send observations; after a batch without an answer, the rest is not tried."""
    left = iter(readings)
    while some := tuple(islice(left, AT_ONCE)):
        is_answered = True
        for one, answer in _answers(asking, observer, some):
            urn = str(one.observation["urn"])
            yield ReadingResult(urn, _reason(answer))
            is_answered &= isinstance(answer, WriteConfirmed) or _is_final(answer)
        if not is_answered:
            return


def _answers(
    asking: RetryingClient, observer: Observer, some: Sequence[ObservedDataset]
) -> Iterator[tuple[ObservedDataset, WriteAnswer]]:
    answer = asking.observe(observer, some)
    if len(some) > 1 and _is_final(answer):
        half = len(some) // 2  # a server rejects the whole batch for one observation
        yield from _answers(asking, observer, some[:half])
        yield from _answers(asking, observer, some[half:])
    else:
        yield from ((one, answer) for one in some)


def _is_final(answer: WriteAnswer) -> bool:
    return isinstance(answer, WriteRefused) and not answer.is_busy


def _reason(answer: WriteAnswer) -> str:
    return "" if isinstance(answer, WriteConfirmed) else answer.reason


class DueReading(NamedTuple):
    """An observation to send."""

    urn: str
    mark: ObservationMark


@dataclass(frozen=True, slots=True)
class Readings:
    """Observations that are newer than the last ones sent."""

    due: tuple[DueReading, ...] = ()
    invalid: tuple[FileFinding, ...] = ()
    """Problems of invalid observation files."""


@dataclass(frozen=True, slots=True)
class ObservationsResult:
    """Number of stored observations, and reasons why others failed."""

    sent: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)


NONE_DUE = Readings()
NOTHING = ObservationsResult()


def find_due(tree: Tree, base: SyncBase, catalog: Catalog, asked: SyncOptions) -> Readings:
    """Find observations that were not sent yet, of datasets in the tree."""
    if asked.sections or not isinstance(catalog, Observer):
        return NONE_DUE
    known, datasets = base.readings(), set(tree.paths(SNAPSHOT))
    found, side = [], TreeSide(tree, asked.wants)
    for (_, urn), document in side.of(OBSERVATION):
        one = mark(document, catalog.capabilities.observes)
        is_new = one is not None and is_news(one, known.get(OBSERVATION.path(urn)))
        if one is not None and is_new and SNAPSHOT.path(urn) in datasets:
            found.append(DueReading(urn, one))
    return Readings(tuple(found), tuple(side.invalid.values()))


def send_observations(
    tree: Tree,
    base: SyncBase,
    catalog: Catalog,
    some: Iterable[DueReading],
    progress: Progress,
    *,
    push: bool,
) -> ObservationsResult:
    """Send observations of datasets in the catalog, and record in git which were sent."""
    if not isinstance(catalog, Observer):
        return NOTHING
    wanted = {one.urn: one.mark for one in some if SNAPSHOT.path(one.urn) in base.files}
    kept: dict[Identity, ObservationMark] = {}
    failed: dict[str, str] = {}
    asking = RetryingClient(catalog, Pace(Speed()))
    for number, one in enumerate(
        send_readings(asking, catalog, _read_observations(tree, wanted)), start=1
    ):
        if one.reason:
            failed[one.urn] = one.reason
        else:
            kept[Identity(OBSERVATION.name, one.urn)] = wanted[one.urn]
        progress("readings", number, len(wanted))
    if kept:
        bases.confirm(base, {}, {}, readings=kept, source=None, push=push)
    return ObservationsResult(len(kept), failed)


def _read_observations(
    tree: Tree, wanted: Mapping[str, ObservationMark]
) -> Iterator[ObservedDataset]:
    """Read observations with their datasets; files that are no longer valid are left out."""
    side = TreeSide(tree, wanted.__contains__)
    for urn in wanted:
        for _, measured in side.read(OBSERVATION, [OBSERVATION.path(urn)]):
            for _, snapshot in side.read(SNAPSHOT, [SNAPSHOT.path(urn)]):
                yield ObservedDataset(measured, snapshot)
