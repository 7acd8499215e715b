"""A finding: a fact, the rule that it falls under, and how it came to its level."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from lumos_snap.diff import Fact
from lumos_snap.engines import EngineAnswer
from lumos_snap.rules.rule import Rule
from lumos_snap.rules.severity import Bump, Level

LENGTH = 16
"""Digits of a fingerprint: enough for every finding that a team will ever see."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One step on the way to the verdict of a finding."""

    by: str
    """Who decides: the rule, a reader, the policy, the lifecycle, the gate, a waiver."""
    says: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule and a fact."""

    rule: Rule
    fact: Fact
    """What was noticed."""
    told: Fact
    """The part of it that the rule is about."""
    urn: str
    level: Level
    bump: Bump
    blocks: bool
    """Whether it fails a verdict that fails on breaking changes, before waivers."""
    decisions: tuple[Decision, ...] = field(default=())
    answer: EngineAnswer | None = None
    """What the deciding reader does, where readers decide."""
    waived: bool = False

    @property
    def fingerprint(self) -> str:
        """What this finding is, whatever words, files and lines it is shown with."""
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
        """The same finding after one more decision."""
        return replace(self, decisions=(*self.decisions, Decision(by, says)), **changes)


def _repetition(fact: Fact) -> tuple[int, ...]:
    """Which of several equal symbols is meant, from the second on: lists may repeat one."""
    if not fact.item or not fact.subject.endswith(".symbols"):
        return ()
    number = int(fact.at[-1][1])
    return (number,) if number > 1 else ()


def _plain(held: Any) -> Any:
    """A whole snapshot is identified by its urn, which stands beside it."""
    return None if isinstance(held, dict) and "lumos_version" in held else held


FailOn = Literal["breaking", "non-breaking", "none"]


def fails(finding: Finding, fail_on: FailOn) -> bool:
    """Whether one finding fails a verdict."""
    if fail_on == "none" or finding.waived:
        return False
    return finding.blocks or (fail_on == "non-breaking" and finding.level is Level.NON_BREAKING)


def bump_of(findings: Iterable[Finding]) -> Bump:
    """The smallest honest step for all of them: a waived change is still a change."""
    return max((finding.bump for finding in findings), default=Bump.NONE)
