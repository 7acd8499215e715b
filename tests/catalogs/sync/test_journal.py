"""The journal: whatever of it reached the disk, a run is finished from it."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from lumos_snap.catalogs.adapter import CatalogDocument, WriteAction
from lumos_snap.catalogs.sync.decision import SyncDecision, SyncSides
from lumos_snap.catalogs.sync.execute import resume
from lumos_snap.catalogs.sync.journal import (
    Proof,
    begin,
    end,
    is_over,
    reopen_journal,
    require_idle,
)
from lumos_snap.catalogs.sync.plan import Plan
from lumos_snap.errors import LumosError, OutsideError
from tests.catalogs.faults import Crash, Fault, Faulty
from tests.catalogs.lake import CLICKS, GOLD, clicks, edited, gold, lake
from tests.catalogs.memory import Memory
from tests.catalogs.world import World


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".lumos/sync/journal.jsonl"


PLAN = Plan(
    documents=1,
    decisions=(
        SyncDecision(
            sides=SyncSides(CLICKS, None, clicks()), action=WriteAction.CREATE, wanted=clicks()
        ),
        SyncDecision(
            sides=SyncSides(GOLD, gold(), None, CatalogDocument(GOLD, gold())),
            action=WriteAction.DELETE,
        ),
    ),
)


def test_what_was_noted_is_read_again(path: Path) -> None:
    journal = begin(path, "datahub", PLAN)
    journal.sent(CLICKS, "datasets")
    journal.proven(CLICKS, Proof(clicks(), {"schema": "2"}))
    journal.failed(GOLD, "failed", "not allowed")
    journal.close()
    again, record = reopen_journal(path)
    again.close()
    assert (record.catalog, record.plan) == ("datahub", PLAN.hash())
    assert record.pending == {
        CLICKS: SyncSides(CLICKS, None, clicks()),
        GOLD: SyncSides(GOLD, gold(), None),
    }
    assert record.proven == {CLICKS: Proof(clicks(), {"schema": "2"})}


def test_a_last_line_that_was_cut_is_dropped_wherever_it_was_cut(path: Path) -> None:
    journal = begin(path, "datahub", PLAN)
    whole = path.read_bytes()
    journal.proven(CLICKS, Proof(clicks(), {}))
    journal.close()
    line = path.read_bytes()[len(whole) :]
    for cut in range(len(line)):
        path.write_bytes(whole + line[:cut])
        again, record = reopen_journal(path)
        assert record.proven == {}
        again.proven(GOLD, Proof(None, {}))
        again.close()
        again, record = reopen_journal(path)
        again.close()
        assert record.proven == {GOLD: Proof(None, {})}


def test_a_run_that_ended_before_it_wrote_anything_is_planned_again(path: Path) -> None:
    begin(path, "datahub", PLAN).close()
    lines = path.read_bytes().splitlines(keepends=True)
    for kept in range(len(lines)):
        path.write_bytes(b"".join(lines[:kept]))
        with pytest.raises(LumosError, match="before it wrote anything"):
            reopen_journal(path)


def test_a_damaged_journal_is_named(path: Path) -> None:
    begin(path, "datahub", PLAN).close()
    path.write_bytes(path.read_bytes() + b"{nonsense}\n{}\n")
    with pytest.raises(OutsideError, match="is damaged"):
        reopen_journal(path)


def test_where_there_is_none_nothing_is_unfinished(path: Path) -> None:
    with pytest.raises(LumosError, match="there is no journal"):
        reopen_journal(path)


def test_a_journal_belongs_to_one_run_at_a_time(path: Path) -> None:
    journal = begin(path, "datahub", PLAN)
    with pytest.raises(OutsideError, match="another run is at work"):
        reopen_journal(path)
    journal.sent(CLICKS, "datasets")
    journal.close()
    with pytest.raises(LumosError, match="journal of another run"):
        begin(path, "datahub", PLAN)


def test_the_journal_of_a_run_that_is_over_makes_room_for_another(path: Path) -> None:
    journal = begin(path, "datahub", PLAN)
    journal.sent(CLICKS, "datasets")
    journal.failed(CLICKS, "failed", "not allowed")
    journal.close()
    assert not is_over(path)
    end(path)
    assert is_over(path)
    begin(path, "datahub", PLAN).close()
    path.unlink()
    end(path)
    assert not path.exists()


def test_a_run_that_is_over_can_be_gone_on_with(path: Path) -> None:
    journal = begin(path, "datahub", PLAN)
    journal.close()
    end(path)
    journal, record = reopen_journal(path)
    assert len(record.pending) == len(PLAN.writes)
    journal.sent(CLICKS, "datasets")
    journal.close()
    assert not is_over(path)


def test_threads_write_whole_lines(path: Path) -> None:
    journal = begin(path, "datahub", PLAN)

    def work() -> None:
        for _ in range(20):
            journal.sent(CLICKS, "datasets")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    journal.close()
    assert path.read_bytes().count(b'{"sent"') == 160
    reopen_journal(path)[0].close()


def test_another_catalog_is_not_written_from_it(tmp_path: Path) -> None:
    world = World(Memory(), tmp_path, tree=lake())
    means = world.means()
    with pytest.raises(Crash):
        world.carry_out(world.plan(), means, Faulty(world.catalog, {0: Fault.CRASH_BEFORE}))
    other = Memory()
    other.name = "another"
    with pytest.raises(LumosError, match="is of catalog `memory`"):
        resume(other, means)
    world.resume(means)


def test_every_cut_of_a_journal_of_a_killed_run_leads_to_the_same_end(tmp_path: Path) -> None:
    for cut in range(0, 400, 7):
        memory = Memory()
        world = World(memory, tmp_path, tree={CLICKS: clicks(), GOLD: gold()})
        world.push()
        world.tree[CLICKS] = edited(world.tree[CLICKS], governance={"tags": ["gold"]})
        world.tree[GOLD] = gold(name="More than gold")
        means = world.means()
        through = Faulty(memory, {1: Fault.CRASH_AFTER})
        with pytest.raises(Crash):
            world.carry_out(world.plan(), means, through)
        raw = means.journal.read_bytes()
        begun = raw.index(b'{"sent"')
        means.journal.write_bytes(raw[: max(begun, len(raw) - cut)])
        world.resume(means)
        assert world.plan().decisions == ()
        assert memory.shown()[CLICKS]["governance"] == {"tags": ["gold"]}


def test_what_tells_plans_apart_is_what_they_write_and_upon_what() -> None:
    one, other = PLAN.decisions
    sides = SyncSides(GOLD, gold(), None, CatalogDocument(GOLD, gold(), {"status": "2"}))
    quiet = replace(other, action=None)
    hashes = {
        Plan(documents=1, decisions=decisions).hash()
        for decisions in [(one,), (other,), (one, other), (one, replace(other, sides=sides)), ()]
    }
    assert len(hashes) == 5
    assert Plan(documents=9, decisions=(one, other)).hash() == PLAN.hash()
    assert Plan(documents=1, decisions=(one, quiet)).hash() in hashes


def test_a_run_that_was_killed_before_it_sent_anything_makes_room(path: Path) -> None:
    begin(path, "datahub", PLAN).close()
    whole = path.read_bytes()
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        assert is_over(path)
    journal = begin(path, "datahub", PLAN)
    assert path.read_bytes() == whole
    journal.sent(CLICKS, "datasets")
    assert not is_over(path)
    with pytest.raises(OutsideError, match="another run is at work"):
        require_idle(path)
    journal.close()
    require_idle(path)
    with pytest.raises(LumosError, match="journal of another run"):
        begin(path, "datahub", PLAN)
