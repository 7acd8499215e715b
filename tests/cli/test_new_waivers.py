"""Waivers that a change brings along: listed as new, and counted as the policy says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Lumos, Ran
from tests.cli.test_diff import ORDERS, commit, drop, edit, findings, git, valid
from tests.cli.test_target_policy import settle

FILE = "waivers/coupon.yaml"


def waive(folder: Path, path: str = FILE, **more: Any) -> None:
    """Write a file with one waiver."""
    waiver = {"reason": "agreed", "owner": "sales", "expires": "2999-12-31", **more}
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / path).write_text(yaml.safe_dump({"version": 1, "waivers": [waiver]}))


def of_the_column(lumos: Lumos) -> dict[str, str]:
    """What a waiver of the one finding names."""
    (found,) = findings(lumos("snap", "diff", "--base", "main", "--json"))
    return {"fingerprint": found["fingerprint"]}


@pytest.fixture
def dropped(shop: Path) -> Path:
    """A branch that removes a column."""
    git(shop, "switch", "-qc", "feature")
    edit(shop / ORDERS, drop("coupon"))
    commit(shop)
    return shop


def on_main(folder: Path, change: Any) -> None:
    git(folder, "switch", "-q", "main")
    change()
    commit(folder)
    git(folder, "switch", "-q", "feature")


def new(ran: Ran) -> list[Mapping[str, Any]]:
    valid(ran)
    found: list[Mapping[str, Any]] = ran.json["new_waivers"]
    return found


def against_main(lumos: Lumos, *more: str) -> Ran:
    return lumos("snap", "diff", "--base", "main", *more)


class TestCount:
    def test_it_counts_and_is_listed_first(self, lumos: Lumos, dropped: Path) -> None:
        waive(dropped, **of_the_column(lumos))
        commit(dropped)
        ran = against_main(lumos)
        assert (ran.code, "PASS" in ran.out) == (0, True)
        assert ran.out.index("new waivers:\n  waivers/coupon.yaml: added") < ran.out.index("SC001")
        (one,) = new(against_main(lumos, "--json"))
        assert (one["change"], one["counts"], one["reason"]) == ("added", True, "agreed")

    @pytest.mark.parametrize(
        ("form", "words"),
        [
            ("markdown", "### ⚠️ New waivers"),
            ("summary", "### ⚠️ New waivers"),
            ("html", "<h2>New waivers</h2>"),
            ("env", "newWaivers=1"),
            ("ndjson", '"new_waiver"'),
            ("github", "::warning file=waivers/coupon.yaml,title=new-waiver::added waiver"),
            ("azure", "sourcepath=waivers/coupon.yaml;code=new-waiver;"),
            ("gitlab", '"check_name": "new-waiver"'),
            ("sarif", '"ruleId": "new-waiver"'),
            ("junit", 'name="new-waiver"'),
        ],
    )
    def test_every_output_says_so(self, lumos: Lumos, dropped: Path, form: str, words: str) -> None:
        waive(dropped, **of_the_column(lumos))
        out = against_main(lumos, "--output", form).out
        assert words in out
        if form in ("markdown", "summary", "html"):
            assert out.index(words) < out.index("SC001")

    def test_one_of_the_target_is_not_new(self, lumos: Lumos, dropped: Path) -> None:
        named = of_the_column(lumos)
        on_main(dropped, lambda: waive(dropped, **named))
        git(dropped, "merge", "-q", "--no-edit", "main")
        assert new(against_main(lumos, "--json")) == []
        assert against_main(lumos).code == 0

    def test_check_lists_it_too(self, lumos: Lumos, dropped: Path) -> None:
        waive(dropped, rule="SC001", dataset="**")
        ran = lumos("snap", "check", "--base", "main", "--json")
        valid(ran, "check")
        assert [one["path"] for one in ran.json["new_waivers"]] == [FILE]
        assert "new waivers:" in lumos("snap", "check", "--base", "main").out
        assert lumos("snap", "check", "--json").json["new_waivers"] == []  # nothing is compared


class TestRefuse:
    @pytest.mark.parametrize("side", ["target", "change"])
    def test_it_does_not_count_before_it_is_on_the_target(
        self, lumos: Lumos, dropped: Path, side: str
    ) -> None:
        if side == "target":
            on_main(dropped, lambda: settle(dropped, new_waivers="refuse"))
        else:
            settle(dropped, new_waivers="refuse")
        waive(dropped, **of_the_column(lumos))
        commit(dropped)
        ran = against_main(lumos)
        assert (ran.code, "FAIL: 1 breaking change" in ran.out) == (1, True)
        assert "[does not count: policy.new_waivers is refuse: merge it into main first]" in ran.out
        mark = findings(against_main(lumos, "--json"))[0]["fingerprint"]
        chain = lumos("snap", "explain", mark, "--base", "main").out
        assert "waivers/coupon.yaml does not count: policy.new_waivers is refuse" in chain

    def test_a_change_cannot_loosen_it(self, lumos: Lumos, shop: Path) -> None:
        settle(shop, new_waivers="refuse")
        commit(shop)
        git(shop, "switch", "-qc", "feature")
        edit(shop / ORDERS, drop("coupon"))
        settle(shop, new_waivers="count")
        waive(shop, **of_the_column(lumos))
        commit(shop)
        ran = against_main(lumos)
        assert (ran.code, "policy.new_waivers: refuse → count (looser)" in ran.out) == (1, True)

    @pytest.mark.parametrize("edit_of_it", ["extended", "moved", "widened"])
    def test_a_changed_one_is_new(self, lumos: Lumos, dropped: Path, edit_of_it: str) -> None:
        named = {"rule": "SC001", "dataset": "postgres/shop/public/orders"}
        before = {**named, "expires": "2020-01-01"} if edit_of_it == "extended" else named
        if edit_of_it == "widened":
            before = {**named, "dataset": "postgres/shop/public/customers"}

        def agree() -> None:
            settle(dropped, new_waivers="refuse")
            waive(dropped, **before)

        on_main(dropped, agree)
        git(dropped, "merge", "-q", "--no-edit", "main")
        if edit_of_it == "moved":
            (dropped / FILE).unlink()
        waive(dropped, "waivers/other.yaml" if edit_of_it == "moved" else FILE, **named)
        commit(dropped)
        ran = against_main(lumos, "--json")
        (one,) = new(ran)
        words = {"extended": "changed", "moved": "moved", "widened": "added"}
        assert (ran.code, one["counts"], one["change"]) == (1, False, words[edit_of_it])

    def test_one_of_the_target_counts(self, lumos: Lumos, dropped: Path) -> None:
        named = of_the_column(lumos)

        def agree() -> None:
            settle(dropped, new_waivers="refuse")
            waive(dropped, **named)

        on_main(dropped, agree)
        assert against_main(lumos).code == 0  # as after the merge, which CI judges
        git(dropped, "merge", "-q", "--no-edit", "main")
        assert against_main(lumos).code == 0

    def test_one_that_the_target_took_back_does_not_count(self, lumos: Lumos, shop: Path) -> None:
        waive(shop, rule="SC001", dataset="**")
        commit(shop)
        git(shop, "switch", "-qc", "feature")
        edit(shop / ORDERS, drop("coupon"))
        commit(shop)
        assert against_main(lumos).code == 0
        on_main(shop, (shop / FILE).unlink)
        ran = against_main(lumos)
        assert (ran.code, "main has removed or changed it since" in ran.out) == (1, True)
        git(shop, "merge", "-q", "--no-edit", "main")
        assert against_main(lumos).code == 1

    def test_with_a_named_file_its_setting_holds(self, lumos: Lumos, dropped: Path) -> None:
        waive(dropped, **of_the_column(lumos))
        strict = dropped.parent / "ci.yaml"
        strict.write_text("version: 1\npolicy: {new_waivers: refuse}\n")
        assert against_main(lumos, "--config", str(strict)).code == 1

    def test_of_two_folders_the_new_one_brings_it(
        self, lumos: Lumos, dropped: Path, tmp_path: Path
    ) -> None:
        old = tmp_path / "old"
        git(dropped, "worktree", "add", "-q", str(old), "main")
        settle(dropped, new_waivers="refuse")
        waive(dropped, rule="SC001", dataset="**")
        assert lumos("snap", "diff", old, dropped).code == 1
        waive(old, rule="SC001", dataset="**")
        assert lumos("snap", "diff", old, dropped).code == 0

    def test_without_a_base_every_one_is_new(self, lumos: Lumos, shop: Path) -> None:
        waive(shop, rule="SC001", dataset="**")
        assert len(new(lumos("snap", "diff", "--base", "none", "--json"))) == 1


class TestApproved:
    def test_without_a_forge_it_does_not_count(self, lumos: Lumos, dropped: Path) -> None:
        settle(dropped, new_waivers="approved")
        waive(dropped, **of_the_column(lumos))
        commit(dropped)
        ran = against_main(lumos)
        assert (ran.code, "no pull request on GitHub is known here" in ran.out) == (1, True)


def test_the_gate_tells_later_steps(
    lumos: Lumos, dropped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waive(dropped, **of_the_column(lumos))
    settle(dropped, preset="draft")
    output = dropped.parent / "output"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_OUTPUT", str(output))
    monkeypatch.delenv("GITHUB_EVENT_NAME", raising=False)
    assert lumos("snap", "gate", "--base", "main").code == 0
    assert "new-waivers=1\npolicy-changes=1\n" in output.read_text()
