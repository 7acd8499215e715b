"""Laws of judging, over whatever two snapshots may say."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson
from hypothesis import assume, example, given
from hypothesis import strategies as st

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.canonical.read import read
from lumos_snap.config.settings import Policy
from lumos_snap.diff import Action, Comparison, Fact, compare
from lumos_snap.engines import engine_names
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.types import Field
from lumos_snap.rules.finding import Finding
from lumos_snap.rules.judge import judge
from lumos_snap.rules.messages import WORDS, message
from lumos_snap.rules.rule import Level, Preset
from lumos_snap.schema import document_of
from tests.rules.fixtures import TODAY
from tests.rules.mirrors import MIRRORS
from tests.strategies import LAW, SMALL
from tests.strategies.edits import crowded, edited, snapshot_documents
from tests.strategies.layouts import shuffled, shuffles, written
from tests.strategies.types import types

Pair = tuple[dict[str, Any], dict[str, Any]]

UNLIKE = st.tuples(snapshot_documents(), snapshot_documents())
"""Two snapshots that have nothing to do with each other."""


def judged(pair: Pair, preset: Preset = Preset.DEFAULT) -> tuple[Finding, ...]:
    return under(preset, compare(pair[1]["urn"], *pair))


def under(preset: Preset, comparison: Comparison) -> tuple[Finding, ...]:
    return judge(comparison, Policy(preset=preset.value), TODAY)


@LAW
@given(edited() | crowded() | UNLIKE)
def test_every_fact_is_one_finding(pair: Pair) -> None:
    comparison = compare("lumos://s3/a", *pair)
    for preset in Preset:
        found = under(preset, comparison)
        assert Counter(map(repr, comparison.facts)) == Counter(repr(one.fact) for one in found)
        assert [one.level for one in found] == sorted((f.level for f in found), reverse=True)


@LAW
@given(edited() | crowded())
def test_strict_is_the_worse_of_both_directions(pair: Pair) -> None:
    history, consumers, strict = (
        {one.fingerprint: one.level for one in judged(pair, preset)}
        for preset in (Preset.HISTORY, Preset.CONSUMERS, Preset.STRICT)
    )
    assert strict == {name: max(level, consumers[name]) for name, level in history.items()}


@LAW
@given(edited() | crowded())
def test_a_draft_is_told_and_never_blocks(pair: Pair) -> None:
    draft = judged(pair, Preset.DRAFT)
    assert [one.level for one in draft] == [one.level for one in judged(pair)]
    assert not any(one.blocks for one in draft)


@LAW
@given(edited() | crowded(), shuffles)
def test_what_a_finding_is_does_not_hang_on_how_it_was_written(
    pair: Pair, chance: random.Random
) -> None:
    again = _rewritten(pair[0], chance), _rewritten(pair[1], chance)
    assert _told(judged(again)) == _told(judged(pair))


def _rewritten(document: dict[str, Any], chance: random.Random) -> Any:
    raw = written(shuffled(document, Snapshot, chance), chance)
    reading = read(raw, Snapshot)
    assume(reading.canonical is not None)  # an edit may break a law of documents
    assert reading.canonical is not None
    return orjson.loads(reading.canonical)


def _told(found: tuple[Finding, ...]) -> list[tuple[str, Level, str, str]]:
    return [(f.rule.id, f.level, f.fingerprint, message(f.rule.message, f.told)) for f in found]


def enumeration(*symbols: str) -> dict[str, Any]:
    column = {"name": "c", "type": "ENUM", "symbols": list(symbols), "nullable": True}
    head = {"lumos_version": "1.0.0", "urn": "lumos://s3/a", "name": "a", "platform": "s3"}
    return {**head, "schema": {"fields": [column]}}


@LAW
@example((enumeration("a"), enumeration("a", "x", "x")))
@example((enumeration("x", "x", "x", "x#2"), enumeration("x", "x#2", "x#2")))
@given(edited() | crowded() | UNLIKE)
def test_no_two_findings_have_one_fingerprint(pair: Pair) -> None:
    found = judged(pair)
    assert len({one.fingerprint for one in found}) == len(found)


@LAW
@given(crowded())
def test_a_suspected_rename_softens_nothing(pair: Pair) -> None:
    comparison = compare("lumos://s3/a", *pair)
    bare = tuple(replace(fact, like=None) for fact in comparison.facts)
    for preset in Preset:
        found = under(preset, comparison)
        plain = under(preset, replace(comparison, facts=bare))
        assert [(f.rule.id, f.level, f.bump, f.blocks, f.fingerprint) for f in found] == [
            (f.rule.id, f.level, f.bump, f.blocks, f.fingerprint) for f in plain
        ]


@LAW
@given(edited() | crowded() | UNLIKE)
def test_a_message_has_all_its_words(pair: Pair) -> None:
    for one in judged(pair):
        text = message(one.rule.message, one.told)
        assert text
        assert "\n" not in text
        assert not any(f"{{{name}}}" in text for name in WORDS)


# Going back

_BACK = {
    Action.ADDED: Action.REMOVED,
    Action.REMOVED: Action.ADDED,
    Action.CHANGED: Action.CHANGED,
}
"""Renames, moves and new orders are told by a place of their own on each side."""


def back(comparison: Comparison) -> Comparison:
    return compare(comparison.urn, comparison.new, comparison.old)


def _mark(fact: Fact) -> str:
    return repr((fact.subject, fact.action, fact.at, fact.old, fact.new))


def _turned(fact: Fact) -> str:
    return _mark(replace(fact, action=_BACK[fact.action], old=fact.new, new=fact.old))


@SMALL
@given(edited() | crowded())
def test_going_back_is_the_same_facts_turned_round(pair: Pair) -> None:
    there = compare("lumos://s3/a", *pair)
    again = back(there)
    if all(fact.action in _BACK for fact in (*there.facts, *again.facts)):
        assert Counter(map(_mark, there.facts)) == Counter(map(_turned, again.facts))


def _harm(finding: Finding) -> Level:
    return max(finding.level, Level.NON_BREAKING)


def _swapped(there: Comparison) -> Iterator[tuple[Finding, Finding]]:
    """What history says of each fact, and consumers of the one that takes it back."""
    returned = {
        _turned(one.fact): one
        for one in under(Preset.CONSUMERS, back(there))
        if one.fact.action in _BACK
    }
    for one in under(Preset.HISTORY, there):
        if _mark(one.fact) in returned:
            yield one, returned[_mark(one.fact)]


@SMALL
@given(edited() | crowded())
def test_history_says_of_a_change_what_consumers_say_of_its_reversal(pair: Pair) -> None:
    there = compare("lumos://s3/a", *pair)
    for comparison in (there, back(there)):
        for one, other in _swapped(comparison):
            if not MIRRORS[one.rule.id].uneven and not MIRRORS[other.rule.id].uneven:
                assert _harm(one) == _harm(other), (one.rule.id, other.rule.id)


# Types, under any readers


@st.composite
def retyped(draw: st.DrawFn) -> Any:
    """A dataset whose one column has another type, read by some engines."""
    readers = draw(st.lists(st.sampled_from(engine_names()), max_size=2, unique=True))
    storage = draw(st.sampled_from(({}, *({"format": one} for one in FORMATS))))
    sides = [
        canonical_document(
            {
                "lumos_version": "1.0.0",
                "urn": "lumos://s3/a",
                "name": "a",
                "platform": "s3",
                "storage": storage,
                "schema": {"fields": [{**document_of(draw(types(Field))), "name": "total"}]},
                "contract": {"readers": readers},
            },
            Snapshot,
        )
        for _ in range(2)
    ]
    return tuple(sides)


FORMATS = ("parquet", "avro", "iceberg", "delta", "csv")


@LAW
@given(retyped())
def test_a_column_of_any_other_type_obeys_the_same_laws(pair: Pair) -> None:
    for law in (
        test_every_fact_is_one_finding,
        test_strict_is_the_worse_of_both_directions,
        test_no_two_findings_have_one_fingerprint,
        test_a_message_has_all_its_words,
        test_going_back_is_the_same_facts_turned_round,
        test_history_says_of_a_change_what_consumers_say_of_its_reversal,
    ):
        law.hypothesis.inner_test(pair)  # type: ignore[attr-defined]


@LAW
@given(retyped())
def test_more_readers_are_never_milder(pair: Pair) -> None:
    more = [{**side, "contract": {"readers": list(engine_names())}} for side in pair]
    few = [{**side, "contract": {"readers": ["spark-4"]}} for side in pair]
    for preset in Preset:
        found, worse = (
            {f.fact.at: f.level for f in judged((old, new), preset) if f.rule.asks_readers}
            for old, new in (few, more)
        )
        assert found.keys() == worse.keys()
        assert all(worse[at] >= level for at, level in found.items())
