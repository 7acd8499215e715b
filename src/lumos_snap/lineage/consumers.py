"""The impact of changes for reports: consumers with owners, advice, and the total reach."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lumos_snap.lineage.change import LineageChange, format_count, format_name, short, some
from lumos_snap.lineage.graph import Graph, Trace, Traces, propagate_traces
from lumos_snap.lineage.impact_rules import AffectedDataset, ChangeImpact
from lumos_snap.report.consumers import Consumer, Impact, Reach


class DatasetContext(NamedTuple):
    """The metadata of a dataset that impact reports show."""

    groups: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    domain: str | None = None
    tier: str | None = None

    @property
    def owners(self) -> tuple[str, ...]:
        """The owners: groups first, then users."""
        return (*self.groups, *self.users)

    @property
    def teams(self) -> tuple[str, ...]:
        """The owning teams; if none is named, each owner is one."""
        return self.groups or self.users


LookUpContext = Callable[[str], DatasetContext]


def impact(change: LineageChange, felt: ChangeImpact, ask: LookUpContext) -> Impact:
    """The consumers of one change, and advice about it."""
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
    """Build the report of one consumer."""
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
    """Combine the direct impact of several changes."""
    found: dict[str, set[Trace]] = {}
    for one in starts:
        for urn, traces in one.starts.items():
            found.setdefault(urn, set()).update(traces)
    return {urn: frozenset(traces) for urn, traces in found.items()}


def list_affected(
    graph: Graph, feelings: Iterable[ChangeImpact], touched: Iterable[str]
) -> tuple[str, ...]:
    """Every downstream dataset that breaks or may break, sorted; without the changed ones."""
    reached, _ = propagate_traces(graph, unite_starts(feelings))
    return tuple(sorted(reached.keys() - set(touched)))


def reach(touched: int, downstream: Sequence[str], ask: LookUpContext) -> Reach:
    """The reach of changes: numbers and a sentence."""
    teams = tuple(sorted({team for urn in downstream for team in ask(urn).teams}))
    return Reach.over(touched, len(downstream), teams)


_NAMED = 5


@dataclass(frozen=True, slots=True)
class Situation:
    """A change and the consumers that it harms."""

    change: LineageChange
    harmed: Sequence[tuple[AffectedDataset, Consumer]]

    @property
    def owners(self) -> list[str]:
        """The owners of harmed datasets."""
        return sorted({owner for _, one in self.harmed for owner in one.owners})

    @property
    def unowned(self) -> list[str]:
        """Harmed datasets without an owner."""
        return [short(one.urn) for _, one in self.harmed if not one.owners]

    @property
    def jobs(self) -> list[str]:
        """The pipelines that read the changed dataset."""
        return sorted({job for felt, _ in self.harmed for job in felt.jobs})

    @property
    def unsure(self) -> list[str]:
        """Direct consumers whose used columns are unknown."""
        known = self.change.is_whole
        return [
            short(one.urn)
            for _, one in self.harmed
            if one.depth == 1 and not (known or one.is_known)
        ]

    @property
    def marked(self) -> list[str]:
        """Columns that depend directly on the changed column, with their datasets."""
        return [
            f"{short(one.urn)}.{column}"
            for _, one in self.harmed
            if one.depth == 1
            for column in one.columns
        ]


class AdviceRule(NamedTuple):
    """A piece of advice, and when it applies."""

    when: Callable[[Situation], bool]
    says: Callable[[Situation], str]


def _is(subject: str, *actions: str) -> Callable[[Situation], bool]:
    """Whether the change has a subject, or one that ends with it after a dot."""

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
"""How to make the change without harm: the first matching row."""

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
"""All matching rows, in this order."""


def advice(
    change: LineageChange, harmed: Sequence[tuple[AffectedDataset, Consumer]]
) -> tuple[str, ...]:
    """Advice, in order, if a consumer is harmed."""
    return tuple(_iter_advice(Situation(change, harmed)))


def _iter_advice(now: Situation) -> Iterator[str]:
    for row in ADVICE_RULES:
        if row.when(now):
            yield row.says(now)
