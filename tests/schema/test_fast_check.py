"""A quick proof never says yes where the validator would say no, and nearly always says yes."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lumos_snap.config.settings import Config
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import document_of
from lumos_snap.schema.fast_check import fits, is_normal_form
from lumos_snap.schema.validation import misfits
from tests.strategies import LAW
from tests.strategies.documents import documents
from tests.strategies.edits import snapshot_documents

WRONG: tuple[Any, ...] = (None, 1, -1, 2.5, True, "", "x", [], {}, ["x"], {"x": 1}, [[]], 2**60)


@LAW
@given(documents)
def test_every_valid_document_is_proven(value: Any) -> None:
    assert fits(document_of(value), type(value))


@LAW
@given(snapshot_documents(), st.data())
def test_what_is_proven_is_valid_whatever_was_done_to_it(one: Any, data: st.DataObject) -> None:
    broken = copy.deepcopy(one)
    _break(broken, data)
    if fits(broken, Snapshot):
        assert misfits(broken, Snapshot) == ()


@LAW
@given(snapshot_documents(), st.data())
def test_what_is_proven_beside_another_document_is_valid(one: Any, data: st.DataObject) -> None:
    broken = copy.deepcopy(one)
    _break(broken, data)
    if is_normal_form(broken, Snapshot, one):
        assert misfits(broken, Snapshot) == ()


@LAW
@given(snapshot_documents(), st.data())
def test_a_number_never_passes_for_what_python_says_it_equals(
    one: Any, data: st.DataObject
) -> None:
    broken = copy.deepcopy(one)
    places = list(_equal_to_others(broken))
    assume(places)
    held, step = data.draw(st.sampled_from(places))
    held[step] = data.draw(st.sampled_from([int, float]))(held[step])
    if is_normal_form(broken, Snapshot, one):
        assert misfits(broken, Snapshot) == ()


def _equal_to_others(held: Any) -> Iterator[tuple[Any, Any]]:
    """Where the numbers and truth values of a document stand."""
    for step, inner in held.items() if isinstance(held, dict) else enumerate(held):
        if isinstance(inner, bool | int):
            yield held, step
        elif isinstance(inner, dict | list):
            yield from _equal_to_others(inner)


def _break(held: Any, data: st.DataObject) -> None:
    """Change something somewhere in a document."""
    while True:
        steps = sorted(held) if isinstance(held, dict) else range(len(held))
        if not steps:
            return
        step = data.draw(st.sampled_from(list(steps)))
        inner = held[step]
        if isinstance(inner, dict | list) and inner and data.draw(st.integers(0, 3)):
            held = inner
            continue
        if isinstance(held, dict) and data.draw(st.booleans()):
            held.pop(step)
            if data.draw(st.booleans()):
                held["unknown"] = 1
        else:
            held[step] = data.draw(st.sampled_from(WRONG))
        return


@pytest.mark.parametrize(
    ("settings", "proven"),
    [
        ({"version": 1}, True),
        ({"version": 2}, False),
        ({"version": True}, False),
        ({"version": 1, "policy": {"rules": {"field-added": "breaking"}}}, True),
        ({"version": 1, "policy": {"rules": {"field-added": "severe"}}}, False),
        ({"version": 1, "policy": {"paths": [{"preset": "strict"}]}}, False),
        ({}, False),
        ([], False),
        (None, False),
    ],
)
def test_settings_are_judged_like_documents(settings: Any, proven: bool) -> None:
    assert fits(settings, Config) is proven
    assert (misfits(settings, Config) == ()) is proven
