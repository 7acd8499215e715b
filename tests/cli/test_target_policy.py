"""A change is judged by the policy at the tip of its target branch, as well as by its own."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Lumos, Ran
from tests.cli.test_diff import ORDERS, RAW, commit, drop, edit, findings, git, valid

STRICT = {"rules": {"field-added": "breaking"}}


def settle(folder: Path, **policy: Any) -> None:
    """Write the policy into `lumos.yaml`."""
    settings = yaml.safe_load((folder / "lumos.yaml").read_text())
    (folder / "lumos.yaml").write_text(yaml.safe_dump({**settings, "policy": policy}))


def add_column(folder: Path) -> None:
    field = {"name": "extra", "type": "STRING", "nullable": True}
    edit(folder / ORDERS, lambda document: document["schema"]["fields"].append(field))


@pytest.fixture
def branched(shop: Path) -> Path:
    """A branch that adds a column; main has become stricter since it was cut."""
    git(shop, "switch", "-qc", "feature")
    add_column(shop)
    commit(shop)
    git(shop, "switch", "-q", "main")
    settle(shop, **STRICT)
    commit(shop)
    git(shop, "switch", "-q", "feature")
    return shop


def decisions(ran: Ran) -> str:
    return " ".join(step["says"] for step in findings(ran)[0]["decisions"])


class TestTightenedOnTheTarget:
    @pytest.mark.parametrize("command", ["diff", "gate"])
    def test_it_counts_after_the_branch_was_cut(
        self, lumos: Lumos, branched: Path, command: str
    ) -> None:
        ran = lumos("snap", command, "--base", "main")
        assert (ran.code, "FAIL: 1 breaking change" in ran.out) == (1, True)

    def test_the_finding_says_whose_policy_decided(self, lumos: Lumos, branched: Path) -> None:
        ran = lumos("snap", "diff", "--base", "main", "--json")
        valid(ran)
        assert "the policy of main decides" in decisions(ran)
        assert ran.json["policy_changes"] == []  # the branch has edited none

    def test_a_merge_gives_the_same_verdict(self, lumos: Lumos, branched: Path) -> None:
        """What CI checks out is the merge of both."""
        git(branched, "merge", "-q", "--no-edit", "main")
        assert lumos("snap", "diff", "--base", "main").code == 1

    def test_a_demand_counts_too(self, lumos: Lumos, branched: Path) -> None:
        git(branched, "switch", "-q", "main")
        settle(branched, owners=[{"least": 9}])
        commit(branched)
        git(branched, "switch", "-q", "feature")
        ran = lumos("snap", "check", "--base", "main")
        assert (ran.code, "FAIL: 1 breach of policy" in ran.out) == (1, True)

    def test_another_head_is_judged_alike(self, lumos: Lumos, branched: Path) -> None:
        git(branched, "switch", "-q", "--detach", "main~1")
        assert lumos("snap", "diff", "--base", "main", "--head", "feature").code == 1

    def test_the_remote_branch_counts_where_the_local_one_is_behind(
        self, lumos: Lumos, branched: Path
    ) -> None:
        remote = branched.parent / "remote.git"
        git(branched, "clone", "-q", "--bare", ".", str(remote))
        git(branched, "remote", "add", "origin", str(remote))
        git(branched, "fetch", "-q", "origin")
        git(branched, "branch", "-qf", "main", "main~1")
        assert lumos("snap", "diff", "--base", "main").code == 1

    def test_a_shallow_clone_gives_the_same_verdict(
        self, lumos: Lumos, branched: Path, tmp_path: Path
    ) -> None:
        clone = tmp_path / "clone"
        url = f"file://{branched}"
        git(tmp_path, "clone", "-q", "--depth=1", "--branch=feature", url, str(clone))
        ran = lumos("snap", "diff", "--base", "main", "-C", clone)
        assert (ran.code, "FAIL: 1 breaking change" in ran.out) == (1, True)

    def test_a_named_file_is_held_against_the_target_too(self, lumos: Lumos, shop: Path) -> None:
        (shop / "ci.yaml").write_text("version: 1\n")
        commit(shop)
        git(shop, "switch", "-qc", "feature")
        add_column(shop)
        commit(shop)
        git(shop, "switch", "-q", "main")
        (shop / "ci.yaml").write_text(yaml.safe_dump({"version": 1, "policy": STRICT}))
        commit(shop)
        git(shop, "switch", "-q", "feature")
        assert lumos("snap", "diff", "--base", "main", "--config", "ci.yaml").code == 1


def test_a_named_file_is_listed_where_it_lies(lumos: Lumos, shop: Path) -> None:
    (shop / "trees").mkdir()
    for name in ("lumos.yaml", "snapshots", "entities"):
        (shop / name).rename(shop / "trees" / name)
    (shop / "ci.yaml").write_text(yaml.safe_dump({"version": 1, "policy": STRICT}))
    commit(shop)
    (shop / "ci.yaml").write_text("version: 1\n")
    told = ("snap", "diff", "-C", "trees", "--config", "ci.yaml", "--output", "github")
    assert "::warning file=ci.yaml,title=policy-changed::policy.rules" in lumos(*told).out


class TestLoosenedByTheChange:
    def test_the_target_decides_and_the_change_is_listed(self, lumos: Lumos, shop: Path) -> None:
        settle(shop, fail_on="breaking", **STRICT, owners=[{"least": 9, "match": "none/**"}])
        commit(shop)
        git(shop, "switch", "-qc", "feature")
        settle(shop, fail_on="none", rules={}, preset="draft")
        edit(shop / ORDERS, drop("coupon"))
        commit(shop)
        ran = lumos("snap", "diff", "--base", "main", "--json")
        valid(ran)
        assert ran.code == 1
        told = {one["setting"]: one["effect"] for one in ran.json["policy_changes"]}
        assert told == {
            "policy.preset": "looser",
            "policy.fail_on": "looser",
            "policy.rules.field-added": "different",
            "policy.owners (none/**)": "looser",
        }
        text = lumos("snap", "diff", "--base", "main").out
        assert "policy.fail_on: breaking → none (looser)" in text
        assert text.index("policy changes:") < text.index("SC001")

    def test_it_is_listed_where_nothing_else_changes(self, lumos: Lumos, shop: Path) -> None:
        settle(shop, preset="draft")
        ran = lumos("snap", "diff")
        assert (ran.code, "policy.preset: default → draft (looser)" in ran.out) == (0, True)
        assert "policyChanges=1" in lumos("snap", "diff", "--output", "env").out
        assert "policy.preset" in lumos("snap", "diff", "--output", "markdown").out

    def test_what_only_the_target_changed_is_not_listed(self, lumos: Lumos, branched: Path) -> None:
        settle(branched, fail_on="non-breaking")
        changes = lumos("snap", "diff", "--base", "main", "--json").json["policy_changes"]
        assert [one["setting"] for one in changes] == ["policy.fail_on"]
        assert changes[0]["effect"] == "stricter"

    def test_the_old_one_of_two_folders_is_the_target(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        settle(shop, **STRICT)
        new = tmp_path / "new"
        shutil.copytree(shop, new)
        settle(new)
        add_column(new)
        ran = lumos("snap", "diff", shop, new)
        assert (ran.code, "policy.rules.field-added" in ran.out) == (1, True)

    def test_without_a_base_there_is_no_other_policy(self, lumos: Lumos, shop: Path) -> None:
        settle(shop, rules={"dataset-added": "breaking"})
        commit(shop)
        settle(shop)
        assert lumos("snap", "diff", "--base", "none").code == 0

    def test_settings_of_the_target_that_cannot_be_read_are_named(
        self, lumos: Lumos, shop: Path
    ) -> None:
        sound = (shop / "lumos.yaml").read_text()
        (shop / "lumos.yaml").write_text("version: 1\npolicy: {fail_on: braking}\n")
        commit(shop)
        (shop / "lumos.yaml").write_text(sound)
        ran = lumos("snap", "diff")
        assert (ran.code, "the policy of `HEAD` cannot be read" in ran.out) == (0, True)

    def test_where_the_target_cannot_be_read_the_default_policy_judges_too(
        self, lumos: Lumos, shop: Path
    ) -> None:
        """Whoever repairs the settings cannot loosen them below the default unseen."""
        (shop / "lumos.yaml").write_text("version: 1\npolicy: {fail_on: braking}\n")
        commit(shop)
        settle(shop, fail_on="none")
        edit(shop / RAW, drop("coupon"))
        ran = lumos("snap", "diff", "--json")
        assert ran.code == 1
        assert [one["setting"] for one in ran.json["policy_changes"]] == ["policy.fail_on"]
        assert ran.json["policy_changes"][0]["effect"] == "looser"


def test_a_change_that_only_follows_the_target_changes_nothing(
    lumos: Lumos, branched: Path
) -> None:
    git(branched, "merge", "-q", "--no-edit", "main")
    edit(branched / RAW, drop("coupon"))
    assert lumos("snap", "diff", "--base", "main", "--json").json["policy_changes"] == []
