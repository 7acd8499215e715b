"""Decides how a change affects each consumer: compatible, at risk or breaking."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from lumos_snap.engines import ReadOutcome, ask
from lumos_snap.json_object import JsonObject
from lumos_snap.lineage.change import LineageChange, format_name, some
from lumos_snap.lineage.edges import ColumnLink, LineageLink
from lumos_snap.lineage.graph import (
    Every,
    Graph,
    Trace,
    Traces,
    find_hits,
    pass_on_traces,
    propagate_traces,
)
from lumos_snap.model.field_path import format_path, parse_path
from lumos_snap.model.type_syntax import parse_type
from lumos_snap.report.consumers import Compatibility
from lumos_snap.schema import document_of


class Cast(Enum):
    """The effect of a consumer's cast on a type change."""

    NONE = "it does not cast the column"
    HOLDS = "every value of the new type becomes one of the type that it casts to"
    DOUBTFUL = "it casts the column, and not every value may fit"


_NAME = r"[\w.`\"\[\]$]+"
_TYPE = r"[\w ]+(?:\([\d\s,]*\))?"
_CAST = re.compile(
    rf"\s*(?:(?:TRY_|SAFE_)?CAST\s*\(\s*(?P<cast>{_NAME})\s+AS\s+(?P<as>{_TYPE})\s*\)"
    rf"|(?P<short>{_NAME})\s*::\s*(?P<to>{_TYPE}))\s*",
    re.IGNORECASE,
)
_LONGEST = 1_000
"""The maximum length of an expression to match; longer ones are no simple casts."""

# SQL types with the same meaning in every dialect; others are not guessed.
_SQL = {
    "BIGINT": "INT64",
    "LONG": "INT64",
    "INT": "INT32",
    "INTEGER": "INT32",
    "SMALLINT": "INT16",
    "TINYINT": "INT8",
    "DOUBLE": "FLOAT64",
    "DOUBLE PRECISION": "FLOAT64",
    "FLOAT8": "FLOAT64",
    "REAL": "FLOAT32",
    "TEXT": "STRING",
    "VARCHAR": "STRING",
    "BOOL": "BOOLEAN",
}
_SCALARS = frozenset(
    f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)
) | frozenset(("BOOLEAN", "DECIMAL", "STRING", "CHAR", "VARCHAR", "DATE", "UUID", "ENUM"))


def cast_of(expression: str, source: str, new: JsonObject) -> Cast:
    """Classify an expression's cast of one column that has a new type."""
    match = _CAST.fullmatch(expression) if len(expression) <= _LONGEST else None
    if match is None or not _is_the_column(match["cast"] or match["short"], source):
        return Cast.NONE
    target = _portable(match["as"] or match["to"])
    if target is None or "type" not in new:
        return Cast.DOUBTFUL
    if target == {"type": "STRING"}:
        return Cast.HOLDS if new["type"] in _SCALARS else Cast.DOUBTFUL
    is_exact = ask("generic", new, target).outcome is ReadOutcome.EXACT
    return Cast.HOLDS if is_exact else Cast.DOUBTFUL


def _is_the_column(text: str, source: str) -> bool:
    """Whether a name in an expression is the column, with or without its table."""
    bare = re.sub(r"[`\"\[\]]", "", text).casefold()
    try:
        path = format_path(parse_path(source)).replace("`", "").casefold()
    except ValueError:
        return False
    return bare == path or bare.endswith("." + path)


def _portable(text: str) -> JsonObject | None:
    """Convert a SQL type to a snapshot's type; None if the conversion is uncertain."""
    named = " ".join(text.upper().split())
    named = re.sub(r"^(NUMERIC|DEC)\b", "DECIMAL", named)
    named = re.sub(r"^(DECIMAL ?\( ?\d+ ?)\)$", r"\1, 0)", named)
    try:
        found = document_of(parse_type(_SQL.get(named, named)))
    except ValueError:
        return None
    return None if found["type"] == "DECIMAL" and "precision" not in found else found


@dataclass(frozen=True, slots=True)
class DirectReader:
    """A direct consumer of a changed dataset, with the facts that decide its compatibility."""

    change: LineageChange
    links: tuple[LineageLink, ...]
    traces: Traces
    """The affected part of the consumer."""
    used: tuple[ColumnLink, ...]
    """Its columns that depend on the changed one."""

    @property
    def names_it_anew(self) -> bool:
        """Whether its lineage uses the new name already."""
        change = self.change
        if not change.is_rename:
            return False
        if change.is_whole:
            return all(link.upstream not in change.old_urns for link in self.links)
        used = {
            one
            for link in self.links
            for name in change.old_columns
            for one in find_hits(link, name)
        }
        return not used and Every.SOME not in self.traces

    @property
    def casts(self) -> frozenset[Cast]:
        """The effects of its casts on a type change, if all of its uses are known."""
        one = self.change.finding
        if one.silent or not one.subject.endswith(".type") or not isinstance(one.new, dict):
            return frozenset()
        if Every.SOME in self.traces:
            return frozenset()

        return frozenset(cast_of(column.by, column.source, one.new) for column in self.used)

    @property
    def is_guess(self) -> bool:
        """Whether it is unknown if it uses what changed."""
        return not self.used


class ImpactRule(NamedTuple):
    """A consumer's compatibility with a change, its reason, and when it applies."""

    when: Callable[[DirectReader], bool]
    compatibility: Compatibility
    reason: str


