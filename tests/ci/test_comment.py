"""`lumos snap comment` against GitHub's API: one comment, edited in place, and a status."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lumos_snap.render.json_report import to_json
from tests.ci.conftest import CUSTOMERS, HEAD, Job, drop, edit, pull_request, run_number, told
from tests.ci.differences import difference
from tests.ci.github import PERSON, READER, Fault, GitHub, offered

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str, text: str, request: pytest.FixtureRequest) -> None:
    # Commits are other ones as soon as a file of the example is.
    text = re.sub(r"`[0-9a-f]{10}`", "`0000000000`", text)
    path = GOLDEN / name
    if request.config.getoption("--rewrite-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.read_text() == text


@pytest.fixture
def broken(shop: Path) -> Path:
    edit(shop / CUSTOMERS, drop("marketing_consent"))
    return shop


def comment(job: Job, folder: Path, *arguments: str, number: int = 1) -> str:
    """What a run of the command prints; it must end well."""
    more = told(folder.parent, pull_request()) | run_number(number)
    ran = job("snap", "comment", *arguments, more=more)
    assert ran.code == 0, ran.err
    return ran.out


class TestOneComment:
    def test_the_first_push_is_commented(
        self, job: Job, hub: GitHub, broken: Path, request: pytest.FixtureRequest
    ) -> None:
        said = comment(job, broken)
        assert "pull request 7 of acme/lake: commented https://github.example/acme/lake" in said
        (body,) = hub.bodies()
        assert body.startswith("<!-- lumos-snap Snapshots/gate run=1.1 -->\n")
        golden("first-push.md", body, request)

    def test_the_second_push_edits_it(self, job: Job, hub: GitHub, broken: Path) -> None:
        comment(job, broken)
        edit(broken / CUSTOMERS, drop("created_at"))
        assert "edited" in comment(job, broken, number=2)
        (body,) = hub.bodies()
        assert "created\\_at was removed" in body
        assert len(hub.sent("POST")) - len(hub.statuses) == 1

    def test_a_push_that_mends_it_says_that_all_is_well(
        self, job: Job, hub: GitHub, broken: Path, request: pytest.FixtureRequest
    ) -> None:
        comment(job, broken)
        subprocess.run(["git", "checkout", "-q", "."], cwd=broken, check=True)
        assert "edited" in comment(job, broken, number=2)
        (body,) = hub.bodies()
        golden("all-is-well.md", body, request)
        assert [one["state"] for one in hub.statuses] == ["failure", "success"]

    def test_nothing_is_said_where_there_is_nothing_to_say(
        self, job: Job, hub: GitHub, shop: Path
    ) -> None:
        assert "there is nothing to say" in comment(job, shop)
        assert hub.bodies() == []
        assert [one["state"] for one in hub.statuses] == ["success"]

    def test_each_configuration_has_its_own(self, job: Job, hub: GitHub, broken: Path) -> None:
        for number in (1, 2):
            comment(job, broken, "--marker", "strict", number=number)
            comment(job, broken, "--marker", "loose", number=number)
        assert len(hub.bodies()) == 2
        assert {one["context"] for one in hub.statuses} == {"lumos/strict", "lumos/loose"}

    def test_it_is_found_on_a_later_page(self, job: Job, hub: GitHub, broken: Path) -> None:
        hub.page = 2
        for number in range(5):
            hub.add_comment(f"chat {number}", login="joe", kind="User")
        comment(job, broken)
        hub.add_comment("more chat", login="joe", kind="User")
        assert "edited" in comment(job, broken, number=2)
        assert len(hub.bodies()) == 7

    def test_one_that_somebody_else_wrote_is_not_ours(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        forged = hub.add_comment(
            "<!-- lumos-snap Snapshots/gate -->\nPass", login="mallory", kind="User"
        )
        assert "commented" in comment(job, broken)
        assert hub.comments[forged]["body"].endswith("Pass")

    def test_a_person_s_token_finds_that_person_s_comment(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        hub.add_comment("<!-- lumos-snap Snapshots/gate -->\nby a bot")
        for number in (1, 2):
            more = told(broken.parent, pull_request()) | run_number(number)
            assert job("snap", "comment", more=more | {"GITHUB_TOKEN": PERSON}).code == 0
        assert [one["user"]["login"] for one in hub.comments.values()] == [
            "github-actions[bot]",
            "jane",
        ]

    def test_two_runs_that_meet_leave_one(self, job: Job, hub: GitHub, broken: Path) -> None:
        def another_run() -> None:
            comment(job, broken, number=2)

        hub.after_create = another_run
        comment(job, broken, number=1)
        (body,) = hub.bodies()
        assert "run=2.1" in body

    def test_of_several_the_oldest_is_kept(self, job: Job, hub: GitHub, broken: Path) -> None:
        """Its address is the one that people have; replies stand below it."""
        first, _, _ = (
            hub.add_comment(f"<!-- lumos-snap Snapshots/gate run={number}.1 -->\nold")
            for number in (2, 1, 3)
        )
        assert f"#issuecomment-{first}" in comment(job, broken, number=4)
        assert list(hub.comments) == [first]
        assert "field-removed" in hub.comments[first]["body"]

    def test_a_request_that_was_heard_but_not_answered_leaves_one(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        hub.faults.append(Fault("POST", "comments", 502, is_done=True))
        comment(job, broken)
        assert len(hub.bodies()) == 1

    def test_a_list_that_lags_behind_makes_no_second_one(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        hub.lags = True
        comment(job, broken)
        assert len(hub.bodies()) == 1

    def test_an_older_run_leaves_what_a_later_one_says(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        comment(job, broken, number=2)
        before = hub.bodies()
        assert "a later run has spoken" in comment(job, broken, number=1)
        assert hub.bodies() == before

    def test_one_that_is_deleted_meanwhile_is_written_again(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        comment(job, broken)
        hub.faults.append(Fault("PATCH", "comments", 404, "Not Found"))
        (one,) = hub.comments
        comment(job, broken, number=2)
        assert len(hub.bodies()) == 1
        assert hub.comments[one]["body"].startswith("<!-- lumos-snap Snapshots/gate run=2.1")


class TestStatus:
    def test_it_is_of_the_commit_that_is_offered(self, job: Job, hub: GitHub, broken: Path) -> None:
        comment(job, broken)
        (status,) = hub.statuses
        assert status == {
            "sha": HEAD,
            "state": "failure",
            "context": "lumos/Snapshots/gate",
            "description": "1 breaking change",
            "target_url": "https://github.example/acme/lake/actions/runs/1",
        }

    def test_it_is_left_out_where_nobody_wants_it(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        comment(job, broken, "--no-status")
        assert hub.statuses == []

    def test_a_pull_request_can_be_named(self, job: Job, hub: GitHub, broken: Path) -> None:
        hub.pulls.append({"number": 9, "head": {"sha": "9" * 40, "label": "acme:x"}})
        ran = job("snap", "comment", "--pr", "9", "--repo", "acme/lake", "--base", "main")
        assert ran.code == 0, ran.err
        assert len(hub.bodies(9)) == 1
        assert hub.statuses[0]["sha"] == "9" * 40

    def test_of_another_pull_request_it_is_of_that_one_s_commit(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        hub.pulls.append({"number": 9, "head": {"sha": "9" * 40, "label": "acme:x"}})
        comment(job, broken, "--pr", "9")
        assert [one["sha"] for one in hub.statuses] == ["9" * 40]


class TestSeveralTrees:
    def test_they_share_one_comment(
        self, job: Job, hub: GitHub, broken: Path, request: pytest.FixtureRequest
    ) -> None:
        lake, shop = broken.parent / "lake.json", broken.parent / "shop=1.json"
        job("snap", "diff", "--base", "main", "--output", f"json={shop}")
        job("snap", "diff", "--base", "HEAD", "--head", "HEAD", "--output", f"json={lake}")
        named = (f"--changes=lake={lake}", f"--changes=teams/shop={shop}", f"--changes={shop}")
        comment(job, broken, *named)
        (body,) = hub.bodies()
        golden("several-trees.md", body, request)


class TestLength:
    def test_one_that_github_finds_too_long_is_sent_again_and_shorter(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        wide = broken.parent / "wide.json"
        names = [f"column_{number}" for number in range(100)]
        wide.write_text(to_json(difference(*names)))
        hub.longest = 30_000
        comment(job, broken, *(f"--changes={name}={wide}" for name in "abcdefghijklmno"))
        first, second = (one.content["body"] for one in hub.sent("POST")[:2])
        assert len(first) > 30_000
        assert hub.bodies() == [second]
        assert len(second) < 21_000
        assert "There is more" in second


def _after(folder: Path, owner: str, branch: str) -> dict[str, str]:
    """The event that follows the run of a fork's pull request."""
    repository = {"owner": {"login": owner}}
    run = {"head_sha": HEAD, "head_branch": branch, "head_repository": repository}
    return told(folder.parent, {"workflow_run": run}, "workflow_run")


