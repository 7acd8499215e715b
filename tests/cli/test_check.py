"""`lumos snap check`, and what it adds to `diff`, as a person calls them, on real repositories."""

import subprocess
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from jsonschema import Draft202012Validator

from lumos_snap.canonical.encode import encode_document
from lumos_snap.commands.schema import read_schema
from lumos_snap.model.observation import Observation
from lumos_snap.model.snapshot import Snapshot
from tests.cli.conftest import Lumos, Ran

RAW = "snapshots/s3/shop-lake/raw/orders.json"
ORDERS = "snapshots/postgres/shop/public/orders.json"
READING = "observations/s3/shop-lake/raw/orders.json"


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def ask(folder: Path, **policy: Any) -> None:
    settings = yaml.safe_load((folder / "lumos.yaml").read_text())
    (folder / "lumos.yaml").write_text(yaml.safe_dump({**settings, "policy": policy}))


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Change")


def edit(path: Path, **sections: Any) -> None:
    document = orjson.loads(path.read_bytes())
    document.update(sections)
    kept = {name: held for name, held in document.items() if held is not None}
    path.write_bytes(encode_document(kept, Snapshot))


def valid(ran: Ran, name: str = "check") -> Any:
    Draft202012Validator(orjson.loads(read_schema(f"output/{name}"))).validate(ran.json)
    return ran.json


DOMAIN = {"what": "governance.domain"}


class TestTheWholeTree:
    def test_settings_that_ask_for_nothing_pass_and_say_so(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("snap", "check")
        assert ran.code == 0
        assert "lumos.yaml asks for nothing" in ran.out
        assert ran.out.endswith("12 datasets checked in the working tree\nPASS\n")

    def test_what_is_missing_fails_and_names_file_line_and_rule(
        self, lumos: Lumos, shop: Path
    ) -> None:
        ask(shop, require=[DOMAIN])
        edit(shop / RAW, governance={"tags": ["a"]})
        ran = lumos("snap", "check")
        assert ran.code == 1
        lines = (shop / RAW).read_text().splitlines()
        line = next(n for n, text in enumerate(lines, 1) if text.startswith('  "governance"'))
        head = f"{RAW}\n  ✗ {line}: PO001 required-missing: governance.domain is required, and"
        assert head in ran.out
        assert ran.out.endswith("1 blocking\nFAIL: 1 breach of policy\n")

    def test_json_answers_to_its_schema(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, require=[{**DOMAIN, "level": "warn"}], owners=[{"least": 9}])
        edit(shop / RAW, governance=None)
        report = valid(lumos("snap", "check", "--json"))
        assert report["verdict"] == "fail"
        assert report["checked"] == 12
        assert report["counts"] == {"blocking": 12, "other": 1, "waived": 0}
        assert report["reasons"] == ["12 breaches of policy"]
        assert {one["family"] for one in report["findings"]} == {"policy"}
        assert {one["bump"] for one in report["findings"]} == {"none"}

    def test_a_warning_fails_only_where_that_is_asked(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, require=[{**DOMAIN, "level": "warn"}])
        edit(shop / RAW, governance=None)
        assert lumos("snap", "check").code == 0
        assert lumos("snap", "check", "--fail-on", "non-breaking").code == 1

    def test_nothing_fails_where_nothing_shall(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, owners=[{"least": 9}])
        assert lumos("snap", "check", "--fail-on", "none").code == 0

    def test_datasets_may_be_named(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, owners=[{"least": 9}])
        report = valid(lumos("snap", "check", "--json", "postgres/**", RAW))
        assert {one["path"].split("/")[1] for one in report["findings"]} == {"postgres", "s3"}
        assert lumos("snap", "check", "no/such/dataset").code == 2

    def test_a_limit_says_how_much_it_hides(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, owners=[{"least": 9}])
        ran = lumos("snap", "check", "--limit", "5")
        assert "… and 7 more findings: --limit 0 shows all" in ran.out
        assert ran.code == 1

    def test_a_file_that_cannot_be_read_is_never_green(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, require=[DOMAIN])
        (shop / RAW).write_text("{")
        ran = lumos("snap", "check")
        assert ran.code == 1
        assert "1 invalid file" in ran.out

    def test_a_file_in_another_layout_is_read_and_lines_are_those_of_the_file(
        self, lumos: Lumos, shop: Path
    ) -> None:
        ask(shop, naming=[{"of": "columns", "pattern": "[^c].*"}])
        document = orjson.loads((shop / ORDERS).read_bytes())
        (shop / ORDERS).write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))
        (one, *_) = valid(lumos("snap", "check", "--json", ORDERS))["findings"]
        text = (shop / ORDERS).read_text().splitlines()
        around = "".join(text[one["line"] - 1 : one["line"] + 1])
        assert f'"{one["field"]}"' in around

    def test_a_pattern_that_covers_nothing_is_named(self, lumos: Lumos, shop: Path) -> None:
        idle = {"match": "s3/shop-lak/**", "reason": "raw"}
        ask(shop, require=[{**DOMAIN, "match": "s3/**"}, {**DOMAIN, "except": [idle]}])
        ran = lumos("snap", "check")
        assert ran.code == 0
        assert "lumos.yaml: the pattern `s3/shop-lak/**` covers no dataset" in ran.out
        assert "`s3/**`" not in ran.out
        assert "covers no dataset" not in lumos("snap", "check", RAW).out


