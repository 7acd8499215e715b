"""The registry of all rules, and the lookup of a fact's rule."""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lumos_snap.diff import Action, Fact
from lumos_snap.rules import (
    columns,
    datasets,
    governance,
    operations,
    requirement_rules,
    storage,
    types,
)
from lumos_snap.rules.case import Case
from lumos_snap.rules.rule import Rule

CHANGES: tuple[Rule, ...] = (
    *governance.ROWS,
    *datasets.ROWS,
    *columns.ROWS,
    *types.ROWS,
    *storage.ROWS,
    *operations.ROWS,
)
"""The rules for changes; of those for one fact, the first whose condition holds applies."""

RULES = (*CHANGES, *requirement_rules.ROWS)
"""All rules: those for changes, and those for policy requirements."""


class UnclassifiedError(AssertionError):
    """A fact without a rule: a bug, never an acceptable change."""


@functools.cache
def rows() -> Mapping[tuple[str, Action], tuple[Rule, ...]]:
    """The rules for changes, by subject and action."""
    found: dict[tuple[str, Action], tuple[Rule, ...]] = {}
    for rule in CHANGES:
        for subject in rule.on:
            for action in rule.actions:
                found[subject, action] = (*found.get((subject, action), ()), rule)
    return found


@functools.cache
def by_name() -> Mapping[str, Rule]:
    """Rules by id and by slug."""
    return {**{rule.id: rule for rule in RULES}, **{rule.slug: rule for rule in RULES}}


def classify(fact: Fact, case: Case) -> tuple[Rule, Fact]:
    """Find the rule of a fact, and the part of the fact that it is about.

    All metadata of a column is added and removed as one fact, which is as severe as its most severe
    part.
    """
    found = (_rule_for(fact, case), fact)
    if found[0].slug == "goes-with-column" or fact.subject not in OF_COLUMNS:
        return found
    parts = [(_rule_for(part, case), part) for part in _parts(fact)]
    return max((*parts, found), key=lambda one: max(one[0].levels))


OF_COLUMNS = ("documentation.fields", "governance.fields", "contract.fields")
_IDENTITY = ("path", "id")


def _parts(fact: Fact) -> Iterator[Fact]:
    """The metadata of one column, key by key."""
    held: Mapping[str, Any] = fact.old or fact.new
    for name, value in held.items():
        if name not in _IDENTITY:
            item = ", ".join(value) if isinstance(value, list) else ""
            yield replace(
                fact,
                subject=f"{fact.subject}.{name}",
                item=item,
                old=None if fact.old is None else value,
                new=None if fact.new is None else value,
            )


def _rule_for(fact: Fact, case: Case) -> Rule:
    for rule in rows().get((fact.subject, fact.action), ()):
        if rule.when is None or rule.when.holds(fact, case):
            return rule
    raise UnclassifiedError(f"no rule is for {fact.subject}, {fact.action}")
