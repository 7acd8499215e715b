"""Impact as reports have it: consumers with their owners, advice, and how far a diff reaches."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lumos_snap.lineage.change import LineageChange, format_count, format_name, short, some
from lumos_snap.lineage.graph import Graph, Trace, Traces, propagate_traces
from lumos_snap.lineage.impact_rules import AffectedDataset, ChangeImpact
from lumos_snap.report.impact import Consumer, Impact, Reach


class DatasetContext(NamedTuple):
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


LookUpContext = Callable[[str], DatasetContext]


def impact(change: LineageChange, felt: ChangeImpact, ask: LookUpContext) -> Impact:
    """Who feels one change, and what to do about it."""
    consumers = [(one, consumer(one, ask(one.urn))) for one in felt.felt]
    harmed = [(one, told) for one, told in consumers if one.is_harmed]
    return Impact(
        consumers=tuple(told for _, told in consumers),
        complete=felt.is_complete,
        advice=_advice(change, harmed) if harmed else (),
    )


def _advice(
    change: LineageChange, harmed: Sequence[tuple[AffectedDataset, Consumer]]
) -> tuple[str, ...]:

    return advice(change, harmed)


def consumer(one: AffectedDataset, known: DatasetContext) -> Consumer:
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


def unite_starts(starts: Iterable[ChangeImpact]) -> dict[str, Traces]:
    """What is touched at first by several changes together."""
    found: dict[str, set[Trace]] = {}
    for one in starts:
        for urn, traces in one.starts.items():
            found.setdefault(urn, set()).update(traces)
    return {urn: frozenset(traces) for urn, traces in found.items()}


def list_affected(
    graph: Graph, feelings: Iterable[ChangeImpact], touched: Iterable[str]
) -> tuple[str, ...]:
    """Every dataset downstream that breaks or may, sorted; what changed itself is not among it."""
    reached, _ = propagate_traces(graph, unite_starts(feelings))
    return tuple(sorted(reached.keys() - set(touched)))


def reach(touched: int, downstream: Sequence[str], ask: LookUpContext) -> Reach:
    """How far changes reach, in numbers and in a sentence."""
    teams = tuple(sorted({team for urn in downstream for team in ask(urn).teams}))
    return Reach.over(touched, len(downstream), teams)


_NAMED = 5


@dataclass(frozen=True, slots=True)
class Situation:
    """A change, and those who are harmed by it."""

    change: LineageChange
    harmed: Sequence[tuple[AffectedDataset, Consumer]]

    @property
    def owners(self) -> list[str]:
        """Who owns what is harmed."""
        return sorted({owner for _, one in self.harmed for owner in one.owners})

    @property
    def unowned(self) -> list[str]:
        """What is harmed and nobody's."""
        return [short(one.urn) for _, one in self.harmed if not one.owners]

    @property
    def jobs(self) -> list[str]:
        """The pipelines that read what changed."""
        return sorted({job for felt, _ in self.harmed for job in felt.jobs})

    @property
    def unsure(self) -> list[str]:
        """Readers of the dataset of which nobody knows what they use."""
        known = self.change.is_whole
        return [
            short(one.urn)
            for _, one in self.harmed
            if one.depth == 1 and not (known or one.is_known)
        ]

    @property
    def marked(self) -> list[str]:
        """Columns that are made from the column that changed, by their datasets."""
        return [
            f"{short(one.urn)}.{column}"
            for _, one in self.harmed
            if one.depth == 1
            for column in one.columns
        ]


class AdviceRule(NamedTuple):
    """When a piece of advice holds, and what it says."""

    when: Callable[[Situation], bool]
    says: Callable[[Situation], str]


def _is(subject: str, *actions: str) -> Callable[[Situation], bool]:
    """Whether the change is of a sort: a subject, or the end of one after a dot."""

    def holds(now: Situation) -> bool:
        one = now.change.finding
        is_it = one.subject == subject or one.subject.endswith(f".{subject}")
        return is_it and (not actions or one.action in actions)

    return holds


def _field(now: Situation) -> str:
    return format_name(now.change.finding.field or "the column")


def _old(now: Situation) -> str:
    return format_name(now.change.finding.was or now.change.finding.field or "the column")


_HOW: tuple[AdviceRule, ...] = (
    AdviceRule(
        lambda now: now.change.is_about_treatment,
        lambda now: (
            "look at how the data made from it is marked"
            + (f": {some(map(format_name, now.marked), _NAMED)}" if now.marked else "")
        ),
    ),
    AdviceRule(
        _is("dataset", "removed"),
        lambda _: (
            "deprecate the dataset first, in `contract` with a `sunset`, and remove it when "
            "nobody reads it"
        ),
    ),
    AdviceRule(
        _is("dataset", "renamed"),
        lambda now: (
            f"keep a view under the old name, {format_name(short(now.change.urns[-1]))}, until "
            "nobody reads it"
        ),
    ),
    AdviceRule(
        _is("field", "removed"),
        lambda now: (
            f"keep {_field(now)} and deprecate it, in `contract.fields` with a `sunset`; "
            "remove it when nobody reads it"
        ),
    ),
    AdviceRule(
        _is("field", "renamed", "moved"),
        lambda now: (
            f"add {_field(now)} beside {_old(now)}, fill both, and deprecate {_old(now)}, "
            "in `contract.fields` with a `sunset`"
        ),
    ),
    AdviceRule(
        _is("type", "changed"),
        lambda now: (
            f"add a column of the new type beside {_field(now)} first, fill both, and "
            f"deprecate {_field(now)}, in `contract.fields` with a `sunset`"
        ),
    ),
    AdviceRule(
        lambda now: now.change.finding.subject.startswith(("storage", "partition")),
        lambda _: "keep the data readable as it was until all readers have moved",
    ),
    AdviceRule(lambda _: True, lambda now: now.change.finding.fix),
)
"""How to make the change without harm: the first row that holds."""

ADVICE_RULES: tuple[AdviceRule, ...] = (
    AdviceRule(
        lambda now: bool(now.owners),
        lambda now: (
            f"tell {some(now.owners, _NAMED)}: they own "
            f"{format_count(len(now.harmed) - len(now.unowned), 'dataset')} downstream"
        ),
    ),
    AdviceRule(
        lambda now: bool(now.unowned),
        lambda now: f"find out who answers for {some(now.unowned, _NAMED)}: nobody is named",
    ),
    AdviceRule(lambda _: True, lambda now: next(row.says(now) for row in _HOW if row.when(now))),
    AdviceRule(
        lambda now: bool(now.jobs) and not now.change.is_about_treatment,
        lambda now: (
            f"update {'this pipeline' if len(now.jobs) == 1 else 'these pipelines'} before: "
            f"{some(map(format_name, now.jobs), _NAMED)}"
        ),
    ),
    AdviceRule(
        lambda now: bool(now.unsure),
        lambda now: (
            f"find out which columns {some(now.unsure, _NAMED)} "
            f"{'uses' if len(now.unsure) == 1 else 'use'}: lineage tells tables only"
        ),
    ),
)
"""Every row that holds, in this order."""


def advice(
    change: LineageChange, harmed: Sequence[tuple[AffectedDataset, Consumer]]
) -> tuple[str, ...]:
    """What to do, in order, where somebody is harmed."""
    return tuple(_iter_advice(Situation(change, harmed)))


def _iter_advice(now: Situation) -> Iterator[str]:
    for row in ADVICE_RULES:
        if row.when(now):
            yield row.says(now)
