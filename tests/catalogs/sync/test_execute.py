"""A run: several documents at a time, one write of each, and an end however it ends."""

import os
import signal
import threading
from collections import Counter
from pathlib import Path

import pytest

from lumos_snap.catalogs.adapter import DocumentWrite, Identity, WriteAnswer
from lumos_snap.catalogs.sync.client import Speed
from lumos_snap.catalogs.sync.execute import RunSettings, WriteOutcome, run_plan
from lumos_snap.catalogs.sync.plan import plan
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.json_object import JsonObject
from tests.catalogs.faults import Fault, Faulty
from tests.catalogs.lake import CLICKS, GOLD, ORDERS, edited, lake, snapshot
from tests.catalogs.memory import Memory
from tests.catalogs.world import World


class Slow(Memory):
    """Takes its time, and counts who is there at once."""

    def __init__(self) -> None:
        super().__init__()
        self.here: Counter[Identity] = Counter()
        self.most = self.most_of_one = 0
        self._door = threading.Lock()

    def apply(self, change: DocumentWrite) -> WriteAnswer:
        with self._door:
            self.here[change.identity] += 1
            self.most = max(self.most, self.here.total())
            self.most_of_one = max(self.most_of_one, self.here[change.identity])
        threading.Event().wait(0.004)
        try:
            return super().apply(change)
        finally:
            with self._door:
                self.here[change.identity] -= 1


def many(number: int) -> dict[Identity, JsonObject]:
    names = [Identity("snapshot", f"lumos://s3/lake/t{n}") for n in range(number)]
    upstream = [{"urn": "lumos://kafka/prod/x"}]
    return {one: snapshot(one, lineage={"upstream": upstream}) for one in names}


def test_documents_are_written_side_by_side_and_each_by_one_write_at_a_time(
    tmp_path: Path,
) -> None:
    slow = Slow()
    world = World(slow, tmp_path, tree=many(40), speed=Speed(first=4, most=8))
    world.push()
    assert slow.most_of_one == 1
    assert 4 < slow.most <= 8


class Interrupted(Slow):
    """Somebody presses Ctrl-C while a document is written."""

    def __init__(self, *, after: int) -> None:
        super().__init__()
        self._left = after

    def apply(self, change: DocumentWrite) -> WriteAnswer:
        self._left -= 1
        if not self._left:
            os.kill(os.getpid(), signal.SIGINT)
        return super().apply(change)


def test_progress_is_told_stage_by_stage(tmp_path: Path) -> None:
    world = World(Memory(), tmp_path, tree=lake())
    told: list[tuple[str, int, int]] = []
    means = world.means()
    means = RunSettings(
        rules=means.rules,
        journal=means.journal,
        progress=lambda *said: told.append(said),
    )
    run_plan(world.catalog, world.plan(), means)
    assert told == [
        ("words", 1, 1),
        ("datasets", 1, 2),
        ("datasets", 2, 2),
        ("lineage", 1, 1),
        ("assertions", 1, 1),
        ("read back", 1, 3),
        ("read back", 2, 3),
        ("read back", 3, 3),
    ]


def test_nothing_to_write_leaves_no_journal(tmp_path: Path) -> None:
    world = World(Memory(), tmp_path)
    means = world.means()
    assert run_plan(world.catalog, plan([], [], [], rules=world.rules), means) == ()
    assert not means.journal.exists()


def test_interrupted_it_ends_after_the_requests_under_way_and_can_be_finished(
    tmp_path: Path,
) -> None:
    slow = Interrupted(after=10)
    world = World(slow, tmp_path, tree=many(60), speed=Speed(first=2, most=2))
    means = world.means()
    began = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        world.carry_out(world.plan(), means)
    assert threading.active_count() == began
    written = len(slow.writes)
    assert 0 < written < 60
    assert means.journal.exists()
    world.resume(means)
    assert world.plan().decisions == ()
    assert not means.journal.exists()
    assert len(slow.writes) == 120  # none of those that were done is written again


def test_what_is_confirmed_is_not_looked_at_again(tmp_path: Path) -> None:
    memory = Memory()
    world = World(memory, tmp_path, tree=lake(), speed=Speed(first=1, most=1))
    means = world.means()
    world.carry_out(world.plan(), means, Faulty(memory, {0: Fault.REFUSED}))
    again = Faulty(memory, {})
    done = world.resume(means, through=again)
    assert set(again.looked_at) == {GOLD}
    assert {one.identity for one in done} == set(world.tree)
    assert {one.outcome for one in done} == {WriteOutcome.WRITTEN}


