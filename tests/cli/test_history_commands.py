"""`lumos snap log`, `blame` and `predict`, as a person calls them."""

import json
import subprocess
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from lumos_snap.commands.schema import generate_schema
from tests.cli.conftest import Lumos, Ran

ORDERS = "snapshots/iceberg/lake/silver/orders.json"


def _valid(ran: Ran, name: str) -> Any:
    assert ran.code in (0, 1), ran.err
    Draft202012Validator(orjson.loads(generate_schema(f"output/{name}"))).validate(ran.json)
    return ran.json


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def changed(shop: Path, lumos: Lumos) -> Path:
    """The shop after a second commit, which drops the last column of orders."""
    held = json.loads((shop / ORDERS).read_bytes())
    held["schema"]["fields"][-1]["name"] += "_new"
    held["schema"]["fields"][-1].pop("id", None)
    (shop / ORDERS).write_text(json.dumps(held))
    lumos("snap", "fmt")
    _git(shop, "commit", "-qam", "A new name\x1b[31m")
    return shop


class TestLog:
    def test_says_what_each_commit_changed(self, lumos: Lumos, changed: Path) -> None:
        ran = lumos("snap", "log", "silver/orders")
        assert ran.code == 0
        lines = ran.out.splitlines()
        short = _git(changed, "rev-parse", "HEAD")[:10]
        assert lines[0].startswith(f"{short}  2026-01-15  Jane Smith")
        assert "\x1b" not in ran.out
        assert any("  ✗ " in line and "field-removed" in line for line in lines)
        assert lines[-1] == "2 commits changed lumos://iceberg/lake/silver/orders"

    def test_answers_machines(self, lumos: Lumos, changed: Path) -> None:
        found = _valid(lumos("snap", "log", "silver/orders", "--json"), "log")
        assert [one["bump"] for one in found["entries"]] == ["major", "minor"]

    def test_asks_about_a_column(self, lumos: Lumos, changed: Path) -> None:
        held = json.loads((changed / ORDERS).read_bytes())
        first = held["schema"]["fields"][0]["name"]
        found = lumos("snap", "log", "silver/orders", "--field", first, "--json").json
        assert (found["field"], len(found["entries"])) == (first, 1)
        assert lumos("snap", "log", "silver/orders", "--field", "zzz").code == 2

    def test_is_cut_at_a_limit(self, lumos: Lumos, changed: Path) -> None:
        ran = lumos("snap", "log", "silver/orders", "--limit", "1")
        assert "… and more: --limit 0 shows all" in ran.out
        assert (
            lumos("snap", "log", "silver/orders", "--at", "HEAD~1", "--json").json["source"]
            == "HEAD~1"
        )

    def test_tells_a_tree_over_a_period(self, lumos: Lumos, changed: Path) -> None:
        ran = lumos("snap", "log", "--since", "2020-01-01", "--limit", "1")
        assert ran.code == 0
        lines = ran.out.splitlines()
        assert lines[0].startswith("DATASET")
        assert lines[1].startswith("iceberg/lake/silver/orders")
        assert "more dataset" in lines[2]
        assert "2026-W03" in ran.out
        _valid(lumos("snap", "log", "--since", "HEAD~1", "--json"), "log-since")
        assert lumos("snap", "log", "--since", "HEAD").out == "no dataset changed since HEAD\n"

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            ([], "name a dataset, or a period with --since"),
            (["--since", "v9"], "'v9' is neither a branch, tag or commit nor a date"),
            (["--since", "2020-01-01", "--field", "a"], "name its dataset"),
            (["zzz"], "there is no dataset 'zzz'"),
            (["silver/orders", "--field", "a["], "is not a field path"),
            (["silver/orders", "--at", "nope"], "no such branch, tag or commit"),
        ],
    )
    def test_refuses_what_it_cannot_answer(
        self, lumos: Lumos, shop: Path, arguments: list[str], says: str
    ) -> None:
        ran = lumos("snap", "log", *arguments)
        assert (ran.code, says in ran.err) == (2, True), ran.err

    def test_an_author_may_be_anybody(self, lumos: Lumos, shop: Path) -> None:
        stream = (
            b"commit refs/heads/odd\nauthor  <> 0 +0000\ncommitter \x1b[1m\xff <c> 9 +0000\n"
            b"data 1\n\xff\nfrom refs/heads/main^0\n"
            b"M 100644 inline " + ORDERS.encode() + b"\ndata 1\n{\n\n"
        )
        subprocess.run(["git", "fast-import", "--quiet"], cwd=shop, input=stream, check=True)
        ran = lumos("snap", "log", "--at", "odd", ORDERS)
        assert "(no name)" in ran.out
        assert "? this version cannot be read: 1:2: is not valid JSON" in ran.out
        _valid(lumos("snap", "log", "--at", "odd", ORDERS, "--json"), "log")


