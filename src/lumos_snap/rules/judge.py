"""Judges facts: applies rule, engines, policy, lifecycle and gate to each."""

import datetime
from collections.abc import Iterator

from lumos_snap.config.settings import Policy
from lumos_snap.diff import Comparison, Fact
from lumos_snap.engines import EngineAnswer, ReadOutcome
from lumos_snap.rules.case import Case
from lumos_snap.rules.finding import Decision, Finding
from lumos_snap.rules.messages import outcome_words
from lumos_snap.rules.policy import BETA, DRAFT, STABLE, DatasetPolicy, classifications, policy_for
from lumos_snap.rules.registry import classify
from lumos_snap.rules.rule import Bump, Level, Levels, Preset, Rule

_LEVEL_OF = {
    ReadOutcome.EXACT: Level.INFORMATIONAL,
    ReadOutcome.REFUSED: Level.BREAKING,
    ReadOutcome.CHANGED: Level.SILENT,
}


def judge(comparison: Comparison, policy: Policy, today: datetime.date) -> tuple[Finding, ...]:
    """Judge every fact of a comparison; the most severe finding first."""
    case = Case(comparison, today, tuple(classifications(policy)))
    settings = policy_for(policy, comparison.urn, case)
    found = (judge_fact(fact, case, settings) for fact in comparison.facts)
    return tuple(sorted(found, key=lambda one: -one.level))


def judge_fact(fact: Fact, case: Case, policy: DatasetPolicy) -> Finding:
    """Judge one fact."""
    rule, told = classify(fact, case)
    levels, answer = rule.levels, None
    if rule.asks_readers:
        levels, answer = _ask_readers(rule, told, case, policy.preset)
    level = levels.under(policy.preset)
    decisions = [*_of_table(rule, levels, policy, level), *_of_reader(answer, level)]
    override = policy.overrides.get(rule.id)
    if override is not None:
        level = override.level
        decisions.append(Decision("policy", override.says))
    blocks, why = _blocks(level, policy)
    return Finding(
        rule,
        fact,
        told,
        case.comparison.urn,
        level,
        _bump(rule, level, policy),
        blocks,
        (*decisions, *why),
        answer,
    )


def _ask_readers(rule: Rule, fact: Fact, case: Case, preset: Preset) -> tuple[Levels, EngineAnswer]:
    """The levels of a type change: the worst engine's answer, and at least those of the rule."""
    back = case.answer(fact.old, fact.new)
    forth = case.answer(fact.new, fact.old)
    one, other = _LEVEL_OF[back.outcome], _LEVEL_OF[forth.outcome]
    row = rule.levels
    levels = Levels(max(row.default, one), max(row.backward, one), max(row.forward, other))
    lost = case.unreadable(fact.new)
    if lost is not None and levels.default < Level.BREAKING:
        return Levels(Level.BREAKING, levels.backward, max(levels.forward, Level.BREAKING)), lost
    is_forward = preset is Preset.CONSUMERS or (preset is Preset.STRICT and other > one)
    return levels, forth if is_forward else back


def _of_table(
    rule: Rule, levels: Levels, policy: DatasetPolicy, level: Level
) -> Iterator[Decision]:
    """The decision of the rule, and of the policy's preset."""
    condition = f", where {rule.when.says}" if rule.when else ""
    yield Decision("rule", f"{rule.id} {rule.slug}{condition}")
    if policy.preset_says:
        yield Decision("policy", f"{policy.preset_says}: {level.full_word}")
    elif not rule.asks_readers:
        yield Decision("rule", f"its level is {levels.default.full_word}")


def _of_reader(answer: EngineAnswer | None, level: Level) -> Iterator[Decision]:
    """The decision of the engines, and the rule's own level if that is higher."""
    if answer is None:
        return
    yield Decision("reader", f"{outcome_words(answer)} ({answer.source})")
    if level > max(_LEVEL_OF[answer.outcome], Level.NON_BREAKING):
        yield Decision("rule", f"whatever readers do, it is {level.full_word}")


def _blocks(level: Level, policy: DatasetPolicy) -> tuple[bool, list[Decision]]:
    """Whether a finding fails a build, given lifecycle and gate of the dataset."""
    if not level.is_breaking:
        return False, []
    if policy.preset is Preset.DRAFT:
        return False, [Decision("policy", "the preset draft never blocks")]
    if policy.lifecycle == DRAFT:
        return False, [Decision("lifecycle", "a draft promises nothing: it never blocks")]
    if policy.lifecycle == BETA and level is not Level.SILENT:
        return False, [Decision("lifecycle", "beta: only silent changes block")]
    if not policy.gate_is_on:
        return False, [Decision("gate", "the contract turns the gate off")]
    return True, []


def _bump(rule: Rule, level: Level, policy: DatasetPolicy) -> Bump:
    """The smallest valid version step; below stable, breaking changes are minor, as in 0.x."""
    if not level.is_breaking:
        return rule.step if level is Level.NON_BREAKING else min(rule.step, Bump.PATCH)
    return Bump.MAJOR if policy.lifecycle == STABLE else Bump.MINOR
