"""`lumos snap gate`: several trees judged at once, and told wherever it is read."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.ci.conftest import CUSTOMERS, Job, drop, edit, pull_request, run_number, told
from tests.ci.github import READER, GitHub


@pytest.fixture
def lakes(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One repository with two trees, as the current folder."""
    folder = tmp_path / "mono"
    for name in ("teams/lake", "teams/shop"):
        shutil.copytree(root / "examples/shop", folder / name)
    git(folder, "init", "-qb", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Start")
    monkeypatch.chdir(folder)
    return folder


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)


def runner(folder: Path) -> dict[str, str]:
    """What a runner gives a step: files to write to."""
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(folder.parent / "output"),
        "GITHUB_STEP_SUMMARY": str(folder.parent / "summary"),
    }


def outputs(folder: Path) -> dict[str, str]:
    lines = (folder.parent / "output").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_one_tree_is_judged_as_diff_judges_it(job: Job, shop: Path) -> None:
    edit(shop / CUSTOMERS, drop("marketing_consent"))
    gated, differed = job("snap", "gate", "--base", "main"), job("snap", "diff", "--base", "main")
    assert (gated.code, gated.out) == (differed.code, differed.out)
    assert gated.code == 1


def test_the_base_comes_from_the_event(job: Job, shop: Path) -> None:
    git(shop, "switch", "-qc", "more")
    edit(shop / CUSTOMERS, drop("marketing_consent"))
    git(shop, "commit", "-qam", "Drop")
    assert job("snap", "gate", more=told(shop.parent, pull_request())).code == 1
    push = {"before": "HEAD~1", "ref": "refs/heads/more"}
    assert job("snap", "gate", more=told(shop.parent, push, "push")).code == 1


def test_several_trees_have_one_verdict_one_comment_and_one_status(
    job: Job, hub: GitHub, lakes: Path
) -> None:
    edit(lakes / "teams/shop" / CUSTOMERS, drop("marketing_consent"))
    more = told(lakes.parent, pull_request()) | run_number(1) | runner(lakes)
    ran = job("snap", "gate", "--comment", "teams/lake", "teams/shop", more=more)
    assert ran.code == 1
    (body,) = hub.bodies()
    assert "2 trees: 1 fail, 1 pass" in body
    assert "No dataset changed in `teams/lake`." in body
    assert f"teams/shop/{CUSTOMERS}" in body
    (status,) = hub.statuses
    assert status["context"] == "lumos/Snapshots/gate teams/lake teams/shop"
    assert status["description"] == "teams/shop: 1 breaking change"
    assert outputs(lakes)["breaking"] == "1"


def test_a_tree_that_cannot_be_judged_keeps_no_other_from_it(
    job: Job, hub: GitHub, lakes: Path
) -> None:
    edit(lakes / "teams/shop" / CUSTOMERS, drop("marketing_consent"))
    (lakes / "teams/lake/lumos.yaml").write_text("version: 1\npolicy: {fail_on: braking}\n")
    more = told(lakes.parent, pull_request()) | run_number(1) | runner(lakes)
    ran = job("snap", "gate", "--comment", "teams/lake", "teams/shop", more=more)
    assert ran.code == 2
    (body,) = hub.bodies()
    assert "1 fail, 1 cannot be decided" in body
    assert "field-removed" in body
    assert "breaking" in body
    assert hub.statuses[0]["state"] == "failure"
    assert "::error file=teams/lake/lumos.yaml,title=not-judged" in ran.out


def test_the_runner_is_told_everything(job: Job, shop: Path) -> None:
    edit(shop / CUSTOMERS, drop("marketing_consent"))
    more = told(shop.parent, pull_request()) | runner(shop)
    kept = shop.parent / "report"
    assert job("snap", "gate", "--report", kept, more=more).code == 1
    said = outputs(shop)
    assert said["verdict"] == "fail"
    assert (said["breaking"], said["silent"], said["non-breaking"]) == ("1", "0", "0")
    assert (said["datasets"], said["bump"], said["report"]) == ("1", "major", str(kept))
    assert "## ❌ Fail" in (shop.parent / "summary").read_text()
    assert json.loads((kept / "gate.json").read_text())["verdict"] == "fail"
    assert (kept / "summary.md").read_text() == (shop.parent / "summary").read_text()


def test_every_form_of_a_diff_can_be_had(job: Job, lakes: Path) -> None:
    edit(lakes / "teams/shop" / CUSTOMERS, drop("marketing_consent"))
    wanted = ("--base=main", "--output=json=all.json", "--output=markdown=all.md")
    job("snap", "gate", *wanted, "teams/lake", "teams/shop")
    (dataset,) = json.loads(Path("all.json").read_text())["datasets"]
    assert dataset["path"] == f"teams/shop/{CUSTOMERS}"
    assert "SC001 field-removed" in Path("all.md").read_text()
    assert job("snap", "gate", "--base=main", "--output=json").code == 2


