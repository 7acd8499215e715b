"""`key=value` lines, for pipelines that read no JSON."""

from pathlib import Path

import orjson
import pytest

from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.render.key_values import release
from lumos_snap.report.diff import BumpWord
from lumos_snap.report.release import ReleaseReport
from tests.cli.conftest import Lumos
from tests.cli.lake import Lake, column

ORDERS = "snapshots/postgres/shop/public/orders.json"


def lines(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines())


def test_a_diff_says_what_it_decided(lumos: Lumos, shop: Path) -> None:
    assert lines(lumos("snap", "diff", "--output", "env").out) == {
        "verdict": "pass",
        "changesDetected": "false",
        "count": "0",
        "silent": "0",
        "breaking": "0",
        "nonBreaking": "0",
        "informational": "0",
        "waived": "0",
        "newWaivers": "0",
        "policyChanges": "0",
        "bump": "none",
    }
    document = orjson.loads((shop / ORDERS).read_bytes())
    document["schema"]["fields"].pop()
    (shop / ORDERS).write_bytes(encode_document(document, Snapshot))
    ran = lumos("snap", "diff", "--output", "env")
    assert ran.code == 1
    said = lines(ran.out)
    assert (said["verdict"], said["count"], said["breaking"]) == ("fail", "1", "1")


def test_a_release_says_what_it_gave(lumos: Lumos, tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake").start()
    for name in "ab":
        lake.put(name)
    lake.commit("Start")
    ran = lumos("snap", "bump", "--tag", "--env", "-C", lake.folder)
    assert ran.out.splitlines() == [
        "changesDetected=true",
        "count=2",
        "cloudVersion=S-1",
        "schemaVersion=1.0.0",
        "gitTag=S-1",
        "bump=minor",
        "since=none",
        "committed=true",
        "pushed=false",
        "released=minor 1.0.0 lumos://s3/lake/a",
        "released=minor 1.0.0 lumos://s3/lake/b",
    ]
    assert (
        lines(lumos("snap", "bump", "--env", "-C", lake.folder).out)["changesDetected"] == "false"
    )
    lake.put("a", column("id"))
    lake.commit()
    assert (
        lines(lumos("snap", "bump", "--env", "--dry-run", "-C", lake.folder).out)["bump"] == "major"
    )


@pytest.mark.parametrize("hostile", ["S\npushed=true", "S\r\n::error::x", "\x1b[31mS"])
def test_no_value_ends_its_line(hostile: str) -> None:
    report = ReleaseReport(
        cloudVersion=hostile, schemaVersion="", gitTag="", changesDetected=False,
        bump=BumpWord.NONE, since="none", dryRun=True, committed=False, pushed=False,
        datasets=(), removed=(),
    )  # fmt: skip
    said = [line for line in release(report) if line.startswith("cloudVersion=")]
    assert len("\n".join(release(report)).splitlines()) == 9
    assert "\x1b" not in said[0]
