"""A server that goes away in the middle of a run: the run ends, and can be finished."""

import time
from pathlib import Path

import pytest

from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.datahub.client.server import Access, Mode, connect_server
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.catalogs.datahub_server import DataHubCatalog
from lumos_snap.catalogs.sync.client import Speed
from lumos_snap.catalogs.sync.execute import WriteOutcome
from tests.catalogs.lake import snapshot
from tests.catalogs.world import World
from tests.datahub.conftest import LUMOS
from tests.gms import Gms

MANY = 200
SHORT = Speed(first=4, most=8, pause=0.02, longest=0.1, silence=0.5)


@pytest.fixture
def world(gms: Gms, mode: str, tmp_path: Path) -> World:
    """Many datasets, and somebody who waits half a second instead of a minute."""
    server = connect_server(Access(address=gms.url, token=LUMOS, mode=Mode(mode)))
    names = [Identity("snapshot", f"lumos://s3/lake/t{number:03}") for number in range(MANY)]
    tree = {one: snapshot(one) for one in names}
    return World(
        DataHubCatalog("hub", server, Names(NamingSettings())), tmp_path, tree=tree, speed=SHORT
    )


def test_a_run_does_not_wait_for_a_dead_server_dataset_by_dataset(world: World, gms: Gms) -> None:
    means, found = world.means(), world.plan()
    gms.faults.cut_before(skip=20, times=None)
    before = time.monotonic()
    done = world.carry_out(found, means)
    assert time.monotonic() - before < 20 * SHORT.silence
    failed = [one for one in done if one.outcome is WriteOutcome.FAILED]
    assert len(failed) == MANY  # what was written cannot be read back now
    assert all(one.reason for one in failed)
    assert any("nothing was answered for" in one.reason for one in failed)
    asked = len(gms.asked)
    assert asked < MANY, "each dataset was tried"
    gms.faults.clear()
    assert {one.outcome for one in world.resume(means)} <= {
        WriteOutcome.WRITTEN,
        WriteOutcome.SETTLED,
    }
    assert world.plan().decisions == ()
    assert {row["version"] for held in gms.dump().values() for row in held.values()} == {1}


def test_a_server_that_was_away_for_a_moment_is_asked_again(world: World, gms: Gms) -> None:
    gms.faults.cut_before(skip=20, times=10)
    assert {one.outcome for one in world.push()} <= {WriteOutcome.WRITTEN, WriteOutcome.SETTLED}
    assert world.plan().decisions == ()
