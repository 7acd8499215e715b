"""The workflow that keeps a catalog in line: its steps in real repositories, with real servers."""

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cli.lake import Lake, git
from tests.gms import Gms, running
from tests.world.pipelines.conftest import Ended
from tests.world.pipelines.jobs import WHO, checkout, ran, step
from tests.world.pipelines.servers import GitHub, listening, strangers

pytestmark = pytest.mark.world

WORKFLOW = "ci/github/sync.yml"
PEOPLE = {
    "secret": "urn:li:corpuser:lumos",
    "janes": "urn:li:corpuser:jane.smith",
}
A = "urn:li:dataset:(urn:li:dataPlatform:s3,lake/a,PROD)"
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")


class Runner:
    """Jobs of the workflow, each in a checkout of its own."""

    def __init__(self, root: Path, remote: Path, folder: Path, known: Mapping[str, str]) -> None:
        self.remote = remote
        self._file = root / WORKFLOW
        self._folder = folder
        self._known = dict(known)
        self._jobs = 0

    def run(self, job: str, *names: str, branch: str = "main", **more: str) -> Ended:
        self._jobs += 1
        here = self._folder / f"job{self._jobs}"
        here.mkdir()
        files = {name: str(here / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        known = {**self._known, **WHO, **files, "RUNNER_TEMP": str(here), **more}
        tree = checkout(self.remote, here / "tree", branch)
        ended = Ended(0, "")
        for name in names:
            ended = ran(step(self._file, job, name)["run"], tree, known, BASH)
            if ended.code or "changed=false" in self.told("GITHUB_OUTPUT"):
                break
        return ended

    def told(self, file: str) -> str:
        """What the last job wrote into a file of the runner's."""
        path = self._folder / f"job{self._jobs}" / file
        return path.read_text() if path.exists() else ""


@pytest.fixture
def gms() -> Iterator[Gms]:
    with running(tokens=PEOPLE) as found:
        yield found


@pytest.fixture
def runner(
    root: Path, remote: Path, gms: Gms, tmp_path: Path, plain_environment: Mapping[str, str]
) -> Runner:
    """A repository whose tree names the server as its catalog."""
    lake = Lake(checkout(remote, tmp_path / "main", "main"))
    with (lake.folder / "lumos.yaml").open("a") as file:
        file.write("catalogs: [{name: hub, type: datahub}]\n")
    lake.commit("Sync")
    lake.git("push", "-q", "origin", "main")
    reached = {"DATAHUB_GMS_URL": gms.url, "DATAHUB_GMS_TOKEN": "secret"}
    return Runner(root, remote, tmp_path, {**plain_environment, **reached})


def test_after_a_merge_the_catalog_is_in_line_and_a_second_run_writes_nothing(
    runner: Runner, gms: Gms
) -> None:
    ended = runner.run("apply", "Apply")
    assert ended.code == 0, ended.log
    assert "`hub`: 3 written" in ended.log
    assert "refs/lumos/sync/hub" in git(runner.remote, "for-each-ref")
    gms.asked.clear()
    ended = runner.run("apply", "Apply")
    assert (ended.code, gms.asked.writes()) == (0, [])


def test_a_pull_request_shows_what_merging_would_do_and_writes_nothing(
    runner: Runner, gms: Gms, author: Lake
) -> None:
    assert runner.run("apply", "Apply").code == 0
    before, refs = gms.dump(), git(runner.remote, "for-each-ref")
    author.git("fetch", "-q", "origin")
    author.git("rebase", "-q", "origin/main")
    author.put("a", {"name": "id", "type": "INT64", "nullable": False})
    author.commit("Fewer columns")
    author.git("push", "-qf", "origin", "feature")
    now = git(runner.remote, "for-each-ref", "refs/lumos")
    ended = runner.run("plan", "Plan", branch="feature")
    assert ended.code == 0, ended.log
    said = runner.told("GITHUB_STEP_SUMMARY")
    assert said.startswith("### What merging would do in the catalog\n\n    ~ s3/lake/a  changed\n")
    assert all(not line or line.startswith("    ") for line in said.splitlines()[1:])
    assert gms.dump() == before
    assert now in refs
    assert git(runner.remote, "for-each-ref", "refs/lumos") == now


@pytest.mark.parametrize("ignores_head", [False, True])
def test_what_people_write_becomes_one_pull_request(
    runner: Runner, gms: Gms, tmp_path: Path, *, ignores_head: bool
) -> None:
    assert runner.run("apply", "Apply").code == 0
    hub = GitHub(ignores_head=ignores_head)
    others = strangers(hub) if ignores_head else []
    before = copy.deepcopy(others)
    said = []
    with listening(hub.answer) as server:
        more = {
            "BRANCH": "lumos/drift",
            "BASE": "main",
            "GITHUB_TOKEN": "ghs_secret",
            "GITHUB_API_URL": server.address,
            "GITHUB_REPOSITORY": "shop/metadata",
        }
        steps = ("Pull", "Open or update the pull request")
        quiet = runner.run("drift", *steps, **more)
        assert (quiet.code, runner.told("GITHUB_OUTPUT")) == (0, "changed=false\n"), quiet.log
        for words in ("Clicks", "Clicks as they arrive"):
            gms.edit(
                A, "editableDatasetProperties", {"description": words},
                actor=PEOPLE["janes"],
            )  # fmt: skip
            ended = runner.run("drift", *steps, **more)
            assert ended.code == 0, ended.log
            said.append(ended.log.strip())
    number = len(others) + 1
    assert said == [f"opened pull request {number}", f"updated pull request {number}"]
    assert others == before
    (pull,) = hub.pulls[len(others) :]
    assert (pull["head"]["ref"], pull["base"]["ref"]) == ("lumos/drift", "main")
    assert '"Clicks as they arrive"' in pull["body"]
    assert all(not line or line.startswith("    ") for line in pull["body"].splitlines())
    tree = checkout(runner.remote, tmp_path / "drift", "lumos/drift")
    assert '"Clicks as they arrive"' in (tree / "snapshots/s3/lake/a.json").read_text()
    assert git(tree, "rev-list", "--count", "origin/main..HEAD").strip() == "1"
    assert "jane.smith" in git(tree, "log", "-1", "--format=%an <%ae>")
    git(runner.remote, "update-ref", "refs/heads/main", "refs/heads/lumos/drift")  # merged
    gms.asked.clear()
    assert runner.run("apply", "Apply").code == 0
    assert gms.asked.writes() == []


def test_a_server_out_of_reach_turns_each_job_red(runner: Runner) -> None:
    away = {"DATAHUB_GMS_URL": "http://127.0.0.1:9", "BRANCH": "lumos/drift"}
    for job, name in (("plan", "Plan"), ("apply", "Apply"), ("drift", "Pull")):
        ended = runner.run(job, name, **away)
        assert ended.code == 3, (job, ended.log)
        assert "does not answer" in ended.log
