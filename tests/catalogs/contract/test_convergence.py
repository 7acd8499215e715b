"""Drawn edits on both sides and drawn faults: nothing is lost, and all comes to rest."""

import tempfile
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.sync.client import Speed
from lumos_snap.json_object import JsonObject
from tests.catalogs.contract.subjects import SUBJECTS, Subject, on_trial
from tests.catalogs.faults import CRASHES, HARMLESS, Crash, Fault, Faulty
from tests.catalogs.lake import CLICKS, ORDERS, edited, lake
from tests.catalogs.world import QUICK, World
from tests.strategies import LAW

OURS, THEIRS = ("raw", "ours-1", "ours-2"), ("raw", "theirs-1", "theirs-2")
NAMES = st.sampled_from((CLICKS, ORDERS))


@dataclass(frozen=True)
class Edit:
    """Somebody gives a dataset these tags and this domain."""

    identity: Identity
    tags: Set[str]
    domain: str | None


def edits(tags: tuple[str, ...], domains: tuple[str, ...]) -> st.SearchStrategy[list[Edit]]:
    said = st.none() | st.sampled_from(domains)
    return st.lists(st.builds(Edit, NAMES, st.frozensets(st.sampled_from(tags)), said), max_size=2)


def speed_of(name: str) -> Speed:
    """Somebody with an editor reads and writes in two steps: nobody else writes meanwhile."""
    return QUICK if "memory" in name else replace(QUICK, first=1, most=1)


weathers = st.dictionaries(
    st.integers(0, 9), st.sampled_from((*HARMLESS, *CRASHES, Fault.REFUSED, *[Fault.EDITED] * 6))
)


@pytest.mark.parametrize("name", [name for name in SUBJECTS if "without precond" not in name])
@LAW
@given(
    ours=edits(OURS, ("web",)),
    theirs=edits(THEIRS, ("marketing",)),
    meanwhile=edits(THEIRS, ("sales",)),
    faults=weathers,
)
def test_nothing_is_lost_and_all_comes_to_rest(
    name: str,
    ours: list[Edit],
    theirs: list[Edit],
    meanwhile: list[Edit],
    faults: Mapping[int, Fault],
) -> None:
    with tempfile.TemporaryDirectory() as folder, on_trial(name, Path(folder)) as subject:
        world = World(subject.catalog, Path(folder), tree=lake(), speed=speed_of(name))
        world.push()
        for edit in ours:
            world.tree[edit.identity] = with_edit(world.tree[edit.identity], edit)
        people = People(subject, list(meanwhile))
        for edit in theirs:
            people.do(edit)
        added = {one: tags(world.tree[one]) & set(OURS[1:]) for one in (CLICKS, ORDERS)}
        run_through(world, Faulty(subject.catalog, faults, edit=people.next))
        world.push()
        world.pull()
        is_at_rest(world, subject)
        for identity in (CLICKS, ORDERS):
            there = tags(subject.shown()[identity])
            assert added[identity] | people.said[identity] <= there
            assert tags(world.tree[identity]) == there


class People:
    """Those who edit in the catalog, now and at a moment that a test chooses."""

    def __init__(self, subject: Subject, waiting: list[Edit]) -> None:
        self.said: dict[Identity, set[str]] = {CLICKS: set(), ORDERS: set()}
        self._subject = subject
        self._waiting = waiting

    def next(self, _: Identity) -> None:
        if self._waiting:
            self.do(self._waiting.pop())

    def do(self, edit: Edit) -> None:
        """They see what is there: they add and take away what is theirs."""
        there = self._subject.shown()[edit.identity]
        theirs = edit.tags & set(THEIRS[1:])
        kept = tags(there) - set(THEIRS[1:])
        self._subject.edit(
            edit.identity, with_edit(there, Edit(edit.identity, kept | theirs, edit.domain))
        )
        self.said[edit.identity] = set(theirs)


def run_through(world: World, through: Faulty) -> None:
    means = world.means()
    try:
        world.carry_out(world.plan(), means, through)
    except Crash:
        event("killed")
    if means.journal.exists():
        world.resume(means)
    for fault in through.met:
        event(fault.name)


def with_edit(document: JsonObject, edit: Edit) -> JsonObject:
    said = {"tags": sorted(edit.tags), **({"domain": edit.domain} if edit.domain else {})}
    return edited(document, governance=said)


def tags(document: JsonObject) -> set[str]:
    governance = document.get("governance", {})
    assert isinstance(governance, dict)
    return set(governance.get("tags", ()))


def is_at_rest(world: World, subject: Subject) -> None:
    """Only what a person must decide is left, and a further push writes nothing."""
    before = subject.shown()
    found = world.plan()
    assert found.writes == ()
    assert all(one.is_open or one.kept for one in found.decisions)
    assert all(one.pulled is None for one in found.decisions)
    assert world.carry_out(found, world.means()) == ()
    assert subject.shown() == before


@pytest.mark.parametrize("name", [name for name in SUBJECTS if "without precond" not in name])
@LAW
@given(
    ours=edits(OURS, ("web",)),
    theirs=st.frozensets(st.sampled_from(THEIRS[1:])),
    step=st.integers(0, 3),
)
def test_an_edit_before_a_plan_and_one_between_plan_and_write_lead_to_one_end(
    name: str, ours: list[Edit], theirs: frozenset[str], step: int
) -> None:
    ends = []
    for is_between in (False, True):
        with tempfile.TemporaryDirectory() as folder, on_trial(name, Path(folder)) as subject:
            world = World(subject.catalog, Path(folder), tree=lake(), speed=speed_of(name))
            world.push()
            for edit in ours:
                world.tree[edit.identity] = with_edit(world.tree[edit.identity], edit)

            def somebody(_: Identity, subject: Subject = subject) -> None:
                there = subject.shown()[CLICKS]
                now = sorted({*tags(there), *theirs})
                governance = there.get("governance", {})
                subject.edit(CLICKS, edited(there, governance={**governance, "tags": now}))

            if is_between:
                through = Faulty(subject.catalog, {step: Fault.EDITED}, edit=somebody)
                world.push(through=through)
                if not through.met:
                    somebody(CLICKS)
            else:
                somebody(CLICKS)
                world.push()
            world.push()
            world.pull()
            is_at_rest(world, subject)
            ends.append((subject.shown(), world.tree))
    assert ends[0] == ends[1]
