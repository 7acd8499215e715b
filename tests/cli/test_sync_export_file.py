"""`lumos snap sync` with one portable document, and what reads that document then."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lumos_snap.catalogs.export_file import changes_beside
from tests.cli.conftest import Lumos
from tests.cli.lake import git


def test_a_tree_that_was_synced_with_a_document_comes_back(shop: Path, lumos: Lumos) -> None:
    with (shop / "lumos.yaml").open("a") as settings:
        settings.write("catalogs: [{name: carried, type: files, path: ../carried.json}]\n")
    git(shop, "commit", "-aqm", "Carry")
    ran = lumos("snap", "sync", "--apply", "--yes")
    assert (ran.code, "`carried`: 36 written" in ran.out) == (0, True)
    assert lumos("snap", "sync", "--check").code == 0
    carried = shop.parent / "carried.json"
    assert lumos("snap", "validate", carried).code == 0
    (shop.parent / "there").mkdir()
    (shop.parent / "there/lumos.yaml").write_text("version: 1\n")
    assert lumos("snap", "import", carried, "--tree", shop.parent / "there").code == 0
    for path in ("snapshots", "entities"):
        ours = {one.relative_to(shop): one.read_bytes() for one in (shop / path).rglob("*.json")}
        there = shop.parent / "there"
        assert ours == {
            one.relative_to(there): one.read_bytes() for one in (there / path).rglob("*.json")
        }


_PROGRAM = "import sys; from lumos_snap.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.slow
def test_a_sync_with_a_document_that_is_killed_is_finished(shop: Path, lumos: Lumos) -> None:
    with (shop / "lumos.yaml").open("a") as settings:
        settings.write("catalogs: [{name: carried, type: files, path: ../carried.json}]\n")
    git(shop, "commit", "-aqm", "Carry")
    carried = shop.parent / "carried.json"
    beside, journal = changes_beside(carried), shop / ".lumos/sync/carried.jsonl"
    for number in range(300):
        one = json.loads((shop / "snapshots/s3/shop-lake/raw/orders.json").read_text())
        one |= {"urn": f"lumos://s3/shop-lake/raw/o{number:03}", "name": f"o{number:03}"}
        (shop / f"snapshots/s3/shop-lake/raw/o{number:03}.json").write_text(json.dumps(one))
    assert lumos("snap", "fmt").code == 0
    command = [sys.executable, "-c", _PROGRAM, "snap", "sync", "--apply", "--yes"]
    with subprocess.Popen(command, cwd=shop, stdout=subprocess.DEVNULL) as running:
        until = time.monotonic() + 60
        while running.poll() is None and time.monotonic() < until:
            if beside.exists() and beside.read_bytes().count(b"\n") > 30:
                running.kill()
                break
    assert journal.exists()
    assert beside.exists()
    assert not carried.exists()
    assert lumos("snap", "import", carried, "--dry-run").code == 3
    assert lumos("snap", "sync", "--resume").code == 0
    assert not beside.exists()
    assert lumos("snap", "validate", carried).code == 0
    assert lumos("snap", "verify", "--source", "tree", "--target", "carried").code == 0


def test_a_document_whose_sync_was_cut_off_is_not_taken_for_whole(
    empty: Path, lumos: Lumos
) -> None:
    (empty / "lumos.yaml").write_text("version: 1\n")
    changes_beside(empty / "carried.json").write_text("")
    ran = lumos("snap", "import", "carried.json")
    assert (ran.code, "--resume" in ran.err) == (3, True)


def test_what_another_clone_left_beside_a_document_is_taken_in(shop: Path, lumos: Lumos) -> None:
    with (shop / "lumos.yaml").open("a") as settings:
        settings.write("catalogs: [{name: carried, type: files, path: ../carried.json}]\n")
    git(shop, "commit", "-aqm", "Carry")
    assert lumos("snap", "sync", "--apply", "--yes").code == 0
    carried = shop.parent / "carried.json"
    whole, beside = carried.read_bytes(), changes_beside(carried)
    user = next(one for one in json.loads(whole)["users"])
    line = {"of": ["user", user["id"]], "is": {**user, "title": "Written elsewhere"}}
    beside.write_text(json.dumps(line) + "\n")
    ran = lumos("snap", "export", "-o", carried)
    assert (ran.code, "--resume" in ran.err, carried.read_bytes() == whole) == (3, True, True)
    assert lumos("snap", "sync", "--resume").code == 0
    assert not beside.exists()
    assert b"Written elsewhere" in carried.read_bytes()
    assert lumos("snap", "validate", carried).code == 0
    assert lumos("snap", "sync", "--resume").code == 2
