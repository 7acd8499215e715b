"""From a change to its consequence: its level, whether it blocks, and how far versions go."""

from typing import Any

import pytest

from lumos_snap.config.settings import PathPolicy, Policy
from lumos_snap.diff import compare
from lumos_snap.engines import ReadOutcome
from lumos_snap.rules.finding import Finding, bump_of, fails
from lumos_snap.rules.judge import judge
from lumos_snap.rules.rule import Bump, Level, Preset
from tests.rules.fixtures import CHANGES, TODAY
from tests.rules.fixtures import judged as fixtures_judged

ID = {"name": "id", "type": "INT64", "nullable": False}
AT = {"name": "at", "type": "TIMESTAMP", "unit": "us", "timezone": "UTC", "nullable": True}
NOTE = {"name": "note", "type": "STRING", "nullable": True}
LOCAL = {key: value for key, value in AT.items() if key != "timezone"}

REMOVED, ADDED, SILENT = "field-removed", "field-added", "timezone-flipped"


def dataset(*fields: dict[str, Any], **sections: Any) -> dict[str, Any]:
    return {
        "lumos_version": "1.0.0",
        "urn": "lumos://s3/lake/a",
        "name": "a",
        "platform": "s3",
        "storage": {"format": "parquet", "location": "s3://lake/a"},
        "schema": {"fields": list(fields)},
        **sections,
    }


def judged(
    old: dict[str, Any], new: dict[str, Any], policy: Policy | None = None
) -> tuple[Finding, ...]:
    return judge(compare("lumos://s3/lake/a", old, new), policy or Policy(), TODAY)


def only(kind: str, policy: Policy | None = None, /, **contract: Any) -> Finding:
    """The finding for one kind of change, of a dataset with a contract."""
    sections = {"contract": contract} if contract else {}
    sides = {
        REMOVED: ((ID, NOTE), (ID,)),
        ADDED: ((ID,), (ID, NOTE)),
        SILENT: ((ID, AT), (ID, LOCAL)),
    }
    old, new = (dataset(*fields, **sections) for fields in sides[kind])
    (found,) = judged(old, new, policy)
    assert found.rule.slug == kind
    return found


def says(finding: Finding) -> list[str]:
    return [f"{one.by}: {one.says}" for one in finding.decisions]


@pytest.mark.parametrize(
    ("kind", "contract", "blocks", "bump", "why"),
    [
        (REMOVED, {}, True, Bump.MAJOR, None),
        (SILENT, {}, True, Bump.MAJOR, None),
        (REMOVED, {"lifecycle": "stable"}, True, Bump.MAJOR, None),
        (REMOVED, {"lifecycle": "beta"}, False, Bump.MINOR, "lifecycle: beta: only silent"),
        (SILENT, {"lifecycle": "beta"}, True, Bump.MINOR, None),
        (REMOVED, {"lifecycle": "draft"}, False, Bump.MINOR, "lifecycle: a draft promises"),
        (SILENT, {"lifecycle": "draft"}, False, Bump.MINOR, "lifecycle: a draft promises"),
        (REMOVED, {"gate": "off"}, False, Bump.MAJOR, "gate: the contract turns the gate off"),
        (SILENT, {"gate": "off"}, False, Bump.MAJOR, "gate: the contract turns the gate off"),
        (SILENT, {"lifecycle": "beta", "gate": "off"}, False, Bump.MINOR, "gate: the contract"),
        (ADDED, {}, False, Bump.MINOR, None),
        (ADDED, {"lifecycle": "draft"}, False, Bump.MINOR, None),
        (ADDED, {"gate": "off"}, False, Bump.MINOR, None),
    ],
)
def test_a_contract_decides_what_blocks_and_how_far_versions_go(
    kind: str, contract: dict[str, str], blocks: bool, bump: Bump, why: str | None
) -> None:
    found = only(kind, None, **contract)
    assert (found.blocks, found.bump) == (blocks, bump)
    reasons = [one for one in says(found) if one.startswith(("lifecycle", "gate"))]
    assert len(reasons) == (why is not None)
    assert all(one.startswith(str(why)) for one in reasons)