class TestAge:
    def test_it_is_what_the_latest_reading_says(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, freshness=[{"days": 36_500, "match": "s3/shop-lake/raw/orders"}])
        reading = {
            "lumos_version": "1.0.0",
            "urn": "lumos://s3/shop-lake/raw/orders",
            "data": {"last_modified": "2001-01-01T00:00:00Z"},
        }
        (shop / READING).unlink(missing_ok=True)
        assert "PO008 age-unknown" in lumos("snap", "check").out
        (shop / READING).parent.mkdir(parents=True, exist_ok=True)
        (shop / READING).write_bytes(encode_document(reading, Observation))
        assert lumos("snap", "check").code == 0
        ask(shop, freshness=[{"days": 1, "match": "s3/shop-lake/raw/orders"}])
        ran = lumos("snap", "check")
        assert ran.code == 1
        assert "PO007 stale: the data is older than 1 day: " in ran.out
        assert "since 2001-01-01" in ran.out

    def test_a_reading_that_cannot_be_read_is_never_green(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, freshness=[{"days": 36_500, "match": "s3/shop-lake/raw/orders"}])
        (shop / READING).parent.mkdir(parents=True, exist_ok=True)
        (shop / READING).write_text("[]")
        assert lumos("snap", "check").code == 1


class TestWhatChanged:
    def test_only_that_is_looked_at(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, owners=[{"least": 9}])
        commit(shop)
        ran = lumos("snap", "check", "--base", "main")
        assert (ran.code, "0 datasets that differ from main" in ran.out) == (0, True)
        edit(shop / RAW, documentation={"description": "New words"})
        report = valid(lumos("snap", "check", "--base", "main", "--json"))
        assert [one["path"] for one in report["findings"]] == [RAW]
        assert "1 dataset that differs from main" in lumos("snap", "check", "--base", "main").out
        assert report["base"]["name"] == "main"

    def test_what_the_settings_asked_before_is_still_asked(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, owners=[{"least": 9}])
        commit(shop)
        ask(shop)
        edit(shop / RAW, documentation={"description": "New words"})
        report = valid(lumos("snap", "check", "--base", "main", "--json"))
        (one,) = report["findings"]
        assert "the policy of main decides" in one["decisions"][-1]["says"]

    def test_a_base_that_there_is_not_is_no_pass(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, require=[DOMAIN])
        ran = lumos("snap", "check", "--base", "nowhere")
        assert (ran.code, ran.out) == (3, "")


class TestInsideDiff:
    def test_a_dataset_that_is_touched_must_be_what_the_policy_asks(
        self, lumos: Lumos, shop: Path
    ) -> None:
        ask(shop, require=[DOMAIN])
        edit(shop / RAW, governance=None)
        commit(shop)
        assert lumos("snap", "diff").code == 0
        edit(shop / RAW, documentation={"description": "New words"})
        ran = lumos("snap", "diff")
        assert ran.code == 1
        assert "PO001 required-missing" in ran.out
        assert ran.out.endswith("FAIL: 1 breach of policy  [next version: patch]\n")
        report = valid(lumos("snap", "diff", "--json"), "diff")
        found = [one for one in report["datasets"][0]["findings"] if one["family"] == "policy"]
        assert [(one["path"], one["blocks"], one["bump"]) for one in found] == [(RAW, True, "none")]

    def test_a_policy_that_asks_for_nothing_leaves_the_report_as_it_was(
        self, lumos: Lumos, shop: Path
    ) -> None:
        edit(shop / RAW, documentation={"description": "New words"})
        (dataset,) = lumos("snap", "diff", "--json").json["datasets"]
        assert {one["family"] for one in dataset["findings"]} == {"governance"}

    def test_how_old_data_is_is_no_matter_of_a_change(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, freshness=[{"days": 0}])
        edit(shop / RAW, documentation={"description": "New words"})
        assert lumos("snap", "diff").code == 0

    def test_a_dataset_that_goes_lacks_nothing(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, owners=[{"least": 9}])
        commit(shop)
        (shop / RAW).unlink()
        (dataset,) = lumos("snap", "diff", "--json").json["datasets"]
        assert {one["family"] for one in dataset["findings"]} == {"history"}

    def test_a_loosened_policy_still_asks(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, owners=[{"least": 9}])
        commit(shop)
        ask(shop, owners=[{"least": 9, "level": "warn"}])
        edit(shop / RAW, documentation={"description": "New words"})
        ran = lumos("snap", "diff")
        assert ran.code == 1
        assert "PO003 owner-missing" in ran.out


