"""Going back swaps the directions, but for exceptions that have a reason."""

import pytest

from lumos_snap.rules.registry import CHANGES, by_name
from lumos_snap.rules.rule import Level, Preset, Rule
from tests.rules.fixtures import CASES, Change, RuleCase, ids, judged
from tests.rules.mirrors import MIRRORS


def test_every_rule_has_a_mirror_and_every_mirror_a_rule() -> None:
    assert list(MIRRORS) == [rule.id for rule in CHANGES]
    assert {mirror.rule for mirror in MIRRORS.values()} <= MIRRORS.keys()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.folder.name)
def test_the_way_back_falls_under_the_mirror(case: RuleCase) -> None:
    assert MIRRORS[case.rule].rule in ids(case.main.reversed)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.folder.name)
def test_directions_swap_unless_there_is_a_reason(case: RuleCase) -> None:
    mirror, back = MIRRORS[case.rule], case.main.reversed
    there = _under(case.main, case.rule)
    swapped = _under(back, mirror.rule)[::-1]
    assert (there == swapped) == (not mirror.uneven), f"{there} and {swapped}"


def _under(change: Change, rule: str) -> tuple[Level, Level]:
    """The harm to history and to consumers."""
    one, other = (
        next(f.level for f in judged(change, preset) if f.rule.id == rule)
        for preset in (Preset.HISTORY, Preset.CONSUMERS)
    )
    return max(one, Level.NON_BREAKING), max(other, Level.NON_BREAKING)


@pytest.mark.parametrize("rule", CHANGES, ids=lambda rule: rule.id)
def test_rows_swap_as_their_fixtures_do(rule: Rule) -> None:
    mirror = MIRRORS[rule.id]
    levels, other = rule.levels, by_name()[mirror.rule]
    if not mirror.uneven and not rule.asks_readers and not other.asks_readers:
        harm = max(levels.backward, Level.NON_BREAKING)
        assert harm == max(other.levels.forward, Level.NON_BREAKING)