@pytest.mark.parametrize(
    ("kind", "preset", "level", "blocks"),
    [
        (REMOVED, "default", Level.BREAKING, True),
        (REMOVED, "history", Level.INFORMATIONAL, False),
        (REMOVED, "consumers", Level.BREAKING, True),
        (REMOVED, "strict", Level.BREAKING, True),
        (REMOVED, "draft", Level.BREAKING, False),
        (ADDED, "default", Level.NON_BREAKING, False),
    ],
)
def test_a_preset_chooses_the_level_and_says_so(
    kind: str, preset: str, level: Level, blocks: bool
) -> None:
    found = only(kind, Policy(preset=preset))  # type: ignore[arg-type] # one of them
    assert (found.level, found.blocks) == (level, blocks)
    told = f"its level is {level.full_word}"
    if preset != "default":
        told = f"policy.preset is {preset}: {level.full_word}"
    assert any(one.endswith(told) for one in says(found)), says(found)
    assert ("policy: the preset draft never blocks" in says(found)) == (preset == "draft")


WIDER, ENUM = ("INT32", "INT64"), ("STRING", "ENUM")


@pytest.mark.parametrize(
    ("types", "preset", "expected"),
    [
        (WIDER, "default", ["reader: spark-4 reads every value"]),
        (WIDER, "history", ["policy: policy.preset is history", "reader: spark-4 reads every"]),
        (WIDER, "consumers", ["policy: policy.preset is consumers", "reader: spark-4 refuses it"]),
        (WIDER, "strict", ["policy: policy.preset is strict", "reader: spark-4 refuses it"]),
        (ENUM, "default", ["reader: spark-4 reads every", "rule: whatever readers do, it is bre"]),
        (ENUM, "consumers", ["policy: policy.preset is consumers", "reader: spark-4 reads every"]),
    ],
)
def test_of_types_the_readers_decide_and_a_rule_only_where_it_is_graver(
    types: tuple[str, str], preset: Any, expected: list[str]
) -> None:
    old, new = (
        dataset({**ID, "type": kind, **({"symbols": ["a"]} if kind == "ENUM" else {})})
        for kind in types
    )
    (found,) = judged(old, new, Policy(preset=preset))
    rule, *more = says(found)
    assert found.rule.when is not None
    assert rule == f"rule: {found.rule.id} {found.rule.slug}, where {found.rule.when.says}"
    assert [one[: len(start)] for one, start in zip(more, expected, strict=True)] == expected
    sources = [one for one in more if one.startswith("reader")]
    assert all(one.endswith(" (measured: pyspark 4.3.0)") or types is ENUM for one in sources)


def test_a_strict_policy_names_the_reader_that_is_worse_off() -> None:
    """Of both directions the one that does more harm; where they do the same, of stored data."""
    harm = {ReadOutcome.EXACT: 0, ReadOutcome.REFUSED: 1, ReadOutcome.CHANGED: 2}
    seen = set()
    for _, change in CHANGES:
        answers = [
            {one.fingerprint: one.answer for one in fixtures_judged(change, preset)}
            for preset in (Preset.HISTORY, Preset.CONSUMERS, Preset.STRICT)
        ]
        for name, history in answers[0].items():
            consumers, strict = answers[1][name], answers[2][name]
            if history is None or consumers is None:
                assert strict is None
                continue
            assert history.source
            assert consumers.source
            is_worse = harm[consumers.outcome] > harm[history.outcome]
            assert strict == (consumers if is_worse else history)
            seen.add((is_worse, consumers == history))
    assert len(seen) > 2


