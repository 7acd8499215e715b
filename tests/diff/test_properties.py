"""Laws of the diff: it is total, it notices everything, and nothing where there is nothing."""

from typing import Any

from hypothesis import given

from lumos_snap.diff import apply, diff
from lumos_snap.diff.fact import order
from tests.strategies import LAW, SMALL
from tests.strategies.edits import crowded, edited, snapshot_documents

Pair = tuple[dict[str, Any], dict[str, Any]]


@LAW
@given(snapshot_documents())
def test_a_snapshot_does_not_differ_from_itself(one: dict[str, Any]) -> None:
    assert diff(one, one) == ()


@SMALL
@given(edited())
def test_facts_lead_from_the_old_snapshot_to_the_new_one(pair: Pair) -> None:
    old, new = pair
    assert apply(diff(old, new), old) == new


@LAW
@given(snapshot_documents(), snapshot_documents())
def test_facts_lead_from_any_snapshot_to_any_other(old: Any, new: Any) -> None:
    assert apply(diff(old, new), old) == new


@SMALL
@given(crowded())
def test_names_and_ids_may_meet_in_any_way(pair: Pair) -> None:
    old, new = pair
    assert apply(diff(old, new), old) == new


@LAW
@given(edited() | crowded())
def test_facts_are_sorted_and_each_is_there_once(pair: Pair) -> None:
    facts = diff(*pair)
    assert sorted(facts, key=order) == list(facts)
    assert len({order(fact) for fact in facts}) == len(facts)


@LAW
@given(snapshot_documents())
def test_a_dataset_that_came_or_went_is_one_fact(one: dict[str, Any]) -> None:
    (come,), (gone,) = diff(None, one), diff(one, None)
    assert apply([come], None) == one
    assert apply([gone], one) is None
