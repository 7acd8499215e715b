"""`lumos snap impact`, and impact in `lumos snap diff`, on real repositories."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.model.urn import Urn
from tests.cli.conftest import Lumos, Ran
from tests.cli.test_diff import ORDERS, RAW, commit, drop, edit, findings, git, retype, valid
from tests.lineage.lineages import content, edge

GOLDEN = Path(__file__).parent / "golden/impact"
SILVER = "snapshots/iceberg/lake/silver/orders.json"
SENTENCE = "This change touches 1 dataset and affects 5 downstream datasets of 3 teams"


def golden(ran: Ran, name: str, request: pytest.FixtureRequest) -> None:
    file, out = GOLDEN / name, re.sub(r"\([0-9a-f]{10}\)|[0-9a-f]{40}", "(commit)", ran.out)
    if request.config.getoption("--rewrite-golden"):
        file.write_text(out)
    assert out == file.read_text()


def consumers(found: dict[str, Any]) -> dict[str, str]:
    return {
        one["urn"].removeprefix("lumos://"): one["compatibility"]
        for one in found["impact"]["consumers"]
    }


QUESTIONS = {
    "column": ("raw/orders.total",),
    "dataset": ("silver/customers",),
    "nested": ("silver/orders.ship_to.country",),
    "tree": (),
}


class TestQuestions:
    @pytest.mark.parametrize("name", QUESTIONS)
    def test_who_reads_it(
        self, lumos: Lumos, shop: Path, name: str, request: pytest.FixtureRequest
    ) -> None:
        golden(lumos("snap", "impact", *QUESTIONS[name]), f"{name}.txt", request)
        ran = lumos("snap", "impact", *QUESTIONS[name], "--json")
        golden(ran, f"{name}.json", request)
        valid(ran, "impact")
        assert lumos("snap", "impact", *QUESTIONS[name], "--json").out == ran.out
        shutil.rmtree(shop / ".git/lumos")
        assert lumos("snap", "impact", *QUESTIONS[name], "--json").out == ran.out

    def test_a_dataset_is_named_as_everywhere(self, lumos: Lumos, shop: Path) -> None:
        found = {
            lumos("snap", "impact", f"{name}.coupon").out
            for name in (
                "raw/orders",
                "s3/shop-lake/raw/orders",
                RAW,
                f"./{RAW}",
                "lumos://s3/shop-lake/raw/orders",
            )
        }
        assert len(found) == 1
        assert "discount_code" in found.pop()

    def test_a_name_with_dots_is_a_dataset_first(self, lumos: Lumos, shop: Path) -> None:
        assert lumos("snap", "impact", "shop.orders.v1", "--json").json["changes"][0]["urn"] == (
            "lumos://kafka/prod/shop.orders.v1"
        )
        ran = lumos("snap", "impact", "shop.orders.v1.items[].sku", "--json")
        assert ran.json["changes"][0]["field"] == "items[].sku"

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("nosuch",), "there is no dataset 'nosuch'"),
            (("raw/orders.nosuch",), "has no field 'nosuch'"),
            (("orders",), "may mean 3 datasets"),
            (("lumos://s3/nowhere",), "there is no dataset"),
            (("--changes", "nosuch.json"), "nosuch.json: cannot be read"),
            (("--changes", "lumos.yaml"), "is not valid JSON"),
            (("--changes", RAW), "is not the JSON of a diff"),
            (("--changes", "x", "--base", "main"), "give no --base"),
            (("--base", "nosuch"), "nosuch"),
        ],
    )
    def test_what_is_not_there_is_said_in_a_line(
        self, lumos: Lumos, shop: Path, arguments: tuple[str, ...], says: str
    ) -> None:
        ran = lumos("snap", "impact", *arguments)
        assert ran.code in (2, 3)
        assert says in ran.err
        assert ran.out == ""

    def test_a_dataset_that_only_lineage_names_can_be_asked_for(
        self, lumos: Lumos, shop: Path
    ) -> None:
        (shop / RAW).unlink()
        ran = lumos("snap", "impact", "lumos://s3/shop-lake/raw/orders", "--json")
        assert consumers(ran.json["changes"][0])["iceberg/lake/silver/orders"] == "BREAKING"
        assert ran.json["dangling"][0]["upstream"] == "lumos://s3/shop-lake/raw/orders"

    def test_the_past_is_asked_without_a_checkout(self, lumos: Lumos, shop: Path) -> None:
        edit(shop / SILVER, lambda document: document.pop("lineage"))
        assert (
            "no dataset of this tree reads it" in lumos("snap", "impact", "raw/orders.coupon").out
        )
        assert "discount_code" in lumos("snap", "impact", "raw/orders.coupon", "--head", "main").out

    def test_a_broken_snapshot_is_one_line_and_the_rest_goes_on(
        self, lumos: Lumos, shop: Path
    ) -> None:
        (shop / ORDERS).write_text('{"lumos_version": "1.0.0", "urn": ')
        for _ in range(2):
            ran = lumos("snap", "impact", "raw/orders.coupon")
            assert ran.code == 1
            assert ran.out.count(ORDERS) == 1
            assert "discount_code" in ran.out
            commit(shop)

    def test_circles_and_self_edges_are_told(self, lumos: Lumos, shop: Path) -> None:
        def circle(document: dict[str, Any]) -> None:
            document["lineage"]["upstream"] += [
                {"urn": "lumos://iceberg/lake/silver/orders"},
                {"urn": document["urn"]},
            ]

        edit(shop / RAW, circle)
        ran = lumos("snap", "impact", "raw/orders.coupon")
        way = "iceberg/lake/silver/orders → s3/shop-lake/raw/orders → iceberg/lake/silver/orders"
        assert way in ran.out
        assert "it is made from itself as well" in ran.out
        assert way in lumos("snap", "impact").out
        edit(shop / RAW, drop("coupon"))
        assert f"lineage goes round in a circle: {way}" in lumos("snap", "diff").out

    def test_a_limit_is_told(self, lumos: Lumos, shop: Path) -> None:
        out = lumos("snap", "impact", "raw/orders.total", "--limit", "2").out
        assert "… and 3 more datasets: --limit 0 shows all" in out


class TestChanges:
    def test_with_a_base_each_finding_is_felt(
        self, lumos: Lumos, shop: Path, request: pytest.FixtureRequest
    ) -> None:
        edit(shop / RAW, drop("coupon"))
        edit(shop / RAW, retype("customer_id", type="STRING"))
        golden(lumos("snap", "impact", "--base", "main"), "base.txt", request)
        ran = lumos("snap", "impact", "--base", "main", "--json")
        valid(ran, "impact")
        one = lumos("snap", "impact", "raw/orders.coupon", "--base", "main", "--json").json
        assert [each["field"] for each in one["changes"]] == ["coupon"]
        assert lumos("snap", "impact", "public/orders", "--base", "main").out.strip() == (
            "nothing changed that anybody would feel"
        )

    def test_a_diff_that_was_kept_is_felt_as_the_diff_itself(
        self, lumos: Lumos, shop: Path
    ) -> None:
        edit(shop / RAW, drop("total"))
        lumos("snap", "diff", "--output", "json=diff.json")
        kept = lumos("snap", "impact", "--changes", "diff.json", "--json").json
        assert (
            kept["changes"] == lumos("snap", "impact", "--base", "HEAD", "--json").json["changes"]
        )
        assert kept["reach"]["says"] == SENTENCE
        commit(shop)
        lumos("snap", "diff", "--base", "HEAD~1", "--head", "HEAD", "--output", "json=diff.json")
        (shop / SILVER).unlink()
        past = lumos("snap", "impact", "--changes", "diff.json", "--json").json
        assert past["changes"] == kept["changes"]

    def test_a_diff_that_was_kept_is_read_as_all_commands_read_it(
        self, lumos: Lumos, shop: Path
    ) -> None:
        edit(shop / RAW, drop("total"))
        (shop / SILVER).write_text("{")
        lumos("snap", "diff", "--output", "json=diff.json")
        kept = lumos("snap", "impact", "--changes", "diff.json", "--json")
        assert (kept.code, SILVER in [one["path"] for one in kept.json["findings"]]) == (1, True)
        written = json.loads(Path("diff.json").read_text())
        Path("diff.json").write_text(json.dumps(written | {"weather": "fine"}))
        assert lumos("snap", "impact", "--changes", "diff.json", "--json").json == kept.json
        Path("diff.json").write_text(json.dumps(written | {"version": 2}))
        ran = lumos("snap", "impact", "--changes", "diff.json")
        assert (ran.code, "another version of lumos" in ran.err) == (2, True)

    def test_a_document_that_is_repaired_counts_as_new(self, lumos: Lumos, shop: Path) -> None:
        (shop / RAW).write_text("{")
        commit(shop)
        lumos("snap", "diff", "--base", "HEAD", "--head", "HEAD~1", "--no-merge-base", "--output",
              "json=diff.json")  # fmt: skip
        ran = lumos("snap", "impact", "--changes", "diff.json")
        assert (ran.code, "dataset-added" in ran.out) == (0, True)


class TestDiff:
    def test_a_finding_that_matters_says_who_feels_it(
        self, lumos: Lumos, shop: Path, request: pytest.FixtureRequest
    ) -> None:
        edit(shop / RAW, drop("total"))
        golden(lumos("snap", "diff"), "diff.txt", request)
        ran = lumos("snap", "diff", "--json")
        valid(ran)
        assert ran.json["reach"] == {
            "touched": 1,
            "affected": 5,
            "teams": ["analytics", "data-platform", "growth-science"],
            "says": SENTENCE,
        }
        (found,) = findings(ran)
        golden(
            Ran(0, orjson.dumps(found["impact"], option=orjson.OPT_INDENT_2).decode(), ""),
            "impact.json",
            request,
        )

    def test_nobody_is_looked_for_where_nobody_asks(self, lumos: Lumos, shop: Path) -> None:
        edit(shop / RAW, drop("total"))
        ran = lumos("snap", "diff", "--no-impact", "--json")
        assert "reach" not in ran.json
        assert "impact" not in findings(ran)[0]
        assert not (shop / ".git/lumos/lineage").exists()

    def test_informational_findings_are_felt_by_nobody(self, lumos: Lumos, shop: Path) -> None:
        edit(shop / RAW, lambda document: document["documentation"].update(description="Other"))
        ran = lumos("snap", "diff", "--json")
        assert [one["level"] for one in findings(ran)] == ["informational"]
        assert "impact" not in findings(ran)[0]
        assert "reach" not in ran.json

    def test_what_a_policy_misses_is_no_change_and_felt_by_nobody(
        self, lumos: Lumos, shop: Path
    ) -> None:
        settings = (shop / "lumos.yaml").read_text()
        (shop / "lumos.yaml").write_text(f"{settings}policy:\n  owners: [{{least: 9}}]\n")
        edit(shop / RAW, lambda document: document.pop("documentation"))
        ran = lumos("snap", "diff", "--json")
        (one,) = [each for each in findings(ran) if each["family"] == "policy"]
        assert "impact" not in one
        assert ran.json["verdict"] == "fail"

    def test_a_consumer_that_goes_along_in_the_same_change_is_not_harmed(
        self, lumos: Lumos, shop: Path
    ) -> None:
        def leave_out(document: dict[str, Any]) -> None:
            (upstream,) = document["lineage"]["upstream"]
            upstream["columns"] = [
                one for one in upstream["columns"] if one.get("from") != "coupon"
            ]

        edit(shop / RAW, drop("coupon"))
        edit(shop / SILVER, leave_out)
        ran = lumos("snap", "diff", "--json")
        (removal,) = [one for one in findings(ran) if one["slug"] == "field-removed"]
        assert removal["impact"]["consumers"] == []
        assert ran.json["reach"]["says"].endswith("and affects no downstream dataset")

    def test_every_way_to_compare_knows_the_same_consumers(
        self, lumos: Lumos, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shutil.copytree(shop, tmp_path / "old")
        edit(shop / RAW, drop("total"))
        expected = findings(lumos("snap", "diff", "--json"))[0]["impact"]
        assert len(expected["consumers"]) == 5
        by_folder = lumos("snap", "diff", tmp_path / "old", shop, "--json")
        commit(shop)
        by_head = lumos("snap", "diff", "--base", "HEAD~1", "--head", "HEAD", "--json")
        git(tmp_path, "clone", "-q", "--bare", str(shop), "bare.git")
        monkeypatch.chdir(tmp_path / "bare.git")
        monkeypatch.setenv("GIT_DIR", str(tmp_path / "bare.git"))
        by_bare = lumos("snap", "diff", "--base", "HEAD~1", "--head", "HEAD", "--json")
        assert [findings(ran)[0]["impact"] for ran in (by_folder, by_head, by_bare)] == [
            expected
        ] * 3

    def test_a_first_release_has_nobody_to_harm(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("snap", "diff", "--base", "none", "--json")
        assert ran.json["reach"]["affected"] == 0

    def test_a_dataset_that_goes_leaves_its_readers(self, lumos: Lumos, shop: Path) -> None:
        (shop / RAW).unlink()
        (found,) = findings(lumos("snap", "diff", "--json"))
        assert consumers(found)["iceberg/lake/silver/orders"] == "BREAKING"

    def test_lineage_that_cannot_be_had_is_said_and_changes_no_verdict(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        edit(shop / ORDERS, drop("coupon"))
        commit(shop)
        git(shop, "config", "uploadpack.allowFilter", "true")
        git(shop, "config", "uploadpack.allowAnySHA1InWant", "true")
        clone = tmp_path / "clone"
        git(
            tmp_path,
            "clone",
            "-q",
            "--filter=blob:none",
            "--no-checkout",
            f"file://{shop}",
            str(clone),
        )
        for ref in ("HEAD", "HEAD~1"):
            for path in (ORDERS, "lumos.yaml"):
                git(clone, "cat-file", "-e", f"{ref}:{path}")
                git(clone, "cat-file", "blob", f"{ref}:{path}")
        compare = ("snap", "diff", "-C", clone, "--base", "HEAD~1", "--head", "HEAD", "--json")
        git(clone, "config", "core.bare", "true")
        ran = lumos(*compare, "--no-fetch")
        assert ran.code == 1
        assert any("who feels it is not known" in one["message"] for one in ran.json["remarks"])
        assert "reach" not in ran.json
        assert findings(ran)[0]["slug"] == "field-removed"
        assert lumos(*compare).json["reach"]["touched"] == 1

    def test_hostile_names_are_inert_in_text(self, lumos: Lumos, shop: Path) -> None:
        name = "\x1b[31m::error::x\u202e<b>"
        urn = str(Urn("s3", ("lake", name)))
        raw = content(urn, edge("lumos://s3/shop-lake/raw/orders", "coupon>a", via="j\x1b[0m\nk"))
        path = shop / SNAPSHOT.path(urn)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw.replace(b'"a"', b'"\\u001b[1m"'))
        edit(shop / RAW, drop("coupon"))
        for arguments in (
            ("diff",),
            ("impact", "--base", "HEAD"),
            ("impact", "raw/orders.order_id"),
        ):
            out = lumos("snap", *arguments).out
            assert "\x1b" not in out
            assert "\u202e" not in out