@pytest.mark.parametrize(
    ("kind", "word", "level", "bump"),
    [
        (ADDED, "informational", Level.INFORMATIONAL, Bump.PATCH),
        (ADDED, "non-breaking", Level.NON_BREAKING, Bump.MINOR),
        (ADDED, "breaking", Level.BREAKING, Bump.MAJOR),
        (ADDED, "silent", Level.SILENT, Bump.MAJOR),
        (REMOVED, "informational", Level.INFORMATIONAL, Bump.PATCH),
        (REMOVED, "non-breaking", Level.NON_BREAKING, Bump.MINOR),
        (SILENT, "informational", Level.INFORMATIONAL, Bump.PATCH),
    ],
)
def test_a_policy_gives_a_rule_another_level(
    kind: str, word: str, level: Level, bump: Bump
) -> None:
    found = only(kind, Policy(rules={kind: word}))  # type: ignore[dict-item] # one of them
    assert (found.level, found.bump, found.blocks) == (level, bump, level.is_breaking)
    assert f"policy: policy.rules makes {kind} {word}" in says(found)


def test_the_last_path_that_matches_decides() -> None:
    policy = Policy(
        rules={ADDED: "breaking"},
        paths=(
            PathPolicy(match="s3/**", rules={ADDED: "informational"}, lifecycle="draft"),
            PathPolicy(match="s3/lake/*", rules={ADDED: "silent"}, lifecycle="beta"),
            PathPolicy(match="s3/other/*", rules={ADDED: "non-breaking"}, lifecycle="stable"),
        ),
    )
    found = only(ADDED, policy)
    assert (found.level, found.bump, found.blocks) == (Level.SILENT, Bump.MINOR, True)
    assert "policy: policy.paths `s3/lake/*` makes field-added silent" in says(found)
    assert not only(REMOVED, policy).blocks


def test_the_promises_of_both_sides_hold() -> None:
    """A change does not excuse itself: neither by promising less, nor by switching off its gate."""
    old, new = dataset(ID, NOTE), dataset(ID, contract={"lifecycle": "draft", "gate": "off"})
    (removed,) = (one for one in judged(old, new) if one.rule.slug == REMOVED)
    assert removed.blocks
    (removed,) = (
        one
        for one in judged({**new, **old, "contract": new["contract"]}, dataset(ID))
        if one.rule.slug == REMOVED
    )
    assert removed.blocks


@pytest.mark.parametrize("gate", ["on", "off"])
def test_the_promises_of_a_dataset_that_goes_hold(gate: str) -> None:
    comparison = compare("lumos://s3/lake/a", dataset(ID, contract={"gate": gate}), None)
    (removed,) = judge(comparison, Policy(), TODAY)
    assert removed.blocks == (gate == "on")


def test_the_gravest_comes_first_and_the_step_is_that_of_all() -> None:
    old = dataset(ID, AT, NOTE, documentation={"description": "a"})
    new = dataset(ID, LOCAL, {**NOTE, "name": "more"}, documentation={"description": "b"})
    found = judged(old, new)
    assert [one.level for one in found] == [
        Level.SILENT,
        Level.BREAKING,
        Level.NON_BREAKING,
        Level.INFORMATIONAL,
    ]
    assert [bump_of(found[at:]) for at in range(5)] == [
        Bump.MAJOR,
        Bump.MAJOR,
        Bump.MINOR,
        Bump.PATCH,
        Bump.NONE,
    ]


@pytest.mark.parametrize(
    ("kind", "contract", "fail_on", "is_failing"),
    [
        (REMOVED, {}, "breaking", True),
        (REMOVED, {}, "non-breaking", True),
        (REMOVED, {}, "none", False),
        (ADDED, {}, "breaking", False),
        (ADDED, {}, "non-breaking", True),
        (ADDED, {}, "none", False),
        (REMOVED, {"lifecycle": "draft"}, "breaking", False),
        (REMOVED, {"lifecycle": "draft"}, "non-breaking", False),
    ],
)
def test_what_a_policy_fails_on(
    kind: str, contract: dict[str, str], fail_on: Any, is_failing: bool
) -> None:
    found = only(kind, None, **contract)
    assert fails(found, fail_on) == is_failing
    assert not fails(found.with_decision("waiver", "agreed", waived=True), fail_on)


def test_nothing_changed_is_nothing_found() -> None:
    assert judged(dataset(ID), dataset(ID)) == ()
    assert bump_of(()) is Bump.NONE