class TestBlame:
    def test_names_the_commit_of_each_column(self, lumos: Lumos, changed: Path) -> None:
        ran = lumos("snap", "blame", "silver/orders")
        assert ran.code == 0
        head, *rows = ran.out.splitlines()
        assert head.split()[:3] == ["SINCE", "DATE", "AUTHOR"]
        new, old = (_git(changed, "rev-parse", ref)[:10] for ref in ("HEAD", "HEAD~1"))
        assert sum(row.startswith(new) for row in rows) > 0
        assert {row[:10] for row in rows[:-1]} == {new, old}
        found = _valid(lumos("snap", "blame", "silver/orders", "--json"), "blame")
        assert len(found["columns"]) == len(rows) - 1

    def test_says_what_is_not_committed(self, lumos: Lumos, shop: Path) -> None:
        held = json.loads((shop / ORDERS).read_bytes())
        held["schema"]["fields"].append({"name": "zzz", "type": "DATE", "nullable": True})
        (shop / ORDERS).write_text(json.dumps(held))
        ran = lumos("snap", "blame", "silver/orders")
        (row,) = [line for line in ran.out.splitlines() if " zzz " in line]
        assert row.startswith("not committed")
        assert "not committed" not in lumos("snap", "blame", "silver/orders", "--at", "main").out
        _valid(lumos("snap", "blame", "silver/orders", "--json"), "blame")

    def test_says_where_a_shallow_clone_ends(
        self, lumos: Lumos, changed: Path, tmp_path: Path
    ) -> None:
        _git(tmp_path, "clone", "-q", "--depth", "1", f"file://{changed}", "clone")
        ran = lumos("snap", "blame", "silver/orders", "-C", tmp_path / "clone")
        assert "history ends at " in ran.out
        assert ran.out.splitlines()[1].startswith("≤ ")
        assert (
            "history ends at "
            in lumos("snap", "log", "silver/orders", "-C", tmp_path / "clone").out
        )

    def test_a_broken_snapshot_has_no_columns(self, lumos: Lumos, shop: Path) -> None:
        (shop / ORDERS).write_text("{")
        ran = lumos("snap", "blame", ORDERS)
        assert (ran.code, f"{ORDERS}:1:" in ran.err) == (2, True)


class TestPredict:
    def test_judges_before_anything_is_written(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        held = json.loads((shop / ORDERS).read_bytes())
        proposal = tmp_path / "schema.json"
        proposal.write_text(json.dumps({"fields": held["schema"]["fields"]}))
        ran = lumos("snap", "predict", "silver/orders", proposal)
        assert (ran.code, ran.out.startswith("PASS: ")) == (0, True)
        more = [*held["schema"]["fields"], {"name": "zzz", "type": "DECIMAL(12,2)"}]
        proposal.write_text(json.dumps(more))
        ran = lumos("snap", "predict", "silver/orders", proposal)
        assert (ran.code, "+ SC003 field-added: zzz was added" in ran.out) == (0, True)
        assert (
            lumos("snap", "predict", "silver/orders", proposal, "--fail-on", "non-breaking").code
            == 1
        )
        proposal.write_text(json.dumps(more[1:]))
        ran = lumos("snap", "predict", "silver/orders", proposal, "--json")
        assert (ran.code, _valid(ran, "predict")["verdict"]) == (1, "fail")
        assert "    → " in lumos("snap", "predict", "silver/orders", proposal).out
        assert lumos("snap", "predict", "silver/orders", proposal, "--fail-on", "none").code == 0
        assert _git(shop, "status", "--porcelain") == ""

    def test_a_schema_that_cannot_be_understood_is_named_with_its_place(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        proposal = tmp_path / "schema.json"
        proposal.write_text('[{"name": "a",\n  "type": "NUMERIC(3)"}]')
        ran = lumos("snap", "predict", "silver/orders", proposal)
        assert (ran.code, f"{proposal}:2:3: " in ran.err) == (2, True)
        assert lumos("snap", "predict", "silver/orders", tmp_path / "nope.json").code == 2
        assert lumos("snap", "predict", "zzz", proposal).code == 2