class TestWaivers:
    def test_a_finding_of_a_policy_is_explained_and_waived_like_any_other(
        self, lumos: Lumos, shop: Path
    ) -> None:
        ask(shop, owners=[{"least": 9}])
        commit(shop)
        edit(shop / RAW, documentation={"description": "New words"})
        (dataset,) = lumos("snap", "diff", "--json").json["datasets"]
        mark = next(o["fingerprint"] for o in dataset["findings"] if o["family"] == "policy")
        assert "policy.owners asks it of `**`: block" in lumos("snap", "explain", mark).out
        assert lumos("snap", "waive", mark, "--reason", "agreed").code == 0
        assert lumos("snap", "diff").code == 0
        report = valid(lumos("snap", "check", "--json", RAW))
        assert (report["verdict"], report["counts"]["waived"]) == ("pass", 1)

    def test_so_is_one_of_a_dataset_that_has_not_changed(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, owners=[{"least": 9, "match": "s3/shop-lake/raw/orders"}])
        commit(shop)
        (found,) = lumos("snap", "check", "--json").json["findings"]
        mark = found["fingerprint"]
        assert "asks it of `s3/shop-lake/raw/orders`" in lumos("snap", "explain", mark[:8]).out
        assert lumos("snap", "waive", mark, "--reason", "agreed").code == 0
        assert lumos("snap", "check").code == 0
        assert lumos("snap", "explain", "0000").code == 2

    def test_a_waiver_that_expired_fails_again_and_is_named(self, lumos: Lumos, shop: Path) -> None:
        ask(shop, owners=[{"least": 9}])
        (shop / "waivers").mkdir()
        waiver = {
            "rule": "owner-missing",
            "dataset": "**",
            "reason": "old",
            "owner": "sales",
            "expires": "2020-01-01",
        }
        (shop / "waivers/old.yaml").write_text(yaml.safe_dump({"version": 1, "waivers": [waiver]}))
        ran = lumos("snap", "check")
        assert ran.code == 1
        assert "waivers/old.yaml: the waiver expired on 2020-01-01" in ran.out


@pytest.mark.parametrize("command", [["check"], ["check", "--base", "HEAD"], ["diff"]])
@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ({"require": [{"what": "governance.domian"}]}, "did you mean `governance.domain`?"),
        ({"requires": []}, "requires"),
        ({"naming": [{"of": "columns", "pattern": "("}]}, "unsupported regular expression"),
        ({"owners": [{"least": 0}]}, "least"),
        ({"freshness": [{}]}, "days"),
    ],
)
def test_a_slip_in_the_settings_is_one_line_and_exit_2(
    lumos: Lumos, shop: Path, command: list[str], policy: dict[str, Any], says: str
) -> None:
    ask(shop, **policy)
    ran = lumos("snap", *command)
    assert (ran.code, ran.out) == (2, "")
    assert "lumos.yaml" in ran.err
    assert says in ran.err
    assert ran.err.count("\n") <= 2


def test_hostile_names_are_told_in_full_and_obeyed_by_nobody(lumos: Lumos, shop: Path) -> None:
    ask(shop, naming=[{"of": "columns", "pattern": "[a-z_]+"}])
    document = orjson.loads((shop / RAW).read_bytes())
    for name in ("::error::x", "a\x1b[31m", "a\n::warning::b", "<script>", "@everyone"):
        document["schema"]["fields"].append({"name": name, "type": "STRING", "nullable": True})
    (shop / RAW).write_bytes(encode_document(document, Snapshot))
    out = lumos("snap", "check", RAW).out
    assert "\x1b" not in out
    assert not [line for line in out.splitlines() if line.startswith("::")]
