"""`/lumos waive …` in a pull request: a commit by its author, a status, and an answer."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from lumos_snap.commands.schema import read_schema
from tests.ci.conftest import Job, run_number, told
from tests.ci.github import Fault, GitHub
from tests.cli.conftest import Ran
from tests.cli.test_diff import ORDERS, add, commit, drop, edit, git
from tests.cli.test_target_policy import settle
from tests.render.dom import parsed, rendered, tags

Say = Callable[..., Ran]


@pytest.fixture
def offered(shop: Path, hub: GitHub, tmp_path: Path) -> str:
    """A pull request of jane's that drops a column, checked out as a job does; its fingerprint."""
    git(shop, "switch", "-qc", "feature")
    edit(shop / ORDERS, drop("coupon"))
    commit(shop)
    offer(shop, hub, tmp_path)
    hub.permissions["bob"] = "write"
    return fingerprint(shop)


def offer(shop: Path, hub: GitHub, folder: Path) -> None:
    """Push what is there, as the pull request that GitHub knows."""
    hub.origin = folder / "origin.git"
    if not hub.origin.exists():
        git(shop, "clone", "-q", "--bare", ".", str(hub.origin))
        git(shop, "remote", "add", "origin", str(hub.origin))
    git(shop, "push", "-qf", "origin", "main", "feature")
    git(shop, "fetch", "-q", "origin")
    hub.pulls.clear()
    hub.add_pull(git(shop, "rev-parse", "feature"))
    git(shop, "switch", "-q", "--detach", "feature")


def fingerprint(shop: Path) -> str:
    from lumos_snap.cli import main  # noqa: PLC0415 - the command, without its output

    main(["snap", "diff", "-C", str(shop), "--base", "main", f"--output=json={shop}/../d.json"])
    report = json.loads((shop.parent / "d.json").read_text())
    found: str = report["datasets"][0]["findings"][0]["fingerprint"]
    return found


@pytest.fixture
def say(job: Job, shop: Path, offered: str) -> Say:
    """Write a comment, and run what it starts."""

    def run(body: str | None = None, login: str = "bob", **more: Any) -> Ran:
        arguments = more.pop("arguments", ())
        text = f"/lumos waive {offered} until=2999-12-31 reason=agreed" if body is None else body
        user = {"login": login, "id": 4242, "type": more.pop("kind", "User")}
        url = "https://github.example/acme/lake/pull/7#issuecomment-5"
        payload = {
            "action": "created",
            "issue": {"number": 7, "pull_request": {"url": "x"}, "state": "open"},
            "comment": {"id": 5, "body": text, "user": user, "html_url": url},
            "repository": {"full_name": "acme/lake", "default_branch": "main"},
            **more,
        }
        variables = told(shop.parent, payload, "issue_comment") | run_number(3)
        return job("snap", "respond", *arguments, more=variables)

    return run


def tip(hub: GitHub) -> str:
    assert hub.origin is not None
    return git(hub.origin, "rev-parse", "feature")


def answer(hub: GitHub) -> str:
    return hub.bodies()[-1]


