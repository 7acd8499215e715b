"""The workflow that waives from the thread, run by act: GitHub's API, a real repository."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ci.conftest import CUSTOMERS, drop, edit
from tests.ci.github import GitHub, github
from tests.world.action.runs import Runner, checkout, git, packages, repository

pytestmark = pytest.mark.world
REPORT = "the gate says pass of"


@pytest.fixture
def hub() -> Iterator[GitHub]:
    with github() as served:
        yield served


@pytest.fixture
def runner(root: Path, hub: GitHub, tmp_path: Path) -> Runner:
    """A pull request that drops a column, checked out where the workflow runs."""
    home, action = tmp_path / "home", tmp_path / "action"
    home.mkdir()
    action.mkdir()
    made = repository(root, tmp_path)
    edit(made / CUSTOMERS, drop("email"))
    git(made, "commit", "-qam", "Drop")
    git(made, "push", "-q", tmp_path / "origin.git", "more", "more:refs/pull/7/head")
    hub.origin = tmp_path / "origin.git"
    hub.add_pull(git(made, "rev-parse", "HEAD"))
    hub.pulls[0]["head"]["ref"] = "more"
    hub.permissions["bob"] = "write"
    found = Runner(home, checkout(root, action), hub, made, packages(root))
    return replace(found, stubs=_checkout(made, hub.origin, tmp_path / "stub"))


SCRIPT = """\
git init -q .
git remote add origin "file://$ORIGIN"
git fetch -q origin '+refs/heads/*:refs/remotes/origin/*' "+$REF:refs/remotes/pull/head"
git checkout -q --detach refs/remotes/pull/head
"""


def _checkout(made: Path, origin: Path, stub: Path) -> dict[str, Path]:
    """The checkout of a ref that only GitHub has, with the whole history, into an empty folder."""
    text = (made / ".github/workflows/waive.yml").read_text()
    (used,) = re.findall(r"actions/checkout@\w+", text)
    names = ("ref", "fetch-depth", "persist-credentials")
    stub.mkdir()
    variables = {"REF": "${{ inputs.ref }}", "ORIGIN": str(origin)}
    step = {"shell": "bash", "env": variables, "run": SCRIPT}
    action = {
        "name": "checkout",
        "description": "as GitHub plays it",
        "inputs": {name: {"description": name} for name in names},
        "runs": {"using": "composite", "steps": [step]},
    }
    (stub / "action.yml").write_text(yaml.safe_dump(action))
    git(stub, "init", "-qb", "main")
    git(stub, "add", "-A")
    git(stub, "commit", "-qm", "Stub")
    return {used: stub}


def said(body: str, login: str = "bob") -> dict[str, Any]:
    user = {"login": login, "id": 4242, "type": "User"}
    return {
        "action": "created",
        "issue": {"number": 7, "pull_request": {"url": "x"}, "state": "open"},
        "comment": {"id": 5, "body": body, "user": user, "html_url": "https://github.example/5"},
        "repository": {"full_name": "acme/lake", "default_branch": "main"},
    }


def fingerprint(runner: Runner) -> str:
    from lumos_snap.cli import main  # noqa: PLC0415 - the command, without its output

    file = runner.home / "diff.ndjson"
    main(["snap", "diff", "-C", str(runner.folder), "--base", "main", f"--output=ndjson={file}"])
    (found,) = re.findall(r'"fingerprint":"(\w+)"', file.read_text())
    return str(found)


def test_a_comment_becomes_a_commit_a_status_and_an_answer(runner: Runner, hub: GitHub) -> None:
    trap = runner.home / "trap"
    hostile = f"$(touch {trap}) `touch {trap}` ${{{{ github.token }}}}'\"; touch {trap} #"
    body = f"/lumos waive {fingerprint(runner)} until=2999-12-31 reason={hostile}"
    ended = runner.workflow("waive.yml", "issue_comment", said(body), number=3)
    assert ended.code == 0, ended.said
    assert hub.origin is not None
    tip = git(hub.origin, "rev-parse", "more")
    assert git(hub.origin, "show", "-s", "--format=%an", tip) == "bob"
    (status,) = hub.statuses
    assert (status["sha"], status["state"]) == (tip, "success")
    assert status["context"] == "lumos/Snapshots/gate"
    assert REPORT in hub.bodies()[-1]
    assert not trap.exists()


def test_who_may_not_write_is_answered(runner: Runner, hub: GitHub) -> None:
    body = f"/lumos waive {fingerprint(runner)} until=2999-12-31 reason=x"
    ended = runner.workflow("waive.yml", "issue_comment", said(body, "eve"), number=3)
    assert ended.code == 1, ended.said
    assert "eve may not write to acme/lake" in hub.bodies()[-1]
    assert hub.statuses == []


def test_a_comment_to_people_starts_nothing(runner: Runner, hub: GitHub) -> None:
    ended = runner.workflow("waive.yml", "issue_comment", said("Looks good"), number=3)
    assert (ended.code, hub.asked) == (0, []), ended.said
