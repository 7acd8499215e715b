"""A forge that refuses a comment or a status changes neither the verdict nor how the gate ends."""

import socket
import time
from pathlib import Path

import pytest

from tests.ci.conftest import CUSTOMERS, Job, drop, edit, pull_request, run_number, told
from tests.ci.github import NOT_ALLOWED, READER, Fault, GitHub

GITEA = "user should have a permission to write to a repo"
SCOPE = "token does not have at least one of required scope(s), required=[write:issue]"
REFUSALS = {
    "unknown token": (401, "Bad credentials", "does not know the token"),
    "GitHub's wording": (403, NOT_ALLOWED, "the token may not do this"),
    "Gitea's wording": (403, GITEA, "the token may not do this"),
    "Gitea's scopes": (403, SCOPE, "the token may not do this"),
    "nothing said": (403, "", "refuses (403)"),
    "not there": (404, "Not Found", "knows nothing of it"),
    "not taken": (422, "Validation Failed", "refuses (422: Validation Failed)"),
    "teapot": (418, "short and stout", "refuses (418: short and stout)"),
}


@pytest.fixture(autouse=True)
def _event(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (told(shop.parent, pull_request()) | run_number(1)).items():
        monkeypatch.setenv(name, value)


def change(shop: Path, verdict: str) -> int:
    """Make a change with a verdict; returns the exit code that goes with it."""
    if verdict == "pass":
        edit(shop / CUSTOMERS, lambda one: one["schema"]["fields"][-1].update(description="new"))
    elif verdict == "fail":
        edit(shop / CUSTOMERS, drop("email"))
    else:
        (shop / "lumos.yaml").write_text("version: 1\npolicy: {fail_on: braking}\n")
    return {"pass": 0, "fail": 1, "undecided": 2}[verdict]


@pytest.mark.parametrize("verdict", ["pass", "fail", "undecided"])
@pytest.mark.parametrize("kind", REFUSALS)
@pytest.mark.parametrize("place", ["comments", "statuses"])
def test_the_verdict_stays_and_the_refusal_is_shown(
    job: Job, hub: GitHub, shop: Path, place: str, kind: str, verdict: str
) -> None:
    status, said, shown = REFUSALS[kind]
    code = change(shop, verdict)
    hub.faults.append(Fault("POST", place, status, said))
    ran = job("snap", "gate", "--comment")
    assert ran.code == code, ran.err
    assert shown in ran.err
    assert "; the verdict stays" in ran.err
    # One report does not depend on the other.
    assert (len(hub.bodies()), len(hub.statuses)) == ((0, 1) if place == "comments" else (1, 0))


@pytest.mark.parametrize(
    ("method", "place", "needed"),
    [
        ("POST", "comments", "pull-requests: write"),
        ("GET", "comments", "pull-requests: write"),
        ("POST", "statuses", "statuses: write"),
    ],
)
@pytest.mark.parametrize("said", [NOT_ALLOWED, GITEA, "some other words"])
def test_the_missing_permission_is_named(
    job: Job, hub: GitHub, shop: Path, method: str, place: str, needed: str, said: str
) -> None:
    change(shop, "fail")
    hub.faults.append(Fault(method, place, 403, said))
    ran = job("snap", "gate", "--comment")
    assert ran.code == 1
    lacks = "may lack" if "other" in said else "lacks"
    assert f"→ the token {lacks} `{needed}`: add to the job:" in ran.err


def test_on_gitea_a_status_needs_another_permission(job: Job, hub: GitHub, shop: Path) -> None:
    change(shop, "fail")
    hub.faults.append(Fault("POST", "statuses", 403, GITEA))
    ran = job("snap", "gate", "--comment", more={"GITHUB_API_URL": f"{hub.url}/api/v1"})
    assert ran.code == 1
    assert "lacks `contents: write`" in ran.err
    assert 'status: "false"' in ran.err


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("Unable to create comment because issue is locked.", "unlock the conversation"),
        ("Repository was archived so is read-only.", "archived repository"),
    ],
)
def test_what_no_permission_helps_is_not_called_one(
    job: Job, hub: GitHub, shop: Path, said: str, hint: str
) -> None:
    change(shop, "fail")
    hub.faults.append(Fault("POST", "comments", 403, said))
    ran = job("snap", "gate", "--comment")
    assert ran.code == 1
    assert said in ran.err
    assert hint in ran.err
    assert "permission" not in ran.err


@pytest.mark.parametrize("verdict", ["pass", "fail", "undecided"])
@pytest.mark.parametrize("token", ["ghs_wrong", "", "two\nlines"])
def test_a_token_that_is_none(job: Job, shop: Path, token: str, verdict: str) -> None:
    code = change(shop, verdict)
    runner = {"GITHUB_ACTIONS": "true", "GITHUB_TOKEN": token}
    ran = job("snap", "gate", "--comment", more=runner)
    assert ran.code == code
    assert "oken" in ran.err
    assert "ghs_wrong" not in ran.out + ran.err
    assert "::warning title=Lumos Snapshots::" in ran.out