IMPACT_RULES: tuple[ImpactRule, ...] = (
    ImpactRule(
        lambda touch: not touch.change.breaks,
        Compatibility.COMPATIBLE,
        "the change breaks no reader",
    ),
    ImpactRule(
        lambda touch: touch.names_it_anew,
        Compatibility.COMPATIBLE,
        "its lineage has the new name already",
    ),
    ImpactRule(
        lambda touch: touch.change.is_only_for_writers,
        Compatibility.COMPATIBLE,
        "who knows the old schema reads new data as before",
    ),
    ImpactRule(
        lambda touch: touch.casts == {Cast.HOLDS},
        Compatibility.COMPATIBLE,
        "it casts the column to a type that still holds: {expressions}",
    ),
    ImpactRule(
        lambda touch: Cast.DOUBTFUL in touch.casts and Cast.NONE not in touch.casts,
        Compatibility.AT_RISK,
        "it casts the column, and not every value may fit: {expressions}",
    ),
    ImpactRule(
        lambda touch: touch.change.is_about_treatment,
        Compatibility.AT_RISK,
        "it holds what is made from the data, and has marks of its own",
    ),
    ImpactRule(
        lambda touch: touch.change.is_about_promises,
        Compatibility.AT_RISK,
        "it relies on what was promised",
    ),
    ImpactRule(lambda touch: touch.change.is_whole, Compatibility.BREAKING, "it reads the dataset"),
    ImpactRule(
        lambda touch: touch.is_guess,
        Compatibility.AT_RISK,
        "not known, table-level: its lineage does not say whether it uses {field}",
    ),
    ImpactRule(lambda _: True, Compatibility.BREAKING, "it uses {field} for {targets}"),
)
"""The first matching rule decides."""


@dataclass(frozen=True, slots=True)
class AffectedDataset:
    """The effect of a change on one consumer, without its owners."""

    urn: str
    depth: int
    through: tuple[str, ...]
    traces: Traces
    compatibility: Compatibility
    reason: str
    jobs: tuple[str, ...] = ()

    @property
    def is_harmed(self) -> bool:
        """Whether it breaks or may break."""
        return self.compatibility is not Compatibility.COMPATIBLE

    @property
    def columns(self) -> tuple[str, ...]:
        """Its affected columns, as far as they are known."""
        return tuple(sorted(one for one in self.traces if isinstance(one, str)))


@dataclass(frozen=True, slots=True)
class ChangeImpact:
    """All consumers affected by a change; the most severe first."""

    felt: tuple[AffectedDataset, ...]
    is_complete: bool
    """Whether the list is complete: it is limited to the nearest datasets."""
    starts: dict[str, Traces]
    """The affected parts of direct consumers that are not compatible."""


def find_impact(graph: Graph, change: LineageChange, *, most: int) -> ChangeImpact:
    """Find the direct consumers of a change, and everything downstream of them."""
    direct = [
        (urn, touch, _row(touch)) for urn, touch in sorted(_direct_readers(graph, change).items())
    ]
    starts = {
        urn: touch.traces
        for urn, touch, row in direct
        if row.compatibility is not Compatibility.COMPATIBLE
    }
    reached, is_complete = propagate_traces(graph, starts, most=most)
    found = {
        urn: AffectedDataset(
            urn, one.depth, one.through, frozenset(one.traces), *_further(one.through)
        )
        for urn, one in reached.items()
        if one.depth > 1
    }
    for urn, touch, row in direct:
        if urn in starts or urn not in found:
            found[urn] = _build_affected(urn, touch, row)
    listed = [one for urn, one in found.items() if urn not in change.urns]
    return ChangeImpact(tuple(sorted(listed, key=_rank)), is_complete, starts)


def _direct_readers(graph: Graph, change: LineageChange) -> dict[str, DirectReader]:
    """Find the consumers, by any name of the dataset, that use what changed, or may."""
    wanted: set[Trace] = set(change.columns) or {Every.ALL}
    links: dict[str, list[LineageLink]] = {}
    for urn in change.urns:
        for link in graph.links_from(urn):
            if pass_on_traces(link, wanted):
                links.setdefault(link.consumer, []).append(link)
    return {
        urn: DirectReader(
            change,
            tuple(held),
            frozenset(trace for link in held for trace in pass_on_traces(link, wanted)),
            tuple(
                sorted({one for link in held for trace in wanted for one in find_hits(link, trace)})
            ),
        )
        for urn, held in links.items()
    }


def _row(touch: DirectReader) -> ImpactRule:
    return next(row for row in IMPACT_RULES if row.when(touch))


def _build_affected(urn: str, touch: DirectReader, row: ImpactRule) -> AffectedDataset:
    reason = row.reason.format(
        field=format_name(sorted(touch.change.old_columns)[0]) if touch.change.columns else "it",
        targets=some(format_name(one) for one in sorted({one.target for one in touch.used})),
        expressions=some(sorted({format_name(one.by) for one in touch.used if one.by})),
    )
    jobs = tuple(sorted({link.via for link in touch.links if link.via}))
    return AffectedDataset(urn, 1, (), touch.traces, row.compatibility, reason, jobs)


def _further(through: tuple[str, ...]) -> tuple[Compatibility, str]:
    return Compatibility.AT_RISK, f"it is made from {through[-1].removeprefix('lumos://')}"


_ORDER = tuple(Compatibility)


def _rank(one: AffectedDataset) -> tuple[int, int, str]:
    return _ORDER.index(one.compatibility), one.depth, one.urn