class TestForks:
    def test_a_token_that_may_only_read_is_no_failure(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        more = told(broken.parent, pull_request(fork="mallory/lake")) | run_number(1)
        ran = job("snap", "comment", more=more | {"GITHUB_TOKEN": READER})
        assert ran.code == 0
        assert "may only read" in ran.out
        assert hub.bodies() == []

    def test_what_another_run_left_is_told_to_the_pull_request_that_github_names(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        report = broken.parent / "report"
        job("snap", "gate", "--base", "main", "--report", report)
        for number, sha in ((11, "a" * 40), (12, HEAD)):
            hub.pulls.append(offered(number, sha, "mallory", "more"))
        changes = ("--changes", report / "gate.json")
        ran = job("snap", "comment", *changes, more=_after(broken, "mallory", "more"))
        assert ran.code == 0, ran.err
        assert len(hub.bodies(12)) == 1
        assert hub.bodies(11) == []
        assert hub.statuses == []  # a fork may have shaped what the report says

    def test_a_server_that_lists_all_pull_requests_has_only_the_right_one_written_to(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        report = broken.parent / "report"
        job("snap", "gate", "--base", "main", "--report", report)
        hub.ignores_head = True
        others = (("jane", "more"), ("mallory", "else"), ("mallory", "more"))
        hub.pulls += [offered(n, HEAD, *whose) for n, whose in enumerate(others, 11)]
        changes = ("--changes", report / "gate.json")
        ran = job("snap", "comment", *changes, more=_after(broken, "mallory", "more"))
        assert ran.code == 0, ran.err
        assert [number for number in (11, 12, 13) if hub.bodies(number)] == [13]

    def test_a_pull_request_that_has_moved_on_is_left_alone(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        report = broken.parent / "report"
        job("snap", "gate", "--base", "main", "--report", report)
        changes = ("--changes", report / "gate.json")
        ran = job("snap", "comment", *changes, more=_after(broken, "m", "x"))
        assert ran.code == 0
        assert "nobody asks" in ran.out


class TestDryRun:
    def test_it_prints_the_comment_and_needs_nobody(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        ran = job("snap", "comment", "--base", "main", "--dry-run", more={"GITHUB_TOKEN": ""})
        assert ran.code == 0
        assert ran.out.startswith("<!-- lumos-snap lumos -->\n## ❌ Fail")
        assert hub.asked == []

    def test_it_is_json_for_machines(self, job: Job, broken: Path) -> None:
        ran = job("snap", "comment", "--base", "main", "--dry-run", "--json")
        assert json.loads(ran.out)["outcome"] == "not sent"


class TestBadInput:
    """One clear message each, and the right exit code."""

    def test_no_pull_request_is_meant(self, job: Job, broken: Path) -> None:
        ran = job("snap", "comment", "--base", "main")
        assert ran.code == 2
        assert "which pull request is meant is not said" in ran.err
        assert "--pr" in ran.err

    def test_nothing_says_what_to_compare_with(self, job: Job, broken: Path) -> None:
        assert "what to compare with is not said" in job("snap", "comment", "--pr", "7").err

    def test_two_questions_at_once(self, job: Job, broken: Path) -> None:
        assert job("snap", "comment", "--base", "main", "--changes", "x.json").code == 2

    @pytest.mark.parametrize("name", ["lake", "/lake", "acme/", "a/b/c", "../x", "acme/..", ""])
    def test_a_repository_that_is_none(self, job: Job, broken: Path, name: str) -> None:
        variables = {"GITHUB_REPOSITORY": ""}
        asked = ("snap", "comment", "--base", "main", "--pr", "7", "--repo", name)
        ran = job(*asked, more=variables)
        assert ran.code == 2
        assert "repository" in ran.err

    @pytest.mark.parametrize("repository", ["acme/other", "acme/\udcff", "a b/c?d#e"])
    def test_a_repository_that_is_not_there(self, job: Job, broken: Path, repository: str) -> None:
        ran = job("snap", "comment", "--base", "main", "--pr", "7", "--repo", repository)
        assert ran.code == 3
        assert "knows nothing of it (404: Not Found)" in ran.err

    def test_a_pull_request_that_is_not_there(self, job: Job, hub: GitHub, broken: Path) -> None:
        hub.faults.append(Fault("GET", "issues/99/comments", 404, "Not Found"))
        ran = job("snap", "comment", "--base", "main", "--pr", "99")
        assert ran.code == 3
        assert "issues/99/comments" in ran.err

    def test_a_base_that_is_not_there_is_no_comment(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        ran = job("snap", "comment", "--base", "gone", "--pr", "7")
        assert ran.code == 3
        assert "gone: no such branch" in ran.err
        assert hub.asked == []

    def test_a_comparison_that_is_impossible_ends_as_a_diff_does(
        self, job: Job, hub: GitHub, broken: Path
    ) -> None:
        shutil.rmtree(broken / ".git")
        asked = ("--base", "main")
        assert (
            job("snap", "diff", *asked).code == job("snap", "comment", *asked, "--pr=7").code == 3
        )
        assert hub.asked == []

    @pytest.mark.parametrize("content", ["", "{", '{"report": "ls", "version": 1}'])
    def test_changes_that_are_none(self, job: Job, hub: GitHub, broken: Path, content: str) -> None:
        (broken / "diff.json").write_text(content)
        ran = job("snap", "comment", "--changes", "diff.json", "--pr", "7")
        assert ran.code == 2
        assert "diff.json" in ran.err
        assert hub.asked == []