def test_a_comment_that_no_length_makes_fit(job: Job, hub: GitHub, shop: Path) -> None:
    change(shop, "fail")
    hub.longest = 10
    ran = job("snap", "gate", "--comment")
    assert ran.code == 1
    assert "body is too long" in ran.err
    assert len(hub.statuses) == 1


@pytest.mark.slow
def test_a_server_that_fails_for_good(job: Job, hub: GitHub, shop: Path) -> None:
    change(shop, "fail")
    hub.faults += [Fault("POST", "statuses", 503)] * 9
    ran = job("snap", "gate", "--comment")
    assert ran.code == 1
    assert "fails (503)" in ran.err
    assert "→ run it again later" in ran.err


@pytest.mark.slow
def test_a_server_that_is_silent(job: Job, shop: Path) -> None:
    change(shop, "fail")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        start = time.monotonic()
        ran = job("snap", "gate", "--comment", more={"GITHUB_API_URL": f"http://127.0.0.1:{port}"})
    assert ran.code == 1
    assert "cannot write the comment: " in ran.err
    assert "cannot set the commit status" not in ran.err  # it is not asked once more
    assert time.monotonic() - start < 120


class TestRequired:
    """`--require-report`: a pass that could not be told is an error; a failure stays one."""

    @pytest.mark.parametrize(("verdict", "code"), [("pass", 3), ("fail", 1), ("undecided", 2)])
    @pytest.mark.parametrize("place", ["comments", "statuses"])
    def test_it_fails_a_pass_only(
        self, job: Job, hub: GitHub, shop: Path, place: str, verdict: str, code: int
    ) -> None:
        change(shop, verdict)
        hub.faults.append(Fault("POST", place, 403, NOT_ALLOWED))
        required = ("snap", "gate", "--comment", "--require-report")
        ran = job(*required, more={"GITHUB_ACTIONS": "true"})
        assert ran.code == code
        assert "::error title=Lumos Snapshots::" in ran.out

    def test_what_is_delivered_passes(self, job: Job, shop: Path) -> None:
        change(shop, "pass")
        assert job("snap", "gate", "--comment", "--require-report").code == 0

    def test_a_fork_s_token_delivers_nothing(self, job: Job, shop: Path) -> None:
        change(shop, "pass")
        fork = told(shop.parent, pull_request(fork="mallory/lake")) | {"GITHUB_TOKEN": READER}
        assert job("snap", "gate", "--comment", more=fork).code == 0
        assert job("snap", "gate", "--comment", "--require-report", more=fork).code == 3

    def test_there_must_be_a_report(self, job: Job) -> None:
        ran = job("snap", "gate", "--base", "main", "--require-report")
        assert ran.code == 2
        assert "--comment or --status" in ran.err


class TestCommentAlone:
    """`lumos snap comment` is there to deliver: it fails where it does not, and tries all of it."""

    @pytest.mark.parametrize("kind", REFUSALS)
    @pytest.mark.parametrize("place", ["comments", "statuses"])
    def test_a_refusal_is_an_error(
        self, job: Job, hub: GitHub, shop: Path, place: str, kind: str
    ) -> None:
        status, said, shown = REFUSALS[kind]
        change(shop, "fail")
        hub.faults.append(Fault("POST", place, status, said))
        ran = job("snap", "comment", "--json")
        assert ran.code == 3
        assert shown in ran.err
        (refusal,) = ran.json["refusals"]
        assert shown in refusal
        assert (len(hub.bodies()), len(hub.statuses)) == ((0, 1) if place == "comments" else (1, 0))


class TestFiles:
    """A file that cannot be written replaces no verdict either."""

    @pytest.mark.parametrize(("verdict", "code"), [("pass", 3), ("fail", 1), ("undecided", 2)])
    @pytest.mark.parametrize("way", ["report", "output", "summary", "outputs"])
    def test_red_stays_red(
        self, job: Job, hub: GitHub, shop: Path, way: str, verdict: str, code: int
    ) -> None:
        change(shop, verdict)
        blocked = shop.parent / "file"
        blocked.write_text("")
        more = {"GITHUB_ACTIONS": "true"}
        arguments = []
        if way == "report":
            arguments = ["--report", blocked / "folder"]
        elif way == "output":
            arguments = ["--output", f"markdown={blocked / 'all.md'}"]
        else:
            name = "GITHUB_STEP_SUMMARY" if way == "summary" else "GITHUB_OUTPUT"
            more[name] = str(blocked / "there")
        ran = job("snap", "gate", "--comment", *arguments, more=more)
        assert ran.code == code, ran.err
        assert len(hub.statuses) == 1  # and everything else is told
        has_no_diff = way == "output" and verdict == "undecided"
        assert has_no_diff or str(blocked) in ran.err


def test_a_list_is_read_with_any_token(job: Job, hub: GitHub, shop: Path) -> None:
    """Whose token it is may be a secret to the server: the comment is found again all the same."""
    change(shop, "fail")
    assert job("snap", "gate", "--comment").code == 1
    edit(shop / CUSTOMERS, drop("phone"))
    for status, said in ((401, "token is required"), (403, SCOPE), (404, "Not Found")):
        hub.faults.append(Fault("GET", "^/user$", status, said))
        assert job("snap", "gate", "--comment").code == 1
        assert len(hub.bodies()) == 1