def test_places_are_told_from_the_top_of_the_repository_and_once(job: Job, lakes: Path) -> None:
    for name in ("lake", "shop"):
        edit(lakes / "teams" / name / CUSTOMERS, drop("marketing_consent"))
    told = (
        ("github", "file={},"),
        ("sarif", '"uri": "{}"'),
        ("gitlab", '"path": "{}"'),
        ("junit", 'file="{}"'),
        ("markdown", "`{}:"),
    )
    wanted = [f"--output={form}=all.{form}" for form, _ in told]
    for trees in (["teams/lake"], ["teams/lake", "teams/shop"]):
        job("snap", "gate", "--base=main", *wanted, *trees)
        for form, place in told:
            text = Path(f"all.{form}").read_text()
            assert all(place.format(f"{tree}/{CUSTOMERS}") in text for tree in trees), form


def test_a_tree_that_cannot_be_judged_looks_green_nowhere(job: Job, lakes: Path) -> None:
    (lakes / "teams/lake/lumos.yaml").write_text("version: 1\npolicy: {fail_on: braking}\n")
    wanted = [f"--output={form}=all.{form}" for form in ("sarif", "junit", "gitlab", "env")]
    assert job("snap", "gate", "--base=main", *wanted, "teams/lake", "teams/shop").code == 2
    (run,) = json.loads(Path("all.sarif").read_text())["runs"]
    assert (run["invocations"][0]["executionSuccessful"], len(run["results"])) == (False, 1)
    assert ' failures="0" errors="1"' in Path("all.junit").read_text()
    (issue,) = json.loads(Path("all.gitlab").read_text())
    assert (issue["severity"], issue["location"]["path"]) == ("blocker", "teams/lake/lumos.yaml")
    assert "verdict=undecided\n" in Path("all.env").read_text()


def test_no_sarif_is_named_where_none_was_written(job: Job, shop: Path) -> None:
    kept = shop.parent / "report"
    assert job("snap", "gate", "--base=no", "--report", kept, more=runner(shop)).code == 3
    assert not (kept / "diff.sarif").exists()
    assert outputs(shop)["sarif"] == ""


def test_a_tree_that_is_named_twice_is_judged_once(job: Job, lakes: Path) -> None:
    ran = job("snap", "gate", "--base=main", "--json", "teams/lake", "teams/lake/")
    assert [one["name"] for one in ran.json["trees"]] == ["teams/lake"]


def test_what_a_log_shows_commands_nothing(job: Job, shop: Path) -> None:
    (shop / "snapshots/::error::hi.json").write_text("{")
    (shop / "snapshots/##[error]hi.json").write_text("{")
    ran = job("snap", "gate", "--base", "main", more=runner(shop))
    first, *lines = ran.out.splitlines()
    mark = first.removeprefix("::stop-commands::")
    assert len(mark) == 32
    after = lines[lines.index(f"::{mark}::") + 1 :]
    assert "hi.json" in "\n".join(lines[: -len(after) - 1])
    assert not [line for line in after if "hi" in line and not line.startswith("::error file=")]


def test_a_fork_s_pull_request_is_judged_and_not_commented(
    job: Job, hub: GitHub, shop: Path
) -> None:
    more = told(shop.parent, pull_request(fork="mallory/lake")) | runner(shop)
    reading = more | {"GITHUB_TOKEN": READER}
    clean = job("snap", "gate", "--comment", more=reading)
    assert clean.code == 0, clean.err
    edit(shop / CUSTOMERS, drop("marketing_consent"))
    ran = job("snap", "gate", "--comment", more=reading)
    assert ran.code == 1
    assert "::notice title=Lumos Snapshots::" in ran.out
    assert "SC001 field-removed" in (shop.parent / "summary").read_text()
    assert hub.bodies() == []


def test_nobody_is_told_where_there_is_no_pull_request(job: Job, hub: GitHub, shop: Path) -> None:
    push = {"before": "HEAD", "ref": "refs/heads/main"}
    assert job("snap", "gate", "--comment", more=told(shop.parent, push, "push")).code == 0
    assert hub.asked == []


class TestPolicyFile:
    def test_it_judges_instead_of_the_tree_s_own(self, job: Job, lakes: Path) -> None:
        edit(lakes / "teams/shop" / CUSTOMERS, drop("marketing_consent"))
        (lakes / "lenient.yaml").write_text("version: 1\npolicy: {fail_on: none}\n")
        lenient = ("--base=main", "--config=lenient.yaml")
        assert job("snap", "gate", *lenient, "teams/shop").code == 0
        assert job("snap", "diff", "-C", "teams/shop", *lenient).code == 0
        assert job("snap", "gate", "--base=main", "teams/shop").code == 1

    def test_a_change_does_not_excuse_itself_in_it_either(self, job: Job, lakes: Path) -> None:
        (lakes / "policy.yaml").write_text("version: 1\n")
        git(lakes, "add", "-A")
        git(lakes, "commit", "-qm", "Policy")
        edit(lakes / "teams/shop" / CUSTOMERS, drop("marketing_consent"))
        (lakes / "policy.yaml").write_text("version: 1\npolicy: {fail_on: none}\n")
        assert job("snap", "gate", "--base=main", "--config=policy.yaml", "teams/shop").code == 1

    def test_one_from_elsewhere_serves(self, job: Job, lakes: Path, tmp_path: Path) -> None:
        edit(lakes / "teams/shop" / CUSTOMERS, drop("marketing_consent"))
        (tmp_path / "of-all.yaml").write_text("version: 1\npolicy: {fail_on: none}\n")
        named = f"--config={tmp_path / 'of-all.yaml'}"
        assert job("snap", "gate", "--base=main", named, "teams/shop").code == 0