class TestWaived:
    def test_the_waiver_is_a_commit_of_its_author_on_the_branch(
        self, say: Say, hub: GitHub, shop: Path, offered: str
    ) -> None:
        head = tip(hub)
        ran = say(arguments=["--json"])
        assert ran.code == 0, ran
        report = ran.json
        Draft202012Validator(json.loads(read_schema("output/respond"))).validate(report)
        assert (report["outcome"], report["verdict"], report["commit"]) == (
            "waived", "pass", tip(hub),
        )  # fmt: skip
        assert hub.origin is not None
        shown = git(hub.origin, "show", "-s", "--format=%P%n%an%n%ae%n%cn%n%ce", "feature").split(
            "\n"
        )
        bot, bob = "github-actions[bot]", "4242+bob@users.noreply.github.example"
        assert shown == [head, "bob", bob, bot, f"41898282+{bot}@users.noreply.github.example"]
        changed = git(hub.origin, "diff", "--name-only", head, "feature")
        assert changed == report["path"]
        (waiver,) = yaml.safe_load(git(hub.origin, "show", f"feature:{changed}"))["waivers"]
        assert waiver == {
            "fingerprint": offered, "reason": "agreed", "owner": "bob", "expires": "2999-12-31",
        }  # fmt: skip

    def test_the_status_of_that_commit_is_set_and_the_thread_hears_of_it(
        self, say: Say, hub: GitHub
    ) -> None:
        say()
        (status,) = hub.statuses
        assert (status["sha"], status["state"]) == (tip(hub), "success")
        assert status["context"] == "lumos/Snapshots/gate"
        kept, reply = hub.bodies()
        assert kept.startswith("<!-- lumos-snap Snapshots/gate run=3.1 -->")
        assert "### ⚠️ New waivers" in kept
        assert reply.startswith("`bob` waived until 2999-12-31 in waivers/")

    def test_a_fresh_clone_of_the_branch_passes(
        self, say: Say, hub: GitHub, tmp_path: Path, job: Job
    ) -> None:
        say()
        clone = tmp_path / "clone"
        git(tmp_path, "clone", "-q", "--branch=feature", str(hub.origin), str(clone))
        assert job("snap", "diff", "--base", "main", "-C", clone).code == 0

    def test_a_policy_that_wants_approval_still_does(
        self, say: Say, hub: GitHub, shop: Path, tmp_path: Path
    ) -> None:
        git(shop, "switch", "-q", "main")
        settle(shop, new_waivers="approved")
        commit(shop)
        git(shop, "switch", "-q", "feature")
        offer(shop, hub, tmp_path)
        assert say().code == 0
        assert hub.statuses[0]["state"] == "failure"
        assert "has no approval that counts" in answer(hub)

    def test_other_findings_still_fail(
        self, say: Say, hub: GitHub, shop: Path, tmp_path: Path
    ) -> None:
        git(shop, "switch", "-q", "feature")
        edit(shop / ORDERS, drop("placed_at"))
        commit(shop)
        offer(shop, hub, tmp_path)
        assert say().code == 0
        assert hub.statuses[0]["state"] == "failure"

    def test_a_finding_of_several_trees_is_waived_in_one_after_the_other(
        self, say: Say, hub: GitHub, shop: Path, tmp_path: Path
    ) -> None:
        git(shop, "switch", "-q", "main")
        shutil.copytree(shop / "snapshots", shop / "other" / "snapshots")
        shutil.copy(shop / "lumos.yaml", shop / "other")
        commit(shop)
        git(shop, "switch", "-qC", "feature")
        for folder in (shop, shop / "other"):
            edit(folder / ORDERS, drop("coupon"))
        commit(shop)
        offer(shop, hub, tmp_path)
        for waivers, state in (("waivers", "failure"), ("other/waivers", "success")):
            ran = say(arguments=[".", "other", "--json"])
            assert (ran.code, ran.json["path"].rpartition("/")[0]) == (0, waivers)
            assert hub.statuses[-1]["state"] == state
            git(shop, "switch", "-q", "feature")
            git(shop, "clean", "-qfd")
            git(shop, "pull", "-q", "--ff-only", "origin", "feature")
            offer(shop, hub, tmp_path)


class TestRefused:
    def refused(self, ran: Ran, hub: GitHub, head: str, why: str) -> None:
        assert (ran.code, tip(hub), hub.statuses) == (1, head, [])
        assert why in ran.out
        (reply,) = hub.bodies()
        assert reply.startswith("`")
        assert "not waived: " in reply

    @pytest.mark.parametrize("word", ["read", "triage", "none", "unknown"])
    def test_who_may_not_write(self, say: Say, hub: GitHub, word: str) -> None:
        hub.permissions["bob"] = word
        self.refused(say(), hub, tip(hub), "bob may not write to acme/lake")

    def test_who_is_no_owner(self, say: Say, hub: GitHub, shop: Path, tmp_path: Path) -> None:
        git(shop, "switch", "-q", "main")
        (shop / "CODEOWNERS").write_text("/waivers/ @carol @acme/data\n")
        commit(shop)
        offer(shop, hub, tmp_path)
        self.refused(say(), hub, tip(hub), "none of bob is known to own it")
        hub.permissions["carol"] = "write"
        assert say(login="carol").code == 0

    @pytest.mark.parametrize(
        "body",
        [
            "/lumos waive ffff until=2999-12-31 reason=x",
            "/lumos waive 3f2a until=2020-01-01 reason=x",
            "/lumos frob",
            "/lumos waive ../../.github/workflows/x until=2999-12-31 reason=x",
        ],
    )
    def test_what_is_no_finding_or_no_command(self, say: Say, hub: GitHub, body: str) -> None:
        self.refused(say(body), hub, tip(hub), "refused: ")

    def test_the_beginning_of_two_fingerprints(
        self, say: Say, hub: GitHub, shop: Path, tmp_path: Path
    ) -> None:
        git(shop, "switch", "-q", "main")
        for name in ("c172", "c461"):
            edit(shop / ORDERS, add(name))
        commit(shop)
        git(shop, "switch", "-qC", "feature")
        for name in ("c172", "c461"):
            edit(shop / ORDERS, drop(name))
        commit(shop)
        offer(shop, hub, tmp_path)
        ran = say("/lumos waive 0462 until=2999-12-31 reason=x")
        self.refused(ran, hub, tip(hub), "0462 begins several fingerprints")

    def test_a_branch_of_a_fork(self, say: Say, hub: GitHub) -> None:
        hub.pulls[0]["head"]["repo"] = {"full_name": "eve/lake"}
        self.refused(say(), hub, tip(hub), "the branch is in a fork (eve/lake)")
        assert "run \\`lumos snap waive\\` on the branch" in answer(hub)

    def test_a_pull_request_that_is_closed(self, say: Say, hub: GitHub) -> None:
        hub.pulls[0]["state"] = "closed"
        self.refused(say(), hub, tip(hub), "the pull request is closed")

    def test_a_head_that_is_not_checked_out(self, say: Say, hub: GitHub) -> None:
        hub.pulls[0]["head"]["sha"] = "5" * 40
        self.refused(say(), hub, tip(hub), "the branch has moved on to 5555555555")

    def test_what_is_waived_already(
        self, say: Say, hub: GitHub, shop: Path, tmp_path: Path, offered: str
    ) -> None:
        say()
        git(shop, "switch", "-q", "feature")
        git(shop, "clean", "-qfd")
        git(shop, "pull", "-q", "--ff-only", "origin", "feature")
        offer(shop, hub, tmp_path)
        assert (say().code, f"{offered} is waived already" in answer(hub)) == (1, True)

    def test_a_link_in_place_of_the_folder(
        self, say: Say, hub: GitHub, shop: Path, tmp_path: Path
    ) -> None:
        git(shop, "switch", "-q", "feature")
        (shop / "waivers").symlink_to(tmp_path)
        commit(shop)
        offer(shop, hub, tmp_path)
        ran = say()
        assert (ran.code in (1, 3), tip(hub)) == (True, hub.pulls[0]["head"]["sha"])
        assert list(tmp_path.glob("*.yaml")) == []


