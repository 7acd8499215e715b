"""`lumos snap sync` with one portable document, and what reads that document then."""

from pathlib import Path

from lumos_snap.catalogs.portable import changes_beside
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


def test_a_document_whose_sync_was_cut_off_is_not_taken_for_whole(
    empty: Path, lumos: Lumos
) -> None:
    (empty / "lumos.yaml").write_text("version: 1\n")
    changes_beside(empty / "carried.json").write_text("")
    ran = lumos("snap", "import", "carried.json")
    assert (ran.code, "--resume" in ran.err) == (3, True)
