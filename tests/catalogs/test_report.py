"""How a plan and a run are shown: compared with golden files byte for byte."""

from pathlib import Path

import orjson
import pytest

from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.report import build_plan_report, build_run_report
from lumos_snap.catalogs.sync.delete_guard import DeleteGuard
from lumos_snap.catalogs.sync.policy import SyncPolicy
from lumos_snap.render.json_report import to_json
from lumos_snap.render.sync_text import plan, sync_lines
from lumos_snap.report.envelope import answer
from lumos_snap.schema.validation import misfits
from lumos_snap.text import sanitize_text
from tests.catalogs.faults import Fault, Faulty
from tests.catalogs.lake import CLICKS, GOLD, ORDERS, edited, lake, snapshot
from tests.catalogs.memory import Memory
from tests.catalogs.world import World

GOLDEN = Path(__file__).parent / "golden"
OLD = Identity("snapshot", "lumos://s3/lake/old")
USED = Identity("snapshot", "lumos://s3/lake/used")
NEW = Identity("snapshot", "lumos://s3/lake/new")
HOSTILE = Identity("snapshot", "lumos://s3/lake/@everyone%0A::error::")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A push, and then edits on both sides of every sort."""
    memory = Memory()
    world = World(memory, tmp_path, tree=lake())
    world.tree |= {OLD: snapshot(OLD), USED: snapshot(USED)}
    world.push()
    there = memory.shown()
    memory.edit(
        CLICKS,
        edited(
            there[CLICKS],
            documentation={"description": "Clicks, as people call them"},
            governance={"tags": ["by-hand", "raw"], "domain": "marketing"},
            lineage={"upstream": [{"urn": "lumos://kafka/prod/by-hand"}]},
            schema={"fields": [{"name": "id", "type": "STRING", "nullable": False}]},
        ),
    )
    memory.edit(GOLD, None)
    world.tree[CLICKS] = edited(
        world.tree[CLICKS], governance={"tags": ["tier-1"], "domain": "web"}
    )
    fields = [
        {"name": "id", "type": "INT64", "nullable": False},
        {"name": "amount", "type": "DECIMAL", "precision": 12, "scale": 2, "nullable": True},
    ]
    upstream = [{"urn": USED.id}, {"urn": CLICKS.id, "type": "COPIED"}]
    world.tree[ORDERS] = edited(
        world.tree[ORDERS], schema={"fields": fields}, lineage={"upstream": upstream}
    )
    del world.tree[OLD], world.tree[USED]
    world.tree[NEW] = snapshot(NEW, versioning={"schema_version": "1.0.0"})
    world.tree[HOSTILE] = snapshot(HOSTILE)
    return world


def compare(name: str, text: str, request: pytest.FixtureRequest) -> None:
    golden = GOLDEN / name
    if request.config.getoption("--rewrite-golden"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_a_plan_is_shown(world: World, request: pytest.FixtureRequest) -> None:
    report = build_plan_report(world.plan(DeleteGuard(most=5)), "datahub")
    text = "".join(f"{sanitize_text(line)}\n" for line in plan(report))
    compare("plan.txt", text, request)


def test_a_plan_is_told_to_machines(world: World, request: pytest.FixtureRequest) -> None:
    report = build_plan_report(world.plan(), "datahub")
    assert misfits(orjson.loads(to_json(report)), type(report)) == ()
    compare("plan.json", to_json(report), request)


def test_a_plan_where_there_is_nothing_to_do(tmp_path: Path) -> None:
    world = World(Memory(), tmp_path, tree={GOLD: lake()[GOLD]})
    world.push()
    assert list(plan(build_plan_report(world.plan(), "datahub"))) == [
        "1 document and `datahub`: no difference"
    ]


def test_a_long_plan_is_cut_and_says_so(world: World) -> None:
    lines = list(plan(build_plan_report(world.plan(), "datahub"), limit=1))
    assert "… and 6 more documents: --limit 0 shows all" in lines


def test_a_run_is_shown(world: World, request: pytest.FixtureRequest) -> None:
    world.policies = {"governance": SyncPolicy.GIT}
    through = Faulty(world.catalog, {2: Fault.REFUSED})
    world.speed = world.speed.__class__(first=1, most=1)
    means = world.means()
    done = world.carry_out(world.plan(DeleteGuard(most=5)), means, through)
    report = build_run_report(done, "datahub", Path("journal.jsonl"))
    assert misfits(answer(report), type(report)) == ()
    compare("run.txt", "".join(f"{sanitize_text(line)}\n" for line in sync_lines(report)), request)
    assert means.journal.exists()
