"""`lumos snap diff`, `explain` and `waive`, as a person calls them, on real repositories."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot
from tests.cli.conftest import Lumos, Ran

SCHEMAS = Path(__file__).parents[2] / "snapshot-schema"
RAW = "snapshots/s3/shop-lake/raw/orders.json"
ORDERS = "snapshots/postgres/shop/public/orders.json"
Edit = Callable[[dict[str, Any]], object]


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def edit(path: Path, change: Edit) -> None:
    document = orjson.loads(path.read_bytes())
    change(document)
    path.write_bytes(encode_document(document, Snapshot))


def commit(folder: Path, message: str = "Change") -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message, "--allow-empty")


def column(document: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(f for f in document["schema"]["fields"] if f["name"] == name)
    return found


def drop(name: str) -> Edit:
    return lambda document: document["schema"]["fields"].remove(column(document, name))


def add(name: str, **more: Any) -> Edit:
    field = {"name": name, "type": "STRING", "nullable": True, **more}
    return lambda document: document["schema"]["fields"].append(field)


def retype(name: str, **more: Any) -> Edit:
    return lambda document: column(document, name).update(more)


def findings(ran: Ran) -> list[dict[str, Any]]:
    return [one for dataset in ran.json["datasets"] for one in dataset["findings"]]


def rules(ran: Ran) -> list[str]:
    return [one["slug"] for one in findings(ran)]


def valid(ran: Ran, name: str = "diff") -> None:
    schema = SCHEMAS / f"output/{name}.schema.json"
    Draft202012Validator(orjson.loads(schema.read_bytes())).validate(ran.json)


class TestSides:
    def test_without_a_base_it_is_what_is_not_committed(self, lumos: Lumos, shop: Path) -> None:
        assert lumos("snap", "diff").out.endswith("nothing changed\nPASS\n")
        edit(shop / ORDERS, drop("coupon"))
        ran = lumos("snap", "diff")
        assert ran.code == 1
        assert "SC001 field-removed: coupon was removed" in ran.out

    def test_a_stale_branch_shows_only_its_own_changes(self, lumos: Lumos, shop: Path) -> None:
        git(shop, "checkout", "-qb", "feature")
        edit(shop / RAW, add("extra"))
        commit(shop)
        git(shop, "checkout", "-q", "main")
        edit(shop / ORDERS, drop("coupon"))
        commit(shop, "Main moves on")
        git(shop, "checkout", "-q", "feature")
        ran = lumos("snap", "diff", "--base", "main", "--json")
        valid(ran)
        assert (ran.code, rules(ran)) == (0, ["field-added"])
        assert ran.json["base"]["how"] == "merge base of main and HEAD"
        behind = lumos("snap", "diff", "--base", "main", "--no-merge-base", "--json")
        assert set(rules(behind)) == {
            "field-added"
        }  # main's removal, seen backwards, is an addition
        assert behind.json["counts"]["datasets"] == 2

    def test_two_commits_are_compared_without_a_checkout(self, lumos: Lumos, shop: Path) -> None:
        git(shop, "tag", "v1")
        edit(shop / ORDERS, drop("coupon"))
        commit(shop)
        git(shop, "checkout", "-q", "v1")
        ran = lumos("snap", "diff", "--base", "v1", "--head", "main", "--json")
        assert (ran.code, rules(ran)) == (1, ["field-removed"])
        assert ran.json["head"] == {"name": "main", "commit": git(shop, "rev-parse", "main")}

    def test_a_tree_that_moved_does_not_pass_for_an_old_one(
        self, lumos: Lumos, shop: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All of it counts as added: what was removed on the way cannot be seen, and is said."""
        (shop / "elsewhere").mkdir()
        for name in ("lumos.yaml", "snapshots", "entities"):
            git(shop, "mv", name, f"elsewhere/{name}")
        monkeypatch.chdir(shop / "elsewhere")
        ran = lumos("snap", "diff", "--base", "main")
        assert "the base has no tree in this folder: all that is in it counts as added" in ran.out
        monkeypatch.chdir(shop)
        git(shop, "reset", "-q", "--hard")
        assert "no tree in this folder" not in lumos("snap", "diff", "--base", "main").out

    def test_two_folders_are_compared_without_git(
        self, lumos: Lumos, root: Path, empty: Path
    ) -> None:
        for name in ("old", "new"):
            shutil.copytree(root / "examples/shop", empty / name)
        edit(empty / "new" / ORDERS, drop("coupon"))
        (empty / "new" / RAW).unlink()
        ran = lumos("snap", "diff", "old", "new", "--json")
        valid(ran)
        assert sorted(rules(ran)) == ["dataset-removed", "field-removed"]
        assert lumos("snap", "diff", "old", "old").code == 0

    def test_a_dataset_or_a_pattern_limits_it(self, lumos: Lumos, shop: Path) -> None:
        for path in (ORDERS, RAW):
            edit(shop / path, add("extra"))
        for name in (
            ORDERS,
            "lumos://postgres/shop/public/orders",
            "postgres/shop/public/orders",
            "public/orders",
            "postgres/**",
        ):
            ran = lumos("snap", "diff", name, "--json")
            assert [one["path"] for one in ran.json["datasets"]] == [ORDERS], name
        assert lumos("snap", "diff", "orders", "--json").json["counts"]["datasets"] == 2

    @pytest.mark.parametrize(
        "what", [("nosuch",), ("s3/nowhere/**",), ("nosuch/", "nowhere/"), (".", "nowhere")]
    )
    def test_what_is_no_dataset_is_refused(
        self, lumos: Lumos, shop: Path, what: tuple[str, ...]
    ) -> None:
        edit(shop / ORDERS, drop("coupon"))
        ran = lumos("snap", "diff", *what)
        assert ran.code == 2
        assert "there is no dataset" in ran.err

    def test_a_dataset_that_did_not_change_is_no_mistake(self, lumos: Lumos, shop: Path) -> None:
        edit(shop / ORDERS, drop("coupon"))
        assert lumos("snap", "diff", "s3/shop-lake/raw/orders").code == 0
        assert lumos("snap", "diff", "postgres").code == 1
        assert lumos("snap", "diff", str(shop / ORDERS)).code == 1

    def test_none_is_the_base_of_a_first_release(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("snap", "diff", "--base", "none", "--json")
        valid(ran)
        assert ran.code == 0
        assert set(rules(ran)) == {"dataset-added"}
        assert ran.json["counts"]["datasets"] == len(list(shop.glob("snapshots/**/*.json")))

    def test_a_base_that_had_no_tree_shows_everything_as_new(
        self, lumos: Lumos, empty: Path
    ) -> None:
        git(empty, "init", "-qb", "main")
        git(empty, "commit", "-qm", "Nothing yet", "--allow-empty")
        lumos("snap", "init")
        (empty / "snapshots/s3").mkdir(parents=True)
        document = {"lumos_version": "1.0.0", "urn": "lumos://s3/a", "name": "a", "platform": "s3"}
        (empty / "snapshots/s3/a.json").write_bytes(encode_document(document, Snapshot))
        assert rules(lumos("snap", "diff", "--base", "main", "--json")) == ["dataset-added"]

    def test_a_repository_without_a_commit_says_so(self, lumos: Lumos, empty: Path) -> None:
        git(empty, "init", "-qb", "main")
        lumos("snap", "init")
        ran = lumos("snap", "diff")
        assert ran.code in (2, 3)
        assert "--base none" in ran.err

    def test_a_base_that_is_not_there_is_named(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("snap", "diff", "--base", "nowhere")
        assert ran.code == 3
        assert "nowhere: no such branch, tag or commit" in ran.err

    def test_a_shallow_clone_is_deepened_and_answers(
        self, lumos: Lumos, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        git(shop, "checkout", "-qb", "feature")
        edit(shop / ORDERS, drop("coupon"))
        commit(shop)
        git(shop, "checkout", "-q", "main")
        edit(shop / RAW, add("extra"))
        commit(shop)
        clone = tmp_path / "clone"
        git(tmp_path, "clone", "-q", "--depth=1", "--branch=feature", shop.as_uri(), str(clone))
        monkeypatch.chdir(clone)
        refused = lumos("snap", "diff", "--base", "main", "--no-fetch")
        assert refused.code in (2, 3)
        ran = lumos("snap", "diff", "--base", "main", "--json")
        assert (ran.code, rules(ran)) == (1, ["field-removed"])
        assert "git fetch --deepen" in ran.err

    def test_a_shallow_clone_without_its_remote_cannot_decide(
        self, lumos: Lumos, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        git(shop, "checkout", "-qb", "feature")
        edit(shop / ORDERS, drop("coupon"))
        commit(shop)
        git(shop, "checkout", "-q", "main")
        edit(shop / RAW, add("extra"))
        commit(shop)
        clone = tmp_path / "clone"
        options = ("--depth=1", "--no-single-branch", "--branch=feature")
        git(tmp_path, "clone", "-q", *options, shop.as_uri(), str(clone))
        shop.rename(tmp_path / "gone")
        monkeypatch.chdir(clone)
        ran = lumos("snap", "diff", "--base", "main")
        assert ran.code == 3
        assert "→" in ran.err
        assert "PASS" not in ran.out


class TestDamage:
    def test_a_broken_file_at_the_head_fails_and_the_rest_goes_on(
        self, lumos: Lumos, shop: Path
    ) -> None:
        (shop / RAW).write_text('{"lumos_version": ')
        edit(shop / ORDERS, add("extra"))
        ran = lumos("snap", "diff", "--json")
        valid(ran)
        assert ran.code == 1
        assert ran.json["reasons"] == ["1 invalid file"]
        assert [one["path"] for one in ran.json["damaged"]] == [RAW]
        assert rules(ran) == ["field-added"]

    def test_a_broken_file_at_the_base_is_named_and_may_be_repaired(
        self, lumos: Lumos, shop: Path
    ) -> None:
        good = (shop / RAW).read_bytes()
        (shop / RAW).write_bytes(good[:100])
        commit(shop)
        (shop / RAW).write_bytes(good)
        edit(shop / ORDERS, add("extra"))
        ran = lumos("snap", "diff", "--json")
        valid(ran)
        assert (ran.code, ran.json["verdict"]) == (0, "pass")
        (remark,) = ran.json["remarks"]
        assert remark["path"] == RAW
        assert remark["message"].startswith("invalid at the base, so it cannot be compared: ")
        assert sorted(rules(ran)) == ["dataset-added", "field-added"]

    def test_a_broken_file_that_goes_is_a_removed_dataset(self, lumos: Lumos, shop: Path) -> None:
        (shop / RAW).write_bytes(b"{")
        commit(shop)
        (shop / RAW).unlink()
        ran = lumos("snap", "diff", "--json")
        valid(ran)
        assert (ran.code, rules(ran)) == (1, ["dataset-removed"])

    def test_a_broken_file_that_nobody_touches_blocks_nothing(
        self, lumos: Lumos, shop: Path
    ) -> None:
        (shop / RAW).write_bytes(b"{")
        commit(shop)
        edit(shop / ORDERS, add("extra"))
        assert lumos("snap", "diff").code == 0

    def test_what_surely_fails_fails_even_where_some_is_open(
        self, lumos: Lumos, shop: Path
    ) -> None:
        good = (shop / RAW).read_bytes()
        (shop / RAW).write_bytes(b"{")
        commit(shop)
        (shop / RAW).write_bytes(good)
        edit(shop / ORDERS, drop("coupon"))
        assert lumos("snap", "diff").code == 1

    def test_a_removed_file_is_a_removed_dataset(self, lumos: Lumos, shop: Path) -> None:
        (shop / RAW).unlink()
        ran = lumos("snap", "diff", "--json")
        (one,) = findings(ran)
        assert (one["slug"], one["line"], one["path"]) == ("dataset-removed", 0, RAW)

    def test_a_document_of_a_wrong_structure_is_damage(self, lumos: Lumos, shop: Path) -> None:
        text = (shop / RAW).read_text()
        (shop / RAW).write_text(text.replace('"INT64"', '"INT65"', 1))
        ran = lumos("snap", "diff", "--json")
        assert ran.code == 1
        (one,) = ran.json["damaged"]
        assert (one["path"], one["rule"]) == (RAW, "structure")
        assert one["line"] > 1

    def test_a_link_in_place_of_a_file_is_damage(self, lumos: Lumos, shop: Path) -> None:
        (shop / RAW).unlink()
        (shop / RAW).symlink_to(shop / ORDERS)
        ran = lumos("snap", "diff", "--json")
        assert ran.code == 1
        assert "it is a link" in ran.json["damaged"][0]["message"]

    def test_layout_is_no_change_and_lines_are_those_of_the_file(
        self, lumos: Lumos, shop: Path
    ) -> None:
        document = orjson.loads((shop / ORDERS).read_bytes())
        shuffled = {name: document[name] for name in reversed(document)}
        (shop / ORDERS).write_text(json.dumps(shuffled, indent=4))
        assert rules(lumos("snap", "diff", "--json")) == []
        column(document, "total")["precision"] = 20
        (shop / ORDERS).write_text(json.dumps(shuffled, indent=4))
        (one,) = findings(lumos("snap", "diff", "--json"))
        lines = (shop / ORDERS).read_text().splitlines()
        assert '"name": "total"' in "".join(lines[one["line"] - 1 : one["line"] + 2])


class TestVerdict:
    def test_each_finding_says_what_where_why_and_what_to_do(
        self, lumos: Lumos, shop: Path
    ) -> None:
        edit(shop / RAW, retype("customer_id", type="INT16"))
        edit(shop / RAW, lambda d: column(d, "placed_at").pop("timezone"))
        ran = lumos("snap", "diff", "--json")
        silent, refused = findings(ran)
        assert (silent["silent"], silent["slug"]) == (True, "timezone-flipped")
        assert "→" in silent["shows"]
        assert (refused["reader"], refused["silent"]) == ("spark-4", False)
        for one in (silent, refused):
            line = (shop / one["path"]).read_text().splitlines()[one["line"] - 1]
            assert f'"name": "{one["field"]}"' in line
            assert one["why"]
            assert one["fix"]
            assert re.fullmatch("[0-9a-f]{16}", one["fingerprint"])
        text = lumos("snap", "diff").out
        assert text.index("timezone-flipped") < text.index("type-narrowed")
        assert f"{RAW}:{silent['line']}" in text

    def test_what_breaks_nothing_is_folded(self, lumos: Lumos, shop: Path) -> None:
        for number in range(6):
            edit(shop / ORDERS, add(f"extra_{number}"))
        assert (
            "… and 3 more changes that break nothing: --all shows them" in lumos("snap", "diff").out
        )
        assert lumos("snap", "diff", "--all").out.count("field-added") == 6
        some = lumos("snap", "diff", "--all", "--limit", "2").out
        assert some.count("field-added") == 2
        assert "4 more changes: --limit 0 shows all" in some

    def test_fail_on_says_what_fails(self, lumos: Lumos, shop: Path) -> None:
        edit(shop / ORDERS, add("extra"))
        assert lumos("snap", "diff").code == 0
        assert lumos("snap", "diff", "--fail-on", "non-breaking").code == 1
        edit(shop / ORDERS, drop("coupon"))
        assert lumos("snap", "diff", "--fail-on", "none").code == 0
        settings = shop / "lumos.yaml"
        settings.write_text(settings.read_text() + "policy:\n  fail_on: none\n")
        assert lumos("snap", "diff").code == 1  # what it said before still judges
        git(shop, "commit", "-qm", "Policy", "--", "lumos.yaml")
        assert lumos("snap", "diff").code == 0
        assert lumos("snap", "diff", "--fail-on", "breaking").code == 1

    def test_a_policy_decides_by_path_and_by_rule(self, lumos: Lumos, shop: Path) -> None:
        edit(shop / ORDERS, drop("coupon"))
        edit(shop / RAW, add("extra"))
        settings = shop / "lumos.yaml"
        given = settings.read_text()

        def under(policy: str) -> dict[str, str]:
            settings.write_text(f"{given}policy:\n{policy}")
            git(shop, "commit", "-qm", "Policy", "--", "lumos.yaml")
            return {one["urn"]: one["level"] for one in findings(lumos("snap", "diff", "--json"))}

        orders, raw = "lumos://postgres/shop/public/orders", "lumos://s3/shop-lake/raw/orders"
        assert under("  preset: history\n")[orders] == "informational"
        path = "  paths:\n    - match: postgres/**\n      preset: history\n"
        assert under(path) == {orders: "informational", raw: "non-breaking"}
        rule = "  rules:\n    field-added: breaking\n    SC001: non-breaking\n"
        assert under(rule) == {orders: "non-breaking", raw: "breaking"}
        ran = lumos("snap", "explain", findings(lumos("snap", "diff", "--json"))[0]["fingerprint"])
        assert "policy.rules makes field-added breaking" in ran.out

    def test_a_policy_that_names_no_rule_is_refused(self, lumos: Lumos, shop: Path) -> None:
        settings = shop / "lumos.yaml"
        settings.write_text(f"{settings.read_text()}policy:\n  rules:\n    feild-added: breaking\n")
        ran = lumos("snap", "diff")
        assert ran.code == 2
        assert "did you mean `field-added`?" in ran.err

    @pytest.mark.parametrize(("stage", "code"), [("stable", 1), ("beta", 0), ("draft", 0)])
    def test_a_lifecycle_below_stable_does_not_block(
        self, lumos: Lumos, shop: Path, stage: str, code: int
    ) -> None:
        edit(shop / ORDERS, lambda d: d.setdefault("contract", {}).update(lifecycle=stage))
        commit(shop)
        edit(shop / ORDERS, drop("coupon"))
        ran = lumos("snap", "diff", "--json")
        assert ran.code == code
        assert ran.json["bump"] == ("major" if stage == "stable" else "minor")

    def test_a_change_does_not_excuse_itself(self, lumos: Lumos, shop: Path) -> None:
        edit(shop / ORDERS, drop("coupon"))
        edit(shop / ORDERS, lambda d: d["contract"].update(lifecycle="draft", gate="off"))
        ran = lumos("snap", "diff", "--json")
        blocking = {one["slug"] for one in findings(ran) if one["blocks"]}
        assert blocking == {"field-removed", "lifecycle-lowered", "gate-turned-off"}

    @pytest.mark.parametrize(
        "policy",
        [
            "preset: draft",
            "fail_on: none",
            "rules: {SC001: informational}",
            "paths: [{match: '**', preset: draft}]",
        ],
    )
    def test_a_policy_does_not_excuse_what_changes_along_with_it(
        self, lumos: Lumos, shop: Path, policy: str
    ) -> None:
        edit(shop / ORDERS, drop("coupon"))
        (shop / "lumos.yaml").write_text(f"version: 1\nenvironment: PROD\npolicy: {{{policy}}}\n")
        ran = lumos("snap", "diff", "--json")
        assert ran.code == 1
        commit(shop)
        edit(shop / RAW, drop("coupon"))
        assert lumos("snap", "diff").code == 0

    def test_a_reader_that_nothing_is_known_of_is_named(self, lumos: Lumos, shop: Path) -> None:
        edit(shop / RAW, lambda d: d.setdefault("contract", {}).update(readers=["sprak-4"]))
        ran = lumos("snap", "diff", "--json")
        assert "nothing is known of reader `sprak-4`" in ran.json["remarks"][0]["message"]

    def test_a_renamed_dataset_is_one_that_moved(self, lumos: Lumos, shop: Path) -> None:
        old = orjson.loads((shop / ORDERS).read_bytes())
        new = {**old, "urn": "lumos://postgres/shop/public/purchases", "name": "purchases"}
        new["contract"] = {**old.get("contract", {}), "renamed_from": old["urn"]}
        (shop / ORDERS).unlink()
        path = shop / "snapshots/postgres/shop/public/purchases.json"
        path.write_bytes(encode_document(new, Snapshot))
        ran = lumos("snap", "diff", "--json")
        (dataset,) = ran.json["datasets"]
        assert (dataset["change"], dataset["renamed_from"]) == ("renamed", old["urn"])
        assert rules(ran)[0] == "dataset-renamed"
        edit(path, lambda d: d["contract"].pop("renamed_from"))
        suspected = lumos("snap", "diff", "--json")
        assert {one["change"] for one in suspected.json["datasets"]} == {"added", "removed"}
        assert "it may be lumos://postgres/shop/public/purchases" in suspected.out

    def test_properties_say_what_changed_inside(self, lumos: Lumos, shop: Path) -> None:
        edit(shop / ORDERS, lambda d: d.update(properties={"owner": {"team": "a", "size": 3}}))
        commit(shop)
        edit(shop / ORDERS, lambda d: d["properties"]["owner"].update(size=4))
        (one,) = findings(lumos("snap", "diff", "--json"))
        assert one["slug"] == "property-changed"
        assert one["details"] == ["Value of owner['size'] changed from 3 to 4."]

    def test_entities_are_told_and_observations_are_not(self, lumos: Lumos, shop: Path) -> None:
        user = next(shop.glob("entities/users/*.json"))
        user.unlink()
        for path in shop.glob("observations/**/*.json"):
            path.unlink()
        ran = lumos("snap", "diff", "--json")
        assert (ran.code, len(ran.json["entities"]), ran.json["datasets"]) == (0, 1, [])


class TestMarks:
    def test_marks_that_a_renamed_column_leaves_behind_are_lost(
        self, lumos: Lumos, shop: Path
    ) -> None:
        """The words stay where they are; the column that they were about has another name."""
        edit(shop / ORDERS, lambda d: column(d, "shipping_address").update(name="Shipping_Address"))
        assert "pii-removed" in rules(lumos("snap", "diff", "--json"))
        edit(shop / ORDERS, lambda d: d["governance"]["fields"][0].update(path="Shipping_Address"))
        assert "pii-removed" not in rules(lumos("snap", "diff", "--json"))


class TestOutputs:
    def test_each_format_goes_where_it_is_sent(self, lumos: Lumos, shop: Path) -> None:
        edit(shop / ORDERS, drop("coupon"))
        sent = ("--output", "text", "--output", "json=a.json", "--output", "markdown=a.md")
        ran = lumos("snap", "diff", *sent)
        assert "field-removed" in ran.out
        assert json.loads((shop / "a.json").read_text())["verdict"] == "fail"
        assert (shop / "a.md").read_text().startswith("## ❌ Fail: 1 breaking change\n")

    @pytest.mark.parametrize(
        ("wanted", "says"),
        [
            (
                ("pdf",),
                "choose text, json, ndjson, markdown, html, github, gitlab, azure, junit, sarif",
            ),
            (("json=",), "write json=FILE"),
            (("json", "text"), "only one output can be printed"),
            (("json=a", "junit=./a"), "two outputs go to it"),
            (("json=nowhere/a.json",), "there is no such folder"),
        ],
    )
    def test_a_wrong_output_is_refused(
        self, lumos: Lumos, shop: Path, wanted: tuple[str, ...], says: str
    ) -> None:
        arguments = [part for one in wanted for part in ("--output", one)]
        ran = lumos("snap", "diff", *arguments)
        assert ran.code == 2
        assert says in ran.err

    def test_paths_in_annotations_begin_at_the_top_of_the_repository(
        self, lumos: Lumos, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        top = tmp_path / "monorepo"
        top.mkdir()
        git(top, "init", "-qb", "main")
        shutil.copytree(shop, top / "data/shop", ignore=shutil.ignore_patterns(".git"))
        commit(top, "Start")
        path = top / "data/shop" / ORDERS
        was = [
            number
            for number, line in enumerate(path.read_text().splitlines(), 1)
            if '"coupon"' in line
        ]
        edit(path, drop("coupon"))
        monkeypatch.chdir(top / "data/shop/snapshots")
        below = f"data/shop/{ORDERS}"
        assert lumos("snap", "diff", "--json").json["root"] == "data/shop"
        assert f"::error file={below},line=" in lumos("snap", "diff", "--output", "github").out
        (issue,) = lumos("snap", "diff", "--output", "gitlab").json
        assert issue["location"]["path"] == below
        assert issue["location"]["lines"]["begin"] == was[0] - 1  # the column before it is left
        (run,) = lumos("snap", "diff", "--output", "sarif").json["runs"]
        place = run["results"][0]["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == below
        assert f"`{below}:" in lumos("snap", "diff", "--output", "markdown").out
        commit(top, "Drop it")
        ran = lumos("snap", "diff", "--base", "HEAD~1", "--head", "HEAD", "--json")
        assert ran.json["root"] == "data/shop"
        first = lumos("snap", "diff", "--base", "none", "--json")
        assert first.json["root"] == "data/shop"

    def test_hostile_names_are_harmless_in_markdown(self, lumos: Lumos, shop: Path) -> None:
        name = "x` | <script>alert(1)</script> @everyone [a](http://evil) \x1b[31m"
        edit(shop / ORDERS, add(name))
        text = lumos("snap", "diff", "--all", "--output", "markdown").out
        assert "<script>" not in text
        assert "@everyone" not in text
        assert "](http" not in text
        assert "\x1b" not in text
        assert "\x1b" not in lumos("snap", "diff", "--all").out

    def test_nothing_heavy_is_loaded(self, shop: Path) -> None:
        edit(shop / ORDERS, drop("coupon"))
        heavy = ("pydantic", "pydantic_core", "rich", "jsonschema", "deepdiff", "git", "pyspark")
        program = (
            "import sys; from lumos_snap.cli import main; main(['snap', 'diff', '--base', 'main']);"
            f"print([name for name in {heavy} if name in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]"


class TestWaivers:
    def waived(self, lumos: Lumos, shop: Path, *more: str) -> str:
        edit(shop / ORDERS, drop("coupon"))
        (one,) = findings(lumos("snap", "diff", "--json"))
        ran = lumos("snap", "waive", one["fingerprint"][:8], "--reason", 'agreed: "yes"', *more)
        assert ran.code == 0, ran.err
        return str(one["fingerprint"])

    def test_a_waiver_lets_one_finding_pass(self, lumos: Lumos, shop: Path) -> None:
        fingerprint = self.waived(lumos, shop, "--owner", "ann", "--ticket", "DATA-1")
        ran = lumos("snap", "diff", "--json")
        assert (ran.code, ran.json["counts"]["waived"], ran.json["bump"]) == (0, 1, "major")
        assert 'agreed: "yes" (ann, until ' in lumos("snap", "explain", fingerprint).out
        edit(shop / ORDERS, drop("items"))
        assert lumos("snap", "diff").code == 1

    def test_it_outlives_another_layout(self, lumos: Lumos, shop: Path) -> None:
        self.waived(lumos, shop)
        path = shop / ORDERS
        path.write_text(json.dumps(orjson.loads(path.read_bytes()), indent=1))
        ran = lumos("snap", "diff", "--json")
        assert ran.json["counts"]["waived"] == 1
        assert ran.json["reasons"] == ["1 invalid file"]
        lumos("snap", "fmt")
        assert lumos("snap", "diff").code == 0

    def test_a_second_one_is_refused(self, lumos: Lumos, shop: Path) -> None:
        fingerprint = self.waived(lumos, shop)
        ran = lumos("snap", "waive", fingerprint, "--reason", "again")
        assert ran.code == 2
        assert "there is a waiver" in ran.err

    def test_a_dry_run_writes_nothing(self, lumos: Lumos, shop: Path) -> None:
        self.waived(lumos, shop, "--dry-run")
        assert not (shop / "waivers").exists()

    def expire(self, shop: Path) -> None:
        (path,) = (shop / "waivers").iterdir()
        path.write_text(re.sub(r'expires: ".*"', 'expires: "2020-01-31"', path.read_text()))

    def test_an_expired_one_fails(self, lumos: Lumos, shop: Path) -> None:
        self.waived(lumos, shop)
        self.expire(shop)
        ran = lumos("snap", "diff", "--json")
        assert ran.code == 1
        assert any("expired on 2020-01-31" in reason for reason in ran.json["reasons"])

    def test_an_expired_one_that_covers_nothing_is_to_be_deleted(
        self, lumos: Lumos, shop: Path
    ) -> None:
        self.waived(lumos, shop)
        self.expire(shop)
        git(shop, "checkout", "-q", ORDERS)
        ran = lumos("snap", "diff", "--json")
        assert ran.code == 0
        assert "delete it" in ran.json["remarks"][0]["message"]

    def write(self, shop: Path, waiver: str) -> None:
        (shop / "waivers").mkdir(exist_ok=True)
        body = f"version: 1\nwaivers:\n  - {waiver}\n    reason: r\n    owner: o\n"
        (shop / "waivers/a.yaml").write_text(f'{body}    expires: "2999-01-01"\n')

    def test_a_broad_one_covers_what_breaks_but_nothing_silent(
        self, lumos: Lumos, shop: Path
    ) -> None:
        edit(shop / RAW, lambda d: column(d, "placed_at").pop("timezone"))
        edit(shop / ORDERS, drop("coupon"))
        self.write(shop, "rule: field-removed\n    dataset: postgres/**\n    field: coupon")
        assert {o["slug"] for o in findings(lumos("snap", "diff", "--json")) if o["blocks"]} == {
            "timezone-flipped"
        }
        self.write(shop, "rule: timezone-flipped\n    dataset: '**'")
        assert lumos("snap", "diff", "--json").json["counts"]["waived"] == 0

    @pytest.mark.parametrize(
        ("waiver", "says"),
        [
            ("rule: no-such-rule\n    dataset: '**'", "there is no rule `no-such-rule`"),
            ("rule: field-removed", "says for which `dataset`"),
            ("ticket: a", "has either a `fingerprint`"),
            ("fingerprint: [1]", "must be a string"),
            ("rule: field-removed\n    dataset: a\n    silent: true", "only a waiver with a"),
        ],
    )
    def test_a_wrong_one_is_named_and_the_rest_goes_on(
        self, lumos: Lumos, shop: Path, waiver: str, says: str
    ) -> None:
        self.write(shop, waiver)
        edit(shop / ORDERS, add("extra"))
        ran = lumos("snap", "diff", "--json")
        assert ran.code == 1
        assert says in ran.json["damaged"][0]["message"]
        assert rules(ran) == ["field-added"]
        assert says in lumos("snap", "validate").out

    def test_a_fingerprint_that_is_not_there_is_named(self, lumos: Lumos, shop: Path) -> None:
        assert lumos("snap", "explain", "0000").code == 2
        edit(shop / ORDERS, drop("coupon"))
        assert "no finding 1234" in lumos("snap", "explain", "1234").err
        assert "at least 4" in lumos("snap", "explain", "12").err

    @pytest.mark.parametrize(
        "more", [("--reason", " "), ("--reason", "r", "--expires", "2020-01-01")]
    )
    def test_a_waiver_that_says_nothing_is_refused(
        self, lumos: Lumos, shop: Path, more: tuple[str, ...]
    ) -> None:
        edit(shop / ORDERS, drop("coupon"))
        (one,) = findings(lumos("snap", "diff", "--json"))
        assert lumos("snap", "waive", one["fingerprint"], *more).code == 2

    def test_what_became_silent_must_be_accepted_as_such(self, lumos: Lumos, shop: Path) -> None:
        edit(shop / RAW, lambda d: column(d, "placed_at").pop("timezone"))
        (one,) = findings(lumos("snap", "diff", "--json"))
        self.write(shop, f"fingerprint: {one['fingerprint']!r}")
        assert lumos("snap", "diff").code == 1
        self.write(shop, f"fingerprint: {one['fingerprint']!r}\n    silent: true")
        assert lumos("snap", "diff").code == 0

    def test_the_answers_are_as_published(self, lumos: Lumos, shop: Path) -> None:
        fingerprint = self.waived(lumos, shop, "--dry-run")
        valid(lumos("snap", "explain", fingerprint, "--json"), "explain")
        valid(lumos("snap", "waive", fingerprint, "--reason", "r", "--dry-run", "--json"), "waive")