class TestNotDone:
    def test_a_push_meanwhile_is_not_lost(
        self, say: Say, hub: GitHub, shop: Path, tmp_path: Path
    ) -> None:
        other = tmp_path / "other"
        git(tmp_path, "clone", "-q", "--branch=feature", str(hub.origin), str(other))
        (other / "README").write_text("more\n")
        commit(other)
        git(other, "push", "-q", "origin", "feature")
        pushed = tip(hub)
        ran = say()
        assert (ran.code, tip(hub), hub.statuses) == (3, pushed, [])
        assert "not a fast forward" in answer(hub)

    @pytest.mark.parametrize("path", ["/git/refs", "/git/trees", "/permission"])
    def test_a_server_that_refuses_is_told_in_the_thread(
        self, say: Say, hub: GitHub, path: str
    ) -> None:
        head = tip(hub)
        for method in ("PATCH", "POST", "GET"):
            words = "Resource not accessible by integration"
            hub.faults.append(Fault(method, path, 403, words))
        ran = say()
        assert (ran.code, tip(hub)) == (3, head)
        assert "failed: " in answer(hub)

    @pytest.mark.parametrize(
        ("body", "more"),
        [
            ("Looks good to me", {}),
            (None, {"action": "edited"}),
            (None, {"kind": "Bot"}),
            (None, {"issue": {"number": 7, "state": "open"}}),
        ],
    )
    def test_a_comment_to_people_gets_no_answer(
        self, say: Say, hub: GitHub, body: str | None, more: dict[str, Any]
    ) -> None:
        ran = say(body, **more)
        assert (ran.code, hub.bodies(), hub.asked) == (0, [], [])
        assert ran.out.startswith("ignored: ")


HOSTILE = (
    "$(touch /tmp/x) `id` ${{ secrets.GITHUB_TOKEN }} ::set-output name=x::y @everyone "
    "<img src=x onerror=alert(1)> \"' : # - [a](javascript:x) \\n waivers: [] --- !!python"
)


def test_a_hostile_reason_is_only_text(say: Say, hub: GitHub, offered: str, shop: Path) -> None:
    ran = say(f"/lumos waive {offered} until=2999-12-31 reason={HOSTILE}")
    assert ran.code == 0
    (file,) = (shop / "waivers").glob("*.yaml")
    (waiver,) = yaml.safe_load(file.read_text())["waivers"]
    assert waiver["reason"] == HOSTILE
    for body in hub.bodies():
        assert "img" not in tags(parsed(rendered(body)))
        assert "@everyone" not in body  # nobody is called
    assert not any(line.startswith("::") for line in ran.out.splitlines())


class TestWorkflow:
    def test_it_has_no_more_rights_than_it_needs(self, root: Path) -> None:
        text = (root / "ci/github/waive.yml").read_text()
        workflow = yaml.safe_load(text)
        ((name, job),) = workflow["jobs"].items()
        assert (workflow["permissions"], name) == ({}, "waive")
        rights = {"contents": "write", "pull-requests": "write", "statuses": "write"}
        assert job["permissions"] == rights
        checkout, action = job["steps"]
        assert checkout["with"]["persist-credentials"] is False
        assert checkout["with"]["ref"] == "refs/pull/${{ github.event.issue.number }}/head"
        assert all("run" not in step for step in (checkout, action))
        assert "comment.body" not in str(job["steps"])
        assert "pull_request_target" not in text
