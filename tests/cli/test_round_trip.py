"""A tree that goes through a catalog comes back byte for byte: git has kept what was lost there."""

import json
import shutil
from pathlib import Path

import pytest

from tests.catalogs.contract.subjects import InLite
from tests.cli.conftest import Lumos
from tests.cli.lake import git

LONG = "x" * 600
"""A name that no urn of DataHub's can hold."""
LOST = {
    "entities/groups/analytics.json": {"id": "analytics", "properties": {"floor": "3"}},
    "entities/tags/odd.json": {"id": "odd", "properties": {"a": "b"}},
}


def documents(tree: Path) -> dict[str, bytes]:
    """All documents that a catalog may hold, by path."""
    found = (one for part in ("snapshots", "entities") for one in (tree / part).rglob("*.json"))
    return {str(one.relative_to(tree)): one.read_bytes() for one in found}


@pytest.fixture
def lossy(shop: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shop, with more than DataHub can hold, synced with DataHub Lite."""
    monkeypatch.setenv("HOME", str(shop.parent))
    with (shop / "lumos.yaml").open("a") as settings:
        settings.write("catalogs: [{name: lite, type: datahub-lite}]\n")
    for path, said in LOST.items():
        there = json.loads((shop / path).read_text()) if (shop / path).exists() else {}
        (shop / path).parent.mkdir(exist_ok=True)
        (shop / path).write_text(json.dumps({"lumos_version": "1.0.0", **there, **said}))
    count = {"datasets": 0, "lineage_edges": 0, "owners": 0, "tags": 0}
    carried = {"lumos_version": "1.0.0", "document": "lumos-export", "statistics": count}
    tags = [{"lumos_version": "1.0.0", "id": LONG}]
    (shop.parent / "long.json").write_text(json.dumps({**carried, "tags": tags}))
    assert lumos("snap", "import", shop.parent / "long.json").code == 0
    lumos("snap", "fmt")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "More than DataHub holds")
    assert lumos("snap", "sync", "--apply", "--yes").code == 1  # one document is refused
    return shop


def test_what_was_lost_is_named_with_its_values(lossy: Path, lumos: Lumos) -> None:
    found = lumos("snap", "sync", "--losses", "--json").json["documents"]
    known = {(one["kind"], one["id"]): one["is_whole"] for one in found}
    assert (
        known.items()
        >= {
            ("group", "analytics"): False,
            ("tag", "odd"): False,
            ("tag", LONG): True,
        }.items()
    )
    said = {one["id"]: json.dumps(one["lost"]) for one in found}
    assert '"3"' in said["analytics"]
    assert '"b"' in said["odd"]
    told = lumos("snap", "sync", "--losses").out
    assert "! tag odd\n" in told
    assert "git keeps what `lite` cannot hold of" in told


def test_all_of_a_tree_comes_back_from_a_catalog(lossy: Path, lumos: Lumos) -> None:
    before = documents(lossy)
    for part in ("snapshots", "entities"):
        shutil.rmtree(lossy / part)
    ran = lumos("snap", "import", "--from", "lite")
    assert (ran.code, ran.err) == (0, "")
    assert documents(lossy) == before
    assert git(lossy, "status", "--short") == ""


def test_all_of_a_tree_comes_through_an_export_of_the_catalog(lossy: Path, lumos: Lumos) -> None:
    backup, there = lossy.parent / "backup.json", lossy.parent / "there"
    assert lumos("snap", "export", "--from", "lite", "-o", backup).code == 0
    assert lumos("snap", "validate", backup).code == 0
    there.mkdir()
    (there / "lumos.yaml").write_text("version: 1\nenvironment: PROD\n")
    assert lumos("snap", "import", backup, "--tree", there).code == 0
    assert documents(there) == documents(lossy)


def test_elsewhere_only_what_was_named_as_lost_is_missing(lossy: Path, lumos: Lumos) -> None:
    lost = {one["id"]: one for one in lumos("snap", "sync", "--losses", "--json").json["documents"]}
    there = lossy.parent / "there"
    there.mkdir()
    store = lossy / ".lumos/datahub.db"
    settings = f"catalogs: [{{name: lite, type: datahub-lite, path: '{store}'}}]\n"
    (there / "lumos.yaml").write_text("version: 1\nenvironment: PROD\n" + settings)
    assert lumos("snap", "import", "--from", "lite", "--tree", there).code == 0
    ours, theirs = documents(lossy), documents(there)
    differing = {path for path, content in ours.items() if theirs.get(path) != content}
    assert {json.loads(ours[path]).get("id") for path in differing} == lost.keys()
    assert theirs.keys() <= ours.keys()


def test_what_is_no_longer_lost_is_no_longer_kept(lossy: Path, lumos: Lumos) -> None:
    (lossy / "entities/tags/odd.json").write_text('{"lumos_version": "1.0.0", "id": "odd"}')
    for path in (lossy / "entities/tags").rglob("x*"):
        if path.is_dir():
            shutil.rmtree(path)
    lumos("snap", "fmt")
    lumos("snap", "sync", "--apply", "--yes")
    found = lumos("snap", "sync", "--losses", "--json").json["documents"]
    assert "odd" not in [one["id"] for one in found]
    assert LONG not in [one["id"] for one in found]
    assert "analytics" in [one["id"] for one in found]


@pytest.mark.parametrize("what", ["empty", "broken"])
def test_where_the_tree_is_not_to_be_trusted_all_stays_kept(
    what: str, lossy: Path, lumos: Lumos
) -> None:
    kept = lumos("snap", "sync", "--losses").out
    if what == "empty":
        for part in ("snapshots", "entities"):
            shutil.rmtree(lossy / part)
    else:
        (lossy / "entities/tags/odd.json").write_text("{")
    lumos("snap", "sync", "--apply", "--yes")
    assert lumos("snap", "sync", "--losses").out == kept


def test_what_the_catalog_changed_since_comes_with_what_git_has_kept(
    lossy: Path, lumos: Lumos
) -> None:
    said = {"name": "odd", "description": "New"}
    InLite(lossy / ".lumos/datahub.db").write("urn:li:tag:odd", {"tagProperties": said}, "jdoe")
    shutil.rmtree(lossy / "entities/tags")
    assert lumos("snap", "import", "--from", "lite", "--kind", "tags").code == 0
    said = json.loads((lossy / "entities/tags/odd.json").read_text())
    assert said == {
        "lumos_version": "1.0.0",
        "id": "odd",
        "name": "odd",
        "description": "New",
        "properties": {"a": "b"},
    }
