"""The table of rules: total, each row can be met, and its texts say what they should."""

import re
import string
from collections import Counter
from typing import Any

import pytest
from hypothesis import given

from lumos_snap.diff import Action, diff
from lumos_snap.rules.messages import WORDS
from lumos_snap.rules.registry import CHANGES as OF_CHANGES
from lumos_snap.rules.registry import OF_COLUMNS, RULES, by_name, rows
from lumos_snap.rules.rule import Bump, Level, Preset, Rule
from lumos_snap.rules.type_changes import SORTS
from tests.diff.fact_kinds import subjects
from tests.rules.fixtures import CHANGES, judged
from tests.strategies import SMALL
from tests.strategies.edits import crowded, edited

ENTITIES = {("entity", action) for action in (Action.ADDED, Action.REMOVED, Action.CHANGED)}
PARTS = {  # all that was said of a column comes and goes as one fact, and is judged by its parts
    (subject, action) for subject, action in rows() if subject.rpartition(".")[0] in OF_COLUMNS
}
KNOWN = subjects() | ENTITIES | PARTS
EACH = pytest.mark.parametrize("rule", OF_CHANGES, ids=lambda rule: f"{rule.id}-{rule.slug}")


def test_every_fact_has_rows_and_the_last_takes_whatever_is_left() -> None:
    for subject, action in sorted(KNOWN):
        found = rows().get((subject, action), ())
        assert found, f"no row for {subject} {action}"
        if not subject.endswith(".type") or subject == "partition.type":
            assert found[-1].when is None, f"nothing takes what is left of {subject} {action}"


def test_a_row_after_one_without_a_condition_is_never_reached() -> None:
    reached = set()
    for found in rows().values():
        for rule in found:
            reached.add(rule.id)
            if rule.when is None:
                break
    assert reached == {rule.id for rule in OF_CHANGES}


@EACH
def test_a_row_is_for_facts_that_can_be(rule: Rule) -> None:
    pairs = {(subject, action) for subject in rule.on for action in rule.actions}
    assert pairs & KNOWN
    for subject in rule.on:
        assert any((subject, action) in KNOWN for action in rule.actions), subject
    assert {action for _, action in pairs & KNOWN} == set(rule.actions)


@SMALL
@given(edited() | crowded())
def test_a_diff_notices_only_what_is_listed(pair: Any) -> None:
    assert {(fact.subject, fact.action) for fact in diff(*pair)} <= KNOWN


def test_every_sort_of_change_of_a_type_has_exactly_one_row() -> None:
    for node in ("field", "element", "value", "branch", "definition"):
        found = [rule.slug for rule in rows()[f"{node}.type", Action.CHANGED]]
        assert sorted(found) == sorted(SORTS)


@EACH
def test_a_rule_fires_somewhere(rule: Rule) -> None:
    assert rule.id in FIRED


FIRED = {finding.rule.id for _, change in CHANGES for finding in judged(change)}


def test_ids_and_names_are_well_formed_and_used_once() -> None:
    assert len(by_name()) == 2 * len(RULES)
    for rule in RULES:
        assert re.fullmatch(r"[A-Z]{2}\d{3}", rule.id)
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.slug)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_texts_say_what_they_should(rule: Rule) -> None:
    assert re.fullmatch(r"[A-Z].*[.]", rule.why), "a reason is a sentence"
    assert re.fullmatch(r"[a-z`].*[^.]", rule.fix), "a fix completes a line"
    assert re.fullmatch(r"[a-z{].*[^.]", rule.message), "a message completes a line"
    words = {name for _, name, _, _ in string.Formatter().parse(rule.message) if name is not None}
    assert words <= WORDS.keys()
    assert words or rule.on in (("dataset",), ("contract.gate",))
    if rule.when is not None:
        assert re.fullmatch(r"[a-z].*[^.]", rule.when.says)


def test_what_breaks_says_what_to_do() -> None:
    idle = [r.id for r in RULES if max(r.levels) >= Level.BREAKING and r.fix == "nothing to do"]
    assert not idle


def test_no_text_is_said_of_too_many_rules() -> None:
    for texts in (Counter(rule.why for rule in RULES), Counter(rule.fix for rule in RULES)):
        often = {text: n for text, n in texts.items() if n > 4 and text != "nothing to do"}
        assert not often


@EACH
def test_strict_is_both_directions_and_draft_is_the_default(rule: Rule) -> None:
    levels = rule.levels
    assert levels.under(Preset.STRICT) == max(levels.backward, levels.forward)
    assert levels.under(Preset.STRICT) >= levels.default
    assert levels.under(Preset.DRAFT) == levels.under(Preset.DEFAULT) == levels.default


@EACH
def test_a_change_that_matters_takes_a_step(rule: Rule) -> None:
    if rule.id != "MT001":
        assert rule.step >= Bump.PATCH
    assert rule.step <= Bump.MINOR
