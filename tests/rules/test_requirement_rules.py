"""Rules about datasets as they stand: each fires on its own case, and not on what is near it."""

import dataclasses
import datetime
import itertools
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.canonical.read import ReadResult, read
from lumos_snap.config.settings import Policy
from lumos_snap.errors import LumosError
from lumos_snap.model.field_path import format_path, walk
from lumos_snap.model.observation import Observation
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.rules.dataset_state import CheckedDataset
from lumos_snap.rules.registry import CHANGES, RULES
from lumos_snap.rules.requirement_rules import ROWS
from lumos_snap.rules.rule import Bump, Level
from lumos_snap.schema import Value, document_of
from tests.rules.dataset_states import STATES, StateCase, found, policy_of, told
from tests.strategies import SMALL
from tests.strategies.documents import snapshots

EACH = pytest.mark.parametrize("case", STATES, ids=lambda case: case.folder.name)


def test_every_rule_about_states_has_a_folder() -> None:
    assert {case.folder.name for case in STATES} == {f"{row.id}-{row.slug}" for row in ROWS}
    assert (*CHANGES, *ROWS) == RULES


def test_a_state_takes_no_step_of_a_version() -> None:
    assert {row.step for row in ROWS} == {Bump.NONE}


@pytest.mark.parametrize(
    "path",
    [path for case in STATES for path in case.folder.rglob("*.json") if path.name not in
     ("expected.json", "near.json")],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)  # fmt: skip
def test_a_document_is_valid_and_canonical(path: Path) -> None:
    cls: type[Value] = Observation if path.name.endswith("observation.json") else Snapshot
    reading: ReadResult[Value] = read(path.read_bytes(), cls)
    assert not reading.problems
    assert reading.canonical == path.read_bytes()


@EACH
def test_findings_are_those_expected(case: StateCase, request: pytest.FixtureRequest) -> None:
    near = {name: list(told(case.policy, state)) for name, state in case.near.items()}
    _golden(case.folder / "expected.json", list(told(case.policy, case.main)), request)
    _golden(case.folder / "near.json", near, request)


