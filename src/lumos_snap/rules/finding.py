"""A finding: a fact, its rule, the decisions that led to its level; and waivers of findings."""

import datetime
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import orjson

from lumos_snap.diff import Fact
from lumos_snap.documents.patterns import matches_dataset
from lumos_snap.engines import EngineAnswer
from lumos_snap.rules.registry import by_name
from lumos_snap.rules.rule import Bump, Level, Rule

if TYPE_CHECKING:
    from lumos_snap.config.waivers import Waiver

LENGTH = 16
"""Hex digits of a fingerprint, long enough to avoid collisions in practice."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One step towards the level and verdict of a finding."""

    by: str
    """What decided: the rule, an engine, the policy, the lifecycle, the gate, a waiver."""
    says: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule applied to a fact."""

    rule: Rule
    fact: Fact
    """The noticed difference."""
    told: Fact
    """The part of it that the rule is about."""
    urn: str
    level: Level
    bump: Bump
    blocks: bool
    """Whether it fails a verdict with `fail_on: breaking`, before waivers."""
    decisions: tuple[Decision, ...] = field(default=())
    answer: EngineAnswer | None = None
    """The answer of the deciding engine, if engines decide."""
    waived: bool = False

    @property
    def fingerprint(self) -> str:
        """The identity of the finding, independent of wording, files and lines."""
        fact = self.fact
        where = f"#{fact.id}" if fact.id is not None else fact.was or fact.path
        root = fact.at[1] if fact.at[:1] == ("schema",) and fact.at[1:2] != ("fields",) else ""
        identity = [
            self.rule.id, self.urn, root, fact.subject, where, fact.item,
            _plain(fact.old), _plain(fact.new), *_repetition(fact),
        ]  # fmt: skip
        return hashlib.sha256(orjson.dumps(identity, option=orjson.OPT_SORT_KEYS)).hexdigest()[
            :LENGTH
        ]

    def with_decision(self, by: str, says: str, **changes: Any) -> "Finding":
        """The finding after one more decision."""
        return replace(self, decisions=(*self.decisions, Decision(by, says)), **changes)


def _repetition(fact: Fact) -> tuple[int, ...]:
    """The number of a repeated symbol, from the second on: lists may repeat one."""
    if not fact.item or not fact.subject.endswith(".symbols"):
        return ()
    number = int(fact.at[-1][1])
    return (number,) if number > 1 else ()


def _plain(held: object) -> object:
    """Drop a whole snapshot: its urn identifies it already."""
    return None if isinstance(held, dict) and "lumos_version" in held else held


FailOn = Literal["breaking", "non-breaking", "none"]


def fails(finding: Finding, fail_on: FailOn) -> bool:
    """Whether a finding fails a verdict."""
    if fail_on == "none" or finding.waived:
        return False
    return finding.blocks or (fail_on == "non-breaking" and finding.level is Level.NON_BREAKING)


def bump_of(findings: Iterable[Finding]) -> Bump:
    """The smallest valid version step for all findings; waived changes count."""
    return max((finding.bump for finding in findings), default=Bump.NONE)


# Waivers: which findings they accept, and which have expired or are unused.


@dataclass(frozen=True, slots=True)
class FiledWaiver:
    """A waiver and its file."""

    path: str
    waiver: "Waiver"
    void: str = ""
    """Why it does not count, if so."""


class Waivers:
    """The waivers of a tree, applied to one finding after the other."""

    def __init__(self, filed: Sequence[FiledWaiver], today: datetime.date) -> None:
        self._filed = tuple(filed)
        self._today = today
        self._exact: dict[str, list[FiledWaiver]] = {}
        self._broad: list[FiledWaiver] = []
        self._met: set[FiledWaiver] = set()
        for one in self._filed:
            if one.waiver.fingerprint is None:
                self._broad.append(one)
            else:
                self._exact.setdefault(one.waiver.fingerprint, []).append(one)

    def decide(self, finding: Finding) -> Finding:
        """Waive a finding if a valid waiver covers it."""
        exact = self._exact.get(finding.fingerprint, []) if self._exact else []
        if finding.level is Level.SILENT:
            exact = [one for one in exact if one.waiver.silent]
        covering = [*exact, *(one for one in self._broad if _covers(one.waiver, finding))]
        holding = [one for one in covering if not one.void]
        decided = _apply_waivers(finding, holding, self._today)
        if not decided.waived:
            for one in covering:
                if one.void:
                    says = f"{one.path} does not count: {one.void}"
                    decided = decided.with_decision("waiver", says)
        if finding.level.is_breaking and not decided.waived:
            self._met.update(covering)
        return decided

    @property
    def expired(self) -> tuple[FiledWaiver, ...]:
        """The expired waivers of breaking findings: they fail a verdict."""
        return tuple(one for one in self._past if one in self._met)

    @property
    def spent(self) -> tuple[FiledWaiver, ...]:
        """The expired waivers that cover nothing: to be deleted."""
        return tuple(one for one in self._past if one not in self._met)

    @property
    def _past(self) -> tuple[FiledWaiver, ...]:
        filed = (one for one in self._filed if not one.void)
        return tuple(one for one in filed if _has_expired(one.waiver, self._today))

    @property
    def voided(self) -> tuple[FiledWaiver, ...]:
        """The void waivers of breaking findings."""
        return tuple(one for one in self._filed if one.void and one in self._met)


def _covers(waiver: "Waiver", finding: Finding) -> bool:
    """Whether a broad waiver covers a finding; it never covers a silent one."""
    rule = by_name().get(waiver.rule or "")
    if rule is None or rule.id != finding.rule.id or finding.level is Level.SILENT:
        return False
    is_field = waiver.field is None or waiver.field in (finding.told.path, finding.told.was)
    return is_field and matches_dataset(waiver.dataset or "", finding.urn)


def _apply_waivers(
    finding: Finding, covering: Sequence[FiledWaiver], today: datetime.date
) -> Finding:
    for one in covering:
        waiver = one.waiver
        if not _has_expired(waiver, today):
            says = f"{one.path}: {waiver.reason} ({waiver.owner}, until {waiver.expires})"
            return finding.with_decision("waiver", says, waived=True)
    for one in covering:
        finding = finding.with_decision("waiver", f"{one.path} expired on {one.waiver.expires}")
    return finding


def _has_expired(waiver: "Waiver", today: datetime.date) -> bool:
    return waiver.expires < today.isoformat()
