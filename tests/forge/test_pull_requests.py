"""The pull request template on a real forge: a real runner, real comments, real merges."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ci.conftest import CUSTOMERS, drop, edit
from tests.forge.conftest import New
from tests.forge.gitea import Forge
from tests.world.pipelines.jobs import step

STATUS = "lumos/Snapshots/gate"


def writing(template: str) -> str:
    """A status needs this permission on Gitea."""
    return template.replace("contents: read", "contents: write")


def reading(template: str) -> str:
    """A job that may check out, and nothing else."""
    lines = template.splitlines(keepends=True)
    return "".join(x for x in lines if not x.lstrip().startswith(("pull-requests:", "statuses:")))


def test_a_red_gate_comments_and_blocks_and_a_green_one_edits_and_merges(project: New) -> None:
    lake = project("lake", writing)
    whole = (lake.folder / CUSTOMERS).read_bytes()
    lake.drop("email")
    first = lake.push("more")
    number = lake.offer("more")
    run = lake.ended(first)
    assert run["conclusion"] == "failure", lake.log(run)
    assert lake.comments(number), lake.log(run)
    (comment,) = lake.comments(number)
    assert "❌ Fail" in comment["body"]
    assert "email was removed" in comment["body"]
    assert lake.statuses(first)[STATUS] == "failure"
    assert lake.merge(number) == 405

    lake.drop("phone")
    assert lake.ended(lake.push("more"))["conclusion"] == "failure"
    (edited,) = lake.comments(number)
    assert edited["id"] == comment["id"]
    assert "phone was removed" in edited["body"]

    (lake.folder / CUSTOMERS).write_bytes(whole)
    lake.commit("Keep all columns")
    last = lake.push("more")
    run = lake.ended(last)
    assert run["conclusion"] == "success", lake.log(run)
    (edited,) = lake.comments(number)
    assert edited["id"] == comment["id"]
    assert "✅ Pass" in edited["body"]
    assert lake.statuses(last)[STATUS] == "success"
    assert lake.merge(number) == 200


def test_with_github_s_permissions_a_status_is_refused_and_the_verdict_stays(project: New) -> None:
    lake = project("as-on-github")
    lake.drop("email")
    commit = lake.push("more")
    number = lake.offer("more")
    run = lake.ended(commit)
    log = lake.log(run)
    assert "the token may not do this (403: user should have a permission to write" in log
    assert "the token lacks `contents: write`" in log
    assert "Process completed with exit code 1." in log
    assert STATUS not in lake.statuses(commit)
    assert len(lake.comments(number)) == 1


@pytest.mark.parametrize("verdict", ["pass", "fail"])
def test_a_token_without_permissions_changes_no_verdict(project: New, verdict: str) -> None:
    # In a public repository every token may read and comment.
    lake = project(f"closed-{verdict}", reading, is_private=True)
    if verdict == "fail":
        lake.drop("email")
    else:
        edit(lake.folder / CUSTOMERS, described)
        lake.commit("Describe")
    commit = lake.push("more")
    number = lake.offer("more")
    run = lake.ended(commit)
    log = lake.log(run)
    assert run["conclusion"] == ("failure" if verdict == "fail" else "success"), log
    assert "cannot write the comment: " in log, log
    assert "`pull-requests: write`" in log
    assert "lacks `contents: write`" in log
    assert lake.comments(number) == []
    assert lake.merge(number) == (405 if verdict == "fail" else 200)


def described(document: dict[str, Any]) -> None:
    document["schema"]["fields"][-1].update(description="When it was made.")


def test_a_fork_is_judged_after_approval(project: New, forge: Forge) -> None:
    lake = project("forked")
    answer = forge.ask("POST", f"/repos/{lake.name}/forks", {}, user="mallory")
    assert answer.status == 202, answer
    lake.drop("email")
    commit = forge.push(lake.folder, "mallory/forked", "mallory", "HEAD:refs/heads/more")
    number = lake.offer("mallory:more", user="mallory")
    waiting = forge.wait(lambda: forge.runs(lake.name, commit))
    assert lake.comments(number) == []
    forge.approve(lake.name, waiting[0])
    run = lake.ended(commit)
    log = lake.log(run)
    assert run["conclusion"] == "failure", log
    assert "email was removed" in log
    # On Gitea the token of a fork may comment in a public repository, and set no status.
    assert len(lake.comments(number)) == 1, log
    assert "cannot set the commit status" not in log  # that is expected of a fork
    assert STATUS not in lake.statuses(commit)
    assert lake.merge(number) == 405


def test_two_pushes_at_once_leave_one_comment_that_is_the_later_one_s(project: New) -> None:
    lake = project("twice")
    lake.drop("email")
    first = lake.push("more")
    number = lake.offer("more")
    lake.drop("phone")
    second = lake.push("more")
    assert lake.ended(second)["conclusion"] == "failure"
    lake.ended(first)
    (comment,) = lake.comments(number)
    assert "phone was removed" in comment["body"]
    assert "email was removed" in comment["body"]


def test_only_the_pull_request_that_offers_a_commit_is_commented(
    project: New, forge: Forge, tmp_path: Path
) -> None:
    """Gitea ignores the filter `head`: a report must not reach another pull request."""
    lake = project("others")
    edit(lake.folder / CUSTOMERS, drop("email"))
    lake.commit("Drop email")
    commit = lake.push("somebody-else")
    lake.push("more")
    theirs, ours = lake.offer("somebody-else"), lake.offer("more")
    lake.ended(commit)
    before = [one["body"] for one in lake.comments(theirs)]
    event = tmp_path / "event.json"
    repository = {"full_name": lake.name, "owner": {"login": "acme"}}
    said = {"head_sha": commit, "head_branch": "more", "head_repository": repository}
    event.write_text(json.dumps({"workflow_run": said}))
    environment = {
        **forge.environment,
        "GITHUB_API_URL": f"{forge.url}/api/v1",
        "GITHUB_TOKEN": forge.token("acme", "write:issue", "write:repository", "read:user"),
        "GITHUB_REPOSITORY": lake.name,
        "GITHUB_EVENT_NAME": "workflow_run",
        "GITHUB_EVENT_PATH": str(event),
    }
    lumos = [sys.executable, "-m", "lumos_snap", "snap"]
    report = tmp_path / "report"
    judged = [*lumos, "gate", "--base", "main", "--report", str(report)]
    subprocess.run(judged, cwd=lake.folder, env=dict(forge.environment), check=False)
    changes = f"--changes={report / 'gate.json'}"
    for _ in range(2):  # the second time its own comment is found again, by the person's token
        done = subprocess.run(
            [*lumos, "comment", changes, "--marker=after"],
            cwd=lake.folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert [one["body"] for one in lake.comments(theirs)] == before
    mine = [one for one in lake.comments(ours) if "lumos-snap after" in one["body"]]
    assert len(mine) == 1


NIGHTLY = {
    "scheduled-scan.yml": ("scan", "lumos/scan", [sys.executable, "-c"]),
    "sync.yml": (
        "drift",
        "lumos/drift",
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"],
    ),
}


@pytest.mark.parametrize("template", NIGHTLY)
def test_a_nightly_workflow_edits_only_its_own_pull_request(
    project: New, forge: Forge, root: Path, tmp_path: Path, template: str
) -> None:
    job, branch, shell = NIGHTLY[template]
    lake = project(f"nightly-{job}")
    lake.drop("email")
    lake.push("more")
    stranger = lake.offer("more")
    lake.push(branch)
    (lake.folder / "lumos-scan.md").write_text("what is new")
    (tmp_path / "drift.txt").write_text("what is new")
    script = step(root / "ci/github" / template, job, "Open or update the pull request")["run"]
    environment = {
        **forge.environment,
        "GITHUB_API_URL": f"{forge.url}/api/v1",
        "GITHUB_TOKEN": forge.token("acme", "write:issue", "write:repository"),
        "GITHUB_REPOSITORY": lake.name,
        "RUNNER_TEMP": str(tmp_path),
        "BRANCH": branch,
        "BASE": "main",
    }
    said = []
    for _ in range(2):
        done = subprocess.run(
            [*shell, script], cwd=lake.folder, env=environment,
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.strip())
    own = stranger + 1
    assert said == [f"opened pull request {own}", f"updated pull request {own}"]
    assert forge.get(f"/repos/{lake.name}/pulls/{stranger}")["body"] == ""
    assert "what is new" in forge.get(f"/repos/{lake.name}/pulls/{own}")["body"]
