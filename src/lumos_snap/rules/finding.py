"""A finding: a fact, its rule, and the decisions that led to its level."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from lumos_snap.diff import Fact
from lumos_snap.engines import EngineAnswer
from lumos_snap.rules.rule import Bump, Level, Rule

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
