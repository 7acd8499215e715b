"""`lumos snap verify`: what moved is looked at, on both sides, by somebody who trusts neither."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Lumos
from tests.cli.lake import git

ORDERS = "lumos://s3/shop-lake/raw/orders"


@pytest.fixture
def moved(shop: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shop, synced with a folder and with DataHub Lite, and exported."""
    monkeypatch.setenv("HOME", str(shop.parent))
    with (shop / "lumos.yaml").open("a") as settings:
        copy, lite = "{name: copy, type: files, path: ../copy}", "{name: lite, type: datahub-lite}"
        settings.write(f"catalogs: [{copy}, {lite}]\n")
    git(shop, "commit", "-aqm", "Two catalogs")
    for name in ("copy", "lite"):
        assert lumos("snap", "sync", "--to", name, "--apply", "--yes").code == 0
    assert lumos("snap", "export", "-o", "../shop.json").code == 0
    return shop


def found(lumos: Lumos, source: str, target: str) -> tuple[int, Any]:
    ran = lumos("snap", "verify", "--source", source, "--target", target, "--json")
    return ran.code, ran.json


SIDES = ("tree", "copy", "lite", "../shop.json")


def test_all_that_was_moved_is_the_same_everywhere(moved: Path, lumos: Lumos) -> None:
    for source, target in itertools.permutations(SIDES, 2):
        code, report = found(lumos, source, target)
        assert code == 0, json.dumps(report)
        for name in ("missing", "additional", "different", "unreadable"):
            assert report[name] == []
        counts = {one["what"]: (one["source"], one["target"]) for one in report["counts"]}
        assert counts["datasets"] == (12, 12)
        assert counts["lineage edges"][0] == counts["lineage edges"][1] > 0
        assert not report["lost"] or "lite" in (source, target)


def test_what_differs_is_named(moved: Path, lumos: Lumos) -> None:
    copy = moved.parent / "copy"
    path = copy / "snapshots/s3/shop-lake/raw/orders.json"
    path.write_text(
        path.read_text().replace('"currency", "type": "STRING"', '"currency", "type": "INT32"')
    )
    (copy / "snapshots/delta/lake/gold/daily_revenue.json").unlink()
    (copy / "entities/tags").mkdir(exist_ok=True)
    (copy / "entities/tags/more.json").write_text('{"lumos_version": "1.0.0", "id": "more"}')
    code, report = found(lumos, "tree", "copy")
    assert code == 1
    assert [one["id"] for one in report["missing"]] == ["lumos://delta/lake/gold/daily_revenue"]
    assert [one["id"] for one in report["additional"]] == ["more"]
    (different,) = report["different"]
    assert different["id"] == ORDERS
    assert [(one["subject"], one["field"]) for one in different["changes"]] == [
        ("field.type", "currency")
    ]
    named = {(one["side"], one["id"]) for one in report["dangling"]}
    assert ("target", "lumos://delta/lake/gold/daily_revenue") in named
    assert ("source", "lumos://delta/lake/gold/daily_revenue") not in named
    told = lumos("snap", "verify", "--source", "tree", "--target", "copy").out
    assert "~ s3/shop-lake/raw/orders  differs\n    ~ field.type currency: STRING → INT32\n" in told
    assert told.splitlines()[-1].startswith(
        "`tree` and `copy`: 1 missing, 1 additional, 1 different"
    )


def test_what_the_target_cannot_hold_is_named_and_is_no_difference(
    moved: Path, lumos: Lumos
) -> None:
    path = next((moved / "entities/groups").rglob("*.json"))
    path.write_text(json.dumps({**json.loads(path.read_text()), "properties": {"floor": "3"}}))
    assert lumos("snap", "fmt", path).code == 0
    long = {
        "lumos_version": "1.0.0",
        "document": "lumos-export",
        "tags": [{"lumos_version": "1.0.0", "id": "x" * 600}],
        "statistics": {"datasets": 0, "lineage_edges": 0, "owners": 0, "tags": 0},
    }
    (moved.parent / "long.json").write_text(json.dumps(long))
    assert lumos("snap", "import", "../long.json").code == 0
    for source, target, side in (("tree", "lite", "target"), ("lite", "tree", "source")):
        code, report = found(lumos, source, target)
        assert code == 0, json.dumps(report)
        lost = {(one["id"][:1], one["at"], one["side"]) for one in report["lost"]}
        assert ("x", "", side) in lost
        assert ("properties", side) in {(at, one) for _, at, one in lost}


def test_a_side_that_cannot_be_read_is_another_matter(moved: Path, lumos: Lumos) -> None:
    path = moved.parent / "copy/snapshots/s3/shop-lake/raw/orders.json"
    path.write_text("{")
    code, report = found(lumos, "copy", "tree")
    assert code == 3
    assert [(one["side"], one["id"]) for one in report["unreadable"]] == [("source", ORDERS)]
    assert report["additional"] == report["missing"] == []
    (moved / "entities/domains/commerce.json").write_text("{")
    (moved / "snapshots/delta/lake/gold/daily_revenue.json").write_text("{")
    code, report = found(lumos, "tree", "lite")
    assert (code, report["additional"], report["missing"]) == (3, [], [])
    assert {(one["kind"], one["id"]) for one in report["unreadable"]} == {
        ("domain", "commerce"),
        ("snapshot", "lumos://delta/lake/gold/daily_revenue"),
    }
    ran = lumos("snap", "verify", "--source", "tree", "--target", "nowhere")
    assert (ran.code, "there is no catalog `nowhere`" in ran.err) == (2, True)
    (moved / ".lumos/datahub.db").write_bytes(b"no store" * 100)
    assert lumos("snap", "verify", "--source", "tree", "--target", "lite").code == 3