def test_a_document_that_somebody_keeps_changing_is_left_to_a_person(tmp_path: Path) -> None:
    memory = Memory()
    world = World(memory, tmp_path, tree=lake())
    world.push()
    world.tree[CLICKS] = edited(world.tree[CLICKS], governance={"tags": ["gold"]})
    numbers = iter(range(100))

    def edit(identity: Identity) -> None:
        there = memory.shown()[identity]
        tags = [*there["governance"]["tags"], f"t{next(numbers)}"]
        memory.edit(identity, edited(there, governance={"tags": tags}))

    through = Faulty(memory, dict.fromkeys(range(100), Fault.EDITED), edit=edit)
    (done,) = world.push(through=through)
    assert (done.outcome, done.reason) == (WriteOutcome.CONFLICT, "it is changed again and again")
    assert memory.shown()[CLICKS]["governance"] == {"tags": ["raw", "t0", "t1"]}
    world.resume_last()
    assert memory.shown()[CLICKS]["governance"] == {"tags": ["gold", "t0", "t1"]}


def test_a_document_that_clashes_by_now_is_a_conflict_and_nothing_is_written_over(
    tmp_path: Path,
) -> None:
    memory = Memory()
    world = World(memory, tmp_path, tree=lake())
    world.push()
    world.tree[CLICKS] = edited(world.tree[CLICKS], properties={"team": "ours"})

    def edit(identity: Identity) -> None:
        there = memory.shown()[identity]
        memory.edit(identity, edited(there, properties={"team": "theirs"}))

    (done,) = world.push(through=Faulty(memory, {0: Fault.EDITED}, edit=edit))
    assert done.outcome is WriteOutcome.CONFLICT
    assert memory.shown()[CLICKS]["properties"] == {"team": "theirs"}


def test_without_a_place_for_its_journal_nothing_is_sent(tmp_path: Path) -> None:
    memory = Memory()
    world = World(memory, tmp_path, tree=lake())
    (tmp_path / "file").touch()
    with pytest.raises(OutsideError, match="cannot be written"):
        world.carry_out(world.plan(), world.means(tmp_path / "file/journal.jsonl"))
    assert memory.writes == []


def test_what_is_still_referred_to_because_something_failed_is_not_deleted(tmp_path: Path) -> None:
    memory = Memory()
    world = World(memory, tmp_path, tree=lake())
    world.push()
    del world.tree[CLICKS]
    world.tree[ORDERS] = edited(world.tree[ORDERS], lineage=None)
    means = world.means()
    done = world.carry_out(world.plan(), means, Faulty(memory, {0: Fault.REFUSED}))
    assert [one.reason for one in done] == [
        f"is not deleted: {ORDERS.id} was not written, and refers to it",
        "not allowed",
    ]
    assert CLICKS in memory.shown()
    world.resume(means)
    assert memory.shown().keys() == {ORDERS, GOLD}
    assert world.plan().decisions == ()


def test_an_edit_right_after_a_write_is_drift_of_the_next_plan(tmp_path: Path) -> None:
    memory = Memory()
    world = World(memory, tmp_path, tree=lake())
    world.push()
    world.tree[CLICKS] = edited(world.tree[CLICKS], documentation={"description": "Ours"})

    class EditedAfter(Faulty):
        def apply(self, change: DocumentWrite) -> WriteAnswer:
            answer = super().apply(change)
            there = memory.shown()[CLICKS]
            memory.edit(CLICKS, edited(there, documentation={"description": "Theirs"}))
            return answer

    (done,) = world.push(through=EditedAfter(memory, {}))
    assert done.outcome is WriteOutcome.WRITTEN
    (decision,) = world.pull().decisions
    assert decision.disputes == ()
    assert world.tree[CLICKS]["documentation"] == {"description": "Theirs"}


def test_a_write_that_an_adapter_cannot_make_is_refused_and_the_rest_goes_on(
    tmp_path: Path,
) -> None:
    class Unable(Memory):
        def apply(self, change: DocumentWrite) -> WriteAnswer:
            if change.identity == GOLD:
                raise LumosError("there are no tags here")
            return super().apply(change)

    world = World(Unable(), tmp_path, tree=lake())
    assert {one.identity: one.reason for one in world.push()} == {
        CLICKS: "",
        ORDERS: "",
        GOLD: "there are no tags here",
    }
