"""Whatever goes wrong at whatever write: the end is the one that would have been."""

import itertools
from collections.abc import Mapping
from pathlib import Path

import pytest

from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.sync.execute import WriteOutcome
from lumos_snap.schema import Document
from tests.catalogs.contract.subjects import Subject
from tests.catalogs.faults import CRASHES, HARMLESS, Crash, Fault, Faulty
from tests.catalogs.lake import CLICKS, GOLD, ORDERS, clicks, edited, gold, lake
from tests.catalogs.world import World

STEPS = range(8)
"""More than the scenario has writes, so that every one is disturbed."""


@pytest.fixture
def scenario(world: World) -> World:
    """After a first push: a change, a document more, one less."""
    world.push()
    world.tree[CLICKS] = clicks(
        governance={"tags": ["raw", "tier-1"]},
        lineage={"upstream": [{"urn": "lumos://kafka/prod/clicks"}]},
        quality={"checks": [{"name": "fresh"}]},
    )
    world.tree[NEW] = gold(id="silver", name="Silver")
    del world.tree[ORDERS]
    del world.tree[GOLD]
    return world


NEW = Identity("tag", "silver")


def expected(world: World) -> Mapping[Identity, Document]:
    project = world.catalog.project
    return {one: project(one, held).document for one, held in world.tree.items()}


def is_done(world: World, subject: Subject) -> None:
    assert subject.shown() == expected(world)
    assert world.base == expected(world)
    assert world.plan().decisions == ()


def test_the_scenario_has_so_many_writes(scenario: World) -> None:
    through = Faulty(scenario.catalog, {})
    scenario.push(through=through)
    assert 4 <= len(through.asked) < len(STEPS)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", HARMLESS, ids=lambda fault: fault.name.lower())
def test_a_passing_fault_leaves_no_trace(
    scenario: World, subject: Subject, fault: Fault, step: int
) -> None:
    through = Faulty(scenario.catalog, {step: fault})
    done = scenario.push(through=through)
    assert {one.outcome for one in done} <= {WriteOutcome.WRITTEN, WriteOutcome.SETTLED}
    is_done(scenario, subject)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", CRASHES, ids=lambda fault: fault.name.lower())
def test_a_run_that_was_killed_is_finished(
    scenario: World, subject: Subject, fault: Fault, step: int
) -> None:
    means = scenario.means()
    through = Faulty(scenario.catalog, {step: fault})
    try:
        scenario.carry_out(scenario.plan(), means, through)
    except Crash:
        scenario.resume(means)
    is_done(scenario, subject)
    assert not means.journal.exists()


@pytest.mark.parametrize(("first", "second"), [*itertools.combinations(range(5), 2)])
def test_a_run_may_be_killed_twice(
    scenario: World, subject: Subject, first: int, second: int
) -> None:
    means = scenario.means()
    try:
        scenario.carry_out(
            scenario.plan(), means, Faulty(scenario.catalog, {first: Fault.CRASH_AFTER})
        )
    except Crash:
        try:
            scenario.resume(
                means, through=Faulty(scenario.catalog, {second - first: Fault.CRASH_BEFORE})
            )
        except Crash:
            scenario.resume(means)
    is_done(scenario, subject)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    "fault", [Fault.REFUSED, Fault.SWALLOWED], ids=lambda one: one.name.lower()
)
def test_what_is_refused_is_named_the_rest_goes_on_and_it_can_be_finished(
    scenario: World, subject: Subject, fault: Fault, step: int
) -> None:
    means = scenario.means()
    through = Faulty(scenario.catalog, {step: fault})
    done = scenario.carry_out(scenario.plan(), means, through)
    failed = [one for one in done if one.outcome is WriteOutcome.FAILED]
    # Where we look before each write, what was swallowed is noticed by the next one, and mended.
    assert len(failed) == len(through.met) or fault is Fault.SWALLOWED
    assert all(one.reason for one in failed)
    others = {one.identity for one in done} - {one.identity for one in failed}
    assert all(subject.shown().get(one) == expected(scenario).get(one) for one in others)
    if failed:
        scenario.resume(means)
    is_done(scenario, subject)


@pytest.mark.parametrize("step", STEPS)
def test_an_edit_just_before_a_write_is_not_lost(
    scenario: World, subject: Subject, step: int
) -> None:
    edits = []

    def edit(identity: Identity) -> None:
        there = subject.shown().get(identity)
        if identity.kind == "snapshot" and there is not None:
            edits.append(identity)
            tags = sorted({*there["governance"]["tags"], "theirs"})
            subject.edit(identity, edited(there, governance={"tags": tags}))

    through = Faulty(scenario.catalog, {step: Fault.EDITED}, edit=edit)
    if not scenario.catalog.capabilities.has_preconditions:
        return  # there is a moment between looking and writing that nobody can close
    scenario.push(through=through)
    scenario.pull()
    for identity in edits:
        assert "theirs" in subject.shown()[identity]["governance"]["tags"]
        if identity in scenario.tree:
            assert "theirs" in scenario.tree[identity]["governance"]["tags"]
            assert "tier-1" in subject.shown()[identity]["governance"]["tags"]


def test_a_catalog_that_is_always_busy_is_given_up_and_named(
    scenario: World, subject: Subject
) -> None:
    before = subject.shown()
    means = scenario.means()
    through = Faulty(scenario.catalog, dict.fromkeys(range(1000), Fault.BUSY))
    done = scenario.carry_out(scenario.plan(), means, through)
    assert {one.outcome for one in done} == {WriteOutcome.FAILED}
    assert subject.shown() == before
    scenario.resume(means)
    is_done(scenario, subject)


def test_a_catalog_that_is_out_of_reach_for_a_moment_is_asked_again(
    subject: Subject, tmp_path: Path
) -> None:
    world = World(subject.catalog, tmp_path, tree=lake())
    world.push(through=Faulty(subject.catalog, {2: Fault.CUT_OFF}, unread={0, 1}))
    is_done(world, subject)