class TestBadInput:
    """One clear message each, the right exit code, and never green."""

    @pytest.fixture(autouse=True)
    def _event(self, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        event = told(shop.parent, pull_request()) | run_number(1) | runner(shop)
        for name, value in event.items():
            monkeypatch.setenv(name, value)

    def test_a_base_that_is_not_there(self, job: Job, hub: GitHub, shop: Path) -> None:
        more = told(shop.parent, pull_request(base="gone"))
        ran = job("snap", "gate", "--comment", more=more)
        assert ran.code == 3
        assert "gone: no such branch, tag or commit" in ran.out
        assert hub.statuses[0]["state"] == "error"
        assert "Undecided" in hub.bodies()[0]
        assert outputs(shop)["verdict"] == "undecided"

    def test_an_event_without_a_base(self, job: Job, shop: Path) -> None:
        alone = {"GITHUB_EVENT_NAME": "", "GITHUB_EVENT_PATH": ""}
        assert "no base given" in job("snap", "gate", more=alone).err
        ran = job("snap", "gate", more=told(shop.parent, {}, "workflow_dispatch"))
        assert ran.code == 2
        assert "no base given, and the event `workflow_dispatch` has none" in ran.err
        assert "::error" in ran.out

    def test_an_event_that_cannot_be_read(self, job: Job, shop: Path) -> None:
        (shop / "event.json").write_text("{")
        assert (
            "the event is not JSON"
            in job("snap", "gate", more={"GITHUB_EVENT_PATH": "event.json"}).err
        )
        assert job("snap", "gate", more={"GITHUB_EVENT_PATH": "gone.json"}).code == 2

    @pytest.mark.slow
    def test_an_api_that_is_dead(self, job: Job, hub: GitHub, shop: Path) -> None:
        edit(shop / CUSTOMERS, drop("marketing_consent"))
        dead = {"GITHUB_API_URL": "http://127.0.0.1:9"}
        ran = job("snap", "gate", "--comment", more=dead)
        assert ran.code == 1
        assert ran.err.count("127.0.0.1:9 cannot be reached") == 1  # and asked for nothing else

    def test_a_snapshot_that_the_pull_request_broke(
        self, job: Job, hub: GitHub, shop: Path
    ) -> None:
        (shop / CUSTOMERS).write_text("{")
        assert job("snap", "gate", "--comment").code == 1
        assert "customers.json" in hub.bodies()[0]
        assert hub.statuses[0]["state"] == "failure"

    def test_a_snapshot_that_is_broken_on_the_base_may_be_repaired(
        self, job: Job, hub: GitHub, shop: Path
    ) -> None:
        whole = (shop / CUSTOMERS).read_bytes()
        (shop / CUSTOMERS).write_text("{")
        git(shop, "commit", "-qam", "Break")
        assert job("snap", "gate").code == 0
        (shop / CUSTOMERS).write_bytes(whole)
        assert job("snap", "gate", "--comment").code == 0
        assert hub.statuses[0]["state"] == "success"
        assert "invalid at the base" in hub.bodies()[0]

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("version: 1\npolicy: {fail_on: braking}\n", "`fail_on` must be one of"),
            ("version: 1\npolcy: {}\n", "`polcy` is not a known key"),
            ("version: 1\npolicy: {rules: {feild-removed: breaking}}\n", "feild-removed"),
            ("version: [\n", "lumos.yaml:"),
        ],
    )
    @pytest.mark.parametrize("is_named", [False, True])
    def test_a_policy_with_a_typo(
        self, job: Job, shop: Path, text: str, says: str, *, is_named: bool
    ) -> None:
        path = shop.parent / "other-lumos.yaml" if is_named else shop / "lumos.yaml"
        path.write_text(text)
        named = [f"--config={path}"] if is_named else []
        ran = job("snap", "gate", *named)
        assert ran.code == 2
        assert says in ran.out

    def test_a_policy_file_that_is_not_there(self, job: Job) -> None:
        ran = job("snap", "gate", "--config=gone.yaml")
        assert ran.code == 2
        assert "gone.yaml: cannot be read" in ran.out

    def test_a_folder_that_is_no_tree(self, job: Job, tmp_path: Path) -> None:
        assert job("snap", "gate", tmp_path).code == 2
        assert job("snap", "gate", tmp_path / "gone").code == 2