def _golden(path: Path, held: object, request: pytest.FixtureRequest) -> None:
    raw = orjson.dumps(held, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    if request.config.getoption("--rewrite-golden"):
        path.write_bytes(raw)
    assert path.read_bytes() == raw


@EACH
def test_a_rule_fires_on_its_case_and_not_on_what_is_near(case: StateCase) -> None:
    assert {one.rule.id for one in found(case.policy, case.main)} == {case.rule}
    assert case.near
    for name, state in case.near.items():
        assert case.rule not in {one.rule.id for one in found(case.policy, state)}, name


@EACH
def test_a_policy_that_asks_for_nothing_finds_nothing(case: StateCase) -> None:
    assert found(Policy(), case.main) == ()


class TestHowFirmly:
    def test_what_warns_does_not_block(self) -> None:
        (blocks,) = found(policy_of({"require": [{"what": "governance.domain"}]}), BARE)
        (warns,) = found(
            policy_of({"require": [{"what": "governance.domain", "level": "warn"}]}), BARE
        )
        assert (blocks.level, blocks.blocks) == (Level.BREAKING, True)
        assert (warns.level, warns.blocks) == (Level.NON_BREAKING, False)
        assert blocks.fingerprint == warns.fingerprint

    @pytest.mark.parametrize("order", list(itertools.permutations(["block", "warn"])))
    def test_of_two_demands_for_one_thing_the_firmer_counts(self, order: tuple[str, ...]) -> None:
        asked = [{"what": "governance.domain", "level": level} for level in order]
        (one,) = found(policy_of({"require": asked}), BARE)
        assert one.blocks

    def test_a_policy_gives_a_rule_another_level_as_it_does_for_changes(self) -> None:
        settings = {
            "require": [{"what": "governance.domain"}],
            "rules": {"required-missing": "informational"},
        }
        (one,) = found(policy_of(settings), BARE)
        assert (one.level, one.blocks) == (Level.INFORMATIONAL, False)
        assert "policy.rules makes required-missing informational" in one.decisions[-1].says

    def test_the_preset_draft_never_blocks(self) -> None:
        settings = {"preset": "draft", "require": [{"what": "governance.domain"}]}
        assert [one.blocks for one in found(policy_of(settings), BARE)] == [False]

    @pytest.mark.parametrize("contract", [{"lifecycle": "draft"}, {"gate": "off"}])
    def test_a_dataset_does_not_excuse_itself(self, contract: dict[str, str]) -> None:
        state = dataclasses.replace(BARE, document={**BARE.document, "contract": contract})
        (one,) = found(policy_of({"require": [{"what": "governance.domain"}]}), state)
        assert one.blocks

    def test_only_what_matches_is_asked(self) -> None:
        asked = {"require": [{"what": "governance.domain", "match": "s3/gold/**"}]}
        assert found(policy_of(asked), BARE) == ()


class TestWhatCanBeRequired:
    @pytest.mark.parametrize(
        ("what", "said"),
        [
            ("lineage.upstream", {"lineage": {"upstream": [{"urn": "lumos://s3/a/b"}]}}),
            ("properties.cost.center", {"properties": {"cost.center": "7"}}),
            ("schedule.sla.freshness", {"schedule": {"sla": {"freshness": "PT1H"}}}),
            ("contract.lifecycle", {"contract": {"lifecycle": "draft"}}),
            ("governance.pii", {"governance": {"pii": False}}),
            ("ownership.owners.type", {"ownership": {"owners": [{"group": "a", "type": "B"}]}}),
            (
                "governance.fields.classification",
                {"governance": {"fields": [{"path": "id", "classification": "public"}]}},
            ),
            ("storage.properties.owner.team", {"storage": {"properties": {"owner.team": "a"}}}),
        ],
    )
    def test_anything_that_the_model_has(self, what: str, said: dict[str, Any]) -> None:
        policy = policy_of({"require": [{"what": what}]})
        assert len(found(policy, BARE)) == 1
        assert found(policy, dataclasses.replace(BARE, document={**BARE.document, **said})) == ()

    def test_blank_words_say_nothing(self) -> None:
        document = {**BARE.document, "documentation": {"description": " \n "}}
        policy = policy_of({"require": [{"what": "documentation.description"}]})
        assert len(found(policy, dataclasses.replace(BARE, document=document))) == 1

    @pytest.mark.parametrize(
        ("settings", "says", "hint"),
        [
            (
                {"require": [{"what": "documentation.desciption"}]},
                "lumos.yaml: policy.require[0]: nothing is called `documentation.desciption`",
                "did you mean `documentation.description`?",
            ),
            (
                {"require": [{"what": "properties"}, {"what": "properties."}]},
                "policy.require[0]: nothing is called `properties`",
                "say which of them: `properties.NAME`",
            ),
            (
                {"naming": [{"of": "columns", "pattern": "[a-z"}]},
                "unsupported regular expression `[a-z`: unclosed",
                "",
            ),
            (
                {"rules": {"required-mising": "breaking"}},
                "policy.rules: there is no rule `required-mising`",
                "did you mean `required-missing`?",
            ),
            (
                {"paths": [{"match": "**", "rules": {"required-mising": "breaking"}}]},
                "policy.paths[0].rules: there is no rule `required-mising`",
                "did you mean `required-missing`?",
            ),
            (
                {"require": [{"what": "schedule.sla.freshnes"}]},
                "policy.require[0]: nothing is called `schedule.sla.freshnes`",
                "did you mean `schedule.sla.freshness`?",
            ),
            (
                {"require": [{"what": "lineage.upstream.columns.confidense"}]},
                "nothing is called `lineage.upstream.columns.confidense`",
                "did you mean `lineage.upstream.columns.confidence`?",
            ),
            ({"require": [{"what": "properties.a."}]}, "nothing is called `properties.a.`", ""),
            ({"require": [{"what": "zzz"}]}, "nothing is called `zzz`", "`lumos schema snapshot`"),
            ({"personal": [{"needs": []}]}, "policy.personal[0]: `needs` asks for nothing", ""),
            ({"require": [{"wat": "x"}]}, "lumos.yaml:", ""),
            ({"personal": [{"needs": ["clasification"]}]}, "lumos.yaml:", ""),
            ({"naming": [{"of": "colums", "pattern": "a"}]}, "lumos.yaml:", ""),
            ({"require": [{"what": "name", "except": [{"match": "**"}]}]}, "lumos.yaml:", ""),
        ],
    )
    def test_a_slip_of_the_pen_is_one_clear_line(self, settings: Any, says: str, hint: str) -> None:
        from lumos_snap.commands.diff.settings import require_sound  # noqa: PLC0415 - only here

        with pytest.raises(LumosError) as caught:
            require_sound(policy_of(settings))
        assert says in caught.value.message
        assert "\n" not in caught.value.message
        assert hint in caught.value.hint


BARE = CheckedDataset(
    "lumos://s3/lake/orders",
    {
        "urn": "lumos://s3/lake/orders",
        "name": "orders",
        "schema": {"fields": [{"name": "id", "type": "INT64", "nullable": True}]},
    },
    datetime.date(2026, 6, 1),
)
ASKS = policy_of(
    {
        "require": [
            {"what": what}
            for what in (
                "documentation.description",
                "documentation.fields.description",
                "governance.domain",
                "contract.fields.default",
                "schema.fields.description",
            )
        ],
        "owners": [{"group": True}, {"least": 2}],
        "personal": [{"needs": ["classification", "owner", "masking"]}],
        "naming": [{"of": "columns", "pattern": "[a-z]+"}, {"of": "datasets", "pattern": "[a-z]+"}],
    }
)


def _state(snapshot: Snapshot) -> CheckedDataset:
    return CheckedDataset(str(snapshot.urn), document_of(snapshot), datetime.date(2026, 6, 1))


@SMALL
@given(snapshots)
def test_every_named_column_is_asked_by_the_path_that_the_model_gives_it(one: Snapshot) -> None:
    named = [format_path(path) for path, held in walk(one.schema.fields) if hasattr(held, "name")]
    asked = [path for path, _ in _state(one).columns]
    assert [path for path in named if path in asked] == asked
    assert len(set(asked)) == len(asked)


@SMALL
@given(snapshots, st.text("abc ", min_size=1).filter(str.strip))
def test_saying_what_is_required_takes_findings_away_and_adds_none(
    one: Snapshot, words: str
) -> None:
    before = _state(one)
    document = {**before.document, "documentation": {"description": words}}
    document["governance"] = {**before.document.get("governance", {}), "domain": words}
    described = [{"path": path, "description": words} for path, _ in before.columns]
    document["documentation"]["fields"] = described
    after = dataclasses.replace(before, document=document)
    had = {finding.fingerprint for finding in found(ASKS, before)}
    has = {finding.fingerprint for finding in found(ASKS, after)}
    assert has <= had
    items = {finding.fact.item for finding in found(ASKS, after)}
    assert not items & {"documentation.fields.description", "governance.domain"}


@SMALL
@given(snapshots, st.data())
def test_asking_for_less_finds_no_more(one: Snapshot, data: st.DataObject) -> None:
    state = _state(one)
    less = data.draw(st.lists(st.sampled_from(ASKS.demands), unique=True))
    from lumos_snap.rules.requirements import judge_state  # noqa: PLC0415 - only here

    whole = {finding.fingerprint for finding in judge_state(ASKS.demands, ASKS, state)}
    part = {finding.fingerprint for finding in judge_state(less, ASKS, state)}
    assert part <= whole


@SMALL
@given(st.integers(0, 60), st.integers(0, 60))
def test_data_that_is_fresh_enough_stays_so_under_a_milder_demand(age: int, days: int) -> None:
    written = datetime.date(2026, 6, 1) - datetime.timedelta(days=age)
    reading = {"data": {"last_modified": f"{written}T12:00:00Z"}}
    state = dataclasses.replace(BARE, observation=reading)
    policy = policy_of({"freshness": [{"days": days}]})
    assert bool(found(policy, state)) == (age > days)


@pytest.mark.parametrize(
    ("days", "written", "says"),
    [
        (0, "2026-05-31", "older than 0 days: 1 day, since 2026-05-31"),
        (1, "2026-05-30", "older than 1 day: 2 days, since 2026-05-30"),
        (2, "2026-05-01", "older than 2 days: 31 days, since 2026-05-01"),
    ],
)
def test_a_finding_says_how_old_data_is(days: int, written: str, says: str) -> None:
    reading = {"data": {"last_modified": f"{written}T12:00:00Z"}}
    policy = policy_of({"freshness": [{"days": days}]})
    (one,) = told(policy, dataclasses.replace(BARE, observation=reading))
    assert one["message"] == f"the data is {says}"


def test_the_age_of_data_is_no_part_of_what_a_finding_is() -> None:
    policy = policy_of({"freshness": [{"days": 1}]})
    readings = ({"data": {"last_modified": f"2026-0{month}-01T00:00:00Z"}} for month in (1, 2))
    marks = {
        one.fingerprint
        for reading in readings
        for one in found(policy, dataclasses.replace(BARE, observation=reading))
    }
    assert len(marks) == 1
