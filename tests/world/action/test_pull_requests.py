"""The example workflows on pull requests: real workflows, a real repository, GitHub's API."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.ci.conftest import CUSTOMERS, HEAD, drop, edit, pull_request
from tests.ci.github import READER, Fault, GitHub, github, offered
from tests.world.action.runs import ACTION, Ended, Runner, checkout, git, packages, repository

pytestmark = pytest.mark.world

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of one runner: what it installs stays from job to job."""
    return tmp_path_factory.mktemp("runner")


@pytest.fixture(scope="module")
def action(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkout(root, tmp_path_factory.mktemp("action"))


@pytest.fixture
def hub() -> Iterator[GitHub]:
    with github() as served:
        yield served


@pytest.fixture
def runner(root: Path, home: Path, action: Path, hub: GitHub, tmp_path: Path) -> Runner:
    return Runner(home, action, hub, repository(root, tmp_path), packages(root))


def push(runner: Runner, number: int = 1, file: str = "pull-request.yml") -> Ended:
    """Commit what there is, and run the workflow of the pull request."""
    git(runner.folder, "add", "-A")
    git(runner.folder, "commit", "-qm", "Change", "--allow-empty")
    return runner.workflow(file, "pull_request", pull_request(), number=number)


def golden(name: str, text: str, request: pytest.FixtureRequest) -> None:
    # Commits are other ones as soon as a file of the example is.
    text = re.sub(r"`[0-9a-f]{10}`", "`0000000000`", text)
    path = GOLDEN / name
    if request.config.getoption("--rewrite-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.read_text() == text


def outputs(ended: Ended) -> dict[str, str]:
    return dict(re.findall(r"::set-output:: ([\w-]+)=(.*)", ended.said))


def test_one_comment_follows_a_pull_request_to_its_end(
    runner: Runner, hub: GitHub, request: pytest.FixtureRequest
) -> None:
    assert push(runner).code == 0
    assert hub.bodies() == []  # nothing has changed, nothing is said

    whole = (runner.folder / CUSTOMERS).read_bytes()
    edit(runner.folder / CUSTOMERS, drop("email"))
    first = push(runner, 2)
    assert first.code == 1, first.said
    (body,) = hub.bodies()
    golden("first-push.md", body, request)
    assert outputs(first) | {"report": ""} == {
        "verdict": "fail", "breaking": "1", "silent": "0", "non-breaking": "0",
        "informational": "0", "datasets": "1", "bump": "major", "report": "",
        "new-waivers": "0", "policy-changes": "0",
        "sarif": outputs(first)["sarif"],
    }  # fmt: skip
    assert "Summary - ## ❌ Fail" in first.said

    edit(runner.folder / CUSTOMERS, drop("phone"))
    hub.faults += [
        Fault("GET", "comments", 502),
        Fault("PATCH", "comments", 403, "You have exceeded a secondary rate limit",
              {"Retry-After": "1"}),
    ]  # fmt: skip
    assert push(runner, 3).code == 1
    (body,) = hub.bodies()
    assert "phone was removed" in body

    (runner.folder / CUSTOMERS).write_bytes(whole)
    last = push(runner, 4)
    assert last.code == 0, last.said
    (body,) = hub.bodies()
    golden("fixed-push.md", body, request)
    assert len([one for one in hub.sent("POST") if "comments" in one.path]) == 1
    assert [one["state"] for one in hub.statuses] == ["success", "failure", "failure", "success"]
    assert {one["sha"] for one in hub.statuses} == {HEAD}


def test_a_shallow_checkout_fetches_the_history_that_it_needs(
    runner: Runner, hub: GitHub, tmp_path: Path
) -> None:
    edit(runner.folder / CUSTOMERS, drop("email"))
    git(runner.folder, "commit", "-qam", "Drop")
    git(runner.folder, "push", "-q", "origin", "more")
    shallow = tmp_path / "shallow"
    url = git(runner.folder, "ls-remote", "--get-url", "origin")
    git(tmp_path, "clone", "-q", "--depth", "1", "--branch", "more", url, str(shallow))
    ended = replace(runner, folder=shallow).workflow(
        "pull-request.yml", "pull_request", pull_request()
    )
    assert "shallow clone without main" in ended.said
    assert ended.code == 1, ended.said
    assert "email was removed" in hub.bodies()[0]


def test_two_configurations_have_a_comment_and_a_status_each(runner: Runner, hub: GitHub) -> None:
    workflows = runner.folder / ".github/workflows"
    (runner.folder / "lenient.yaml").write_text("version: 1\npolicy: {fail_on: none}\n")
    text = (workflows / "pull-request.yml").read_text()
    second = f"      - if: always()\n        uses: {ACTION}\n"
    (workflows / "two.yml").write_text(f"{text}{second}        with: {{config: lenient.yaml}}\n")
    edit(runner.folder / CUSTOMERS, drop("email"))
    for number in (1, 2):
        assert push(runner, number, "two.yml").code == 1
    strict, lenient = hub.bodies()
    assert "❌ Fail" in strict
    assert "✅ Pass" in lenient
    states = {one["context"]: one["state"] for one in hub.statuses}
    assert states == {
        "lumos/Snapshots/gate": "failure",
        "lumos/Snapshots/gate lenient.yaml": "success",
    }


def test_trees_of_one_repository_share_a_comment(
    root: Path, runner: Runner, hub: GitHub, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = repository(root, tmp_path / "mono", ("teams/lake", "teams/shop"))
    edit(folder / "teams/shop" / CUSTOMERS, drop("email"))
    ended = push(replace(runner, folder=folder), file="monorepo.yml")
    assert ended.code == 1, ended.said
    (body,) = hub.bodies()
    golden("monorepo.md", body, request)


def test_a_fork_is_judged_by_one_workflow_and_told_by_another(
    runner: Runner, hub: GitHub, tmp_path: Path
) -> None:
    edit(runner.folder / CUSTOMERS, drop("email"))
    git(runner.folder, "commit", "-qam", "Drop")
    kept = tmp_path / "artifacts"
    kept.mkdir()
    playing = replace(runner, stubs=_artifacts(runner.folder, tmp_path / "stubs", kept))
    fork = pull_request(fork="mallory/lake")
    judged = playing.workflow("pull-request-forks.yml", "pull_request", fork, token=READER)
    assert judged.code == 1, judged.said
    assert hub.bodies() == []
    assert (kept / "gate.json").exists()

    hub.pulls.append(offered(7, HEAD, "mallory", "more"))
    run = {
        "id": 1,
        "event": "pull_request",
        "head_sha": HEAD,
        "head_branch": "more",
        "head_repository": {"owner": {"login": "mallory"}},
    }
    told = playing.workflow("comment-forks.yml", "workflow_run", {"workflow_run": run}, number=2)
    assert told.code == 0, told.said
    (body,) = hub.bodies()
    assert "email was removed" in body
    assert hub.statuses == []


def test_the_usual_workflow_does_not_fail_on_a_fork_because_of_its_comment(
    runner: Runner, hub: GitHub
) -> None:
    fork = pull_request(fork="mallory/lake")
    ended = runner.workflow("pull-request.yml", "pull_request", fork, token=READER)
    assert ended.code == 0, ended.said
    edit(runner.folder / CUSTOMERS, drop("email"))
    git(runner.folder, "commit", "-qam", "Drop")
    ended = runner.workflow("pull-request.yml", "pull_request", fork, token=READER)
    assert ended.code == 1
    assert "may only read" in ended.said
    assert "Summary - ## ❌ Fail" in ended.said
    assert hub.bodies() == []


def test_inputs_are_data_and_never_a_script(runner: Runner, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    hostile = f"$(touch {trap})`touch {trap}`';touch {trap};\"--comment"
    workflow = runner.folder / ".github/workflows/hostile.yml"
    base = (runner.folder / ".github/workflows/pull-request.yml").read_text()
    quoted = "'" + hostile.replace("'", "''") + "'"
    names = ("base", "working-directory", "config", "fail-on", "marker", "status", "comment")
    for name in names:
        workflow.write_text(f"{base}        with: {{{name}: {quoted}}}\n")
        ended = push(runner, file="hostile.yml")
        assert ended.code == (0 if name == "marker" else 1), ended.said
        assert not trap.exists()


def _artifacts(folder: Path, stubs: Path, kept: Path) -> dict[str, Path]:
    """The two actions that carry a file from one run to another."""
    text = "".join(
        (folder / f".github/workflows/{name}").read_text()
        for name in ("pull-request-forks.yml", "comment-forks.yml")
    )
    copies = {
        "upload-artifact": f'cp "$WHERE" {kept}/',
        "download-artifact": f'mkdir -p "$WHERE" && cp {kept}/* "$WHERE"/',
    }
    made = {}
    for name, script in copies.items():
        (used,) = re.findall(rf"actions/{name}@\w+", text)
        made[used] = stubs / name
        made[used].mkdir(parents=True)
        (made[used] / "action.yml").write_text(
            f"name: {name}\ndescription: as GitHub plays it\n"
            "inputs: {path: {description: where}, name: {description: n},"
            " run-id: {description: r}, github-token: {description: t}}\n"
            "runs:\n  using: composite\n  steps:\n    - shell: bash\n"
            "      env: {WHERE: '${{ inputs.path }}'}\n"
            f"      run: |\n        {script}\n"
        )
        git(made[used], "init", "-qb", "main")
        git(made[used], "add", "-A")
        git(made[used], "commit", "-qm", "Stub")
    return made
