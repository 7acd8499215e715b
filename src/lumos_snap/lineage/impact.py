"""Impact as reports have it: consumers with their owners, advice, and how far a diff reaches."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from lumos_snap.lineage.change import Change
from lumos_snap.lineage.graph import Graph
from lumos_snap.lineage.impact_rules import Feeling, Felt
from lumos_snap.lineage.propagation import Trace, Traces, spread
from lumos_snap.report.impact import Consumer, Impact, Reach


class Known(NamedTuple):
    """What a snapshot says of its dataset that others ask about."""

    groups: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    domain: str | None = None
    tier: str | None = None

    @property
    def owners(self) -> tuple[str, ...]:
        """Who answers for it."""
        return (*self.groups, *self.users)

    @property
    def teams(self) -> tuple[str, ...]:
        """The teams that answer for it; where none is named, each person is one."""
        return self.groups or self.users


Ask = Callable[[str], Known]


def impact(change: Change, felt: Feeling, ask: Ask) -> Impact:
    """Who feels one change, and what to do about it."""
    consumers = [(one, consumer(one, ask(one.urn))) for one in felt.felt]
    harmed = [(one, told) for one, told in consumers if one.is_harmed]
    return Impact(
        consumers=tuple(told for _, told in consumers),
        complete=felt.is_complete,
        advice=_advice(change, harmed) if harmed else (),
    )


def _advice(change: Change, harmed: Sequence[tuple[Felt, Consumer]]) -> tuple[str, ...]:
    from lumos_snap.lineage.advice import advice  # noqa: PLC0415 - most changes harm nobody

    return advice(change, harmed)


def consumer(one: Felt, known: Known) -> Consumer:
    """What a report says of one consumer."""
    return Consumer(
        urn=one.urn,
        depth=one.depth,
        through=one.through,
        columns=one.columns,
        is_known=bool(one.columns),
        compatibility=one.compatibility,
        reason=one.reason,
        owners=known.owners,
        domain=known.domain,
        tier=known.tier,
    )


def united(starts: Iterable[Feeling]) -> dict[str, Traces]:
    """What is touched at first by several changes together."""
    found: dict[str, set[Trace]] = {}
    for one in starts:
        for urn, traces in one.starts.items():
            found.setdefault(urn, set()).update(traces)
    return {urn: frozenset(traces) for urn, traces in found.items()}


def affected(graph: Graph, feelings: Iterable[Feeling], touched: Iterable[str]) -> tuple[str, ...]:
    """Every dataset downstream that breaks or may, sorted; what changed itself is not among it."""
    reached, _ = spread(graph, united(feelings))
    return tuple(sorted(reached.keys() - set(touched)))


def reach(touched: int, downstream: Sequence[str], ask: Ask) -> Reach:
    """How far changes reach, in numbers and in a sentence."""
    teams = tuple(sorted({team for urn in downstream for team in ask(urn).teams}))
    return Reach.over(touched, len(downstream), teams)
