"""Azure's job, GitHub's scheduled scan and release, pre-commit's hooks: in real repositories."""

import copy
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.cli.lake import Lake, column, git
from tests.world.pipelines.conftest import Ended, push
from tests.world.pipelines.jobs import WHO, checkout, ran, step, template
from tests.world.pipelines.servers import GitHub, listening, strangers
from tests.world.servers.processes import CACHE, run

pytestmark = pytest.mark.world


class TestAzure:
    def job(self, root: Path, folder: Path, variables: Mapping[str, str]) -> Ended:
        steps = template(root / "ci/azure/lumos-gate.yml")["steps"]
        name = "Compare with the target branch"
        (script,) = [one["script"] for one in steps if one.get("displayName") == name]
        return ran(script, folder, {**variables, "LUMOS_TREE": "."})

    def test_what_breaks_fails_and_what_does_not_passes(
        self, root: Path, remote: Path, author: Lake,
        plain_environment: dict[str, str], tmp_path: Path,
    ) -> None:  # fmt: skip
        variables = {**plain_environment, "TARGET": "refs/heads/main"}
        push(author, "a", "id", "note", "more")
        folder = checkout(remote, tmp_path / "green", "feature")
        assert self.job(root, folder, variables).code == 0
        push(author, "a", "id")
        folder = checkout(remote, tmp_path / "red", "feature")
        assert self.job(root, folder, variables).code == 1
        assert "SC001" in (folder / "lumos-reports/diff.txt").read_text()

    @pytest.mark.parametrize("target", ["", "$(System.PullRequest.TargetBranch)"])
    def test_a_run_for_no_pull_request_is_never_green(
        self, root: Path, remote: Path, plain_environment: dict[str, str],
        tmp_path: Path, target: str,
    ) -> None:  # fmt: skip
        folder = checkout(remote, tmp_path / "build", "feature")
        ended = self.job(root, folder, {**plain_environment, "TARGET": target})
        assert ended.code == 2
        assert "no run for a pull request" in ended.log


class TestReleaseOnGitHub:
    def test_a_release_is_pushed_and_told_and_a_second_run_does_nothing(
        self, root: Path, remote: Path, author: Lake,
        plain_environment: dict[str, str], tmp_path: Path,
    ) -> None:  # fmt: skip
        push(author, "a", "id")
        author.git("push", "-q", "origin", "HEAD:main")
        script = step(root / "ci/github/release.yml", "release", "Bump, commit, tag, push")["run"]
        for number, changed in enumerate(("true", "false")):
            folder = checkout(remote, tmp_path / f"build{number}", "main")
            outputs = tmp_path / f"outputs{number}"
            variables = {**plain_environment, **WHO, "GITHUB_OUTPUT": str(outputs)}
            shell = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
            ended = ran(script, folder, variables, shell)
            assert ended.code == 0, ended.log
            said = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
            assert (said["changesDetected"], said["cloudVersion"]) == (changed, "S-2")
        assert git(remote, "tag").split() == ["S-1", "S-2"]


class TestScheduledScan:
    def night(
        self, root: Path, folder: Path, variables: Mapping[str, str], outputs: Path
    ) -> tuple[Ended, ...]:
        file = root / "ci/github/scheduled-scan.yml"
        given = {**variables, **WHO, "GITHUB_OUTPUT": str(outputs)}
        bash = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
        first = ran(step(file, "scan", "Scan")["run"], folder, given, bash)
        if "changed=true" not in outputs.read_text():
            return (first,)
        pull = step(file, "scan", "Open or update the pull request")
        return first, ran(pull["run"], folder, given, (sys.executable,))

    @pytest.mark.parametrize("ignores_head", [False, True])
    def test_one_pull_request_is_opened_and_then_updated(
        self, root: Path, remote: Path, plain_environment: dict[str, str], tmp_path: Path,
        *, ignores_head: bool,
    ) -> None:  # fmt: skip
        data = tmp_path / "data"
        data.mkdir()
        (data / "people.csv").write_text("id,name\n1,Jane\n")
        lake = Lake(checkout(remote, tmp_path / "main", "main"))
        settings = {"version": 1, "sources": [{"name": "lake", "path": str(data)}]}
        (lake.folder / "lumos.yaml").write_text(yaml.safe_dump(settings))
        lake.commit("What to scan")
        lake.git("push", "-q", "origin", "main")
        hub = GitHub(ignores_head=ignores_head)
        others = strangers(hub) if ignores_head else []
        before = copy.deepcopy(others)
        with listening(hub.answer) as server:
            variables = {
                **plain_environment,
                "BRANCH": "lumos/scan",
                "BASE": "main",
                "GITHUB_TOKEN": "ghs_secret",
                "GITHUB_API_URL": server.address,
                "GITHUB_REPOSITORY": "shop/metadata",
            }
            said = []
            for night in (1, 2, 3):
                folder = checkout(remote, tmp_path / f"night{night}", "main")
                ended = self.night(root, folder, variables, tmp_path / f"outputs{night}")
                assert [one.code for one in ended] == [0] * len(ended), [o.log for o in ended]
                said.append(ended[-1].log.strip())
                if night == 1:
                    (data / "people.csv").write_text("id,name,age\n1,Jane,30\n")
                if night == 2:  # the pull request is merged
                    git(remote, "update-ref", "refs/heads/main", "refs/heads/lumos/scan")
        number = len(others) + 1
        assert said[:2] == [f"opened pull request {number}", f"updated pull request {number}"]
        assert others == before
        (pull,) = hub.pulls[len(others) :]
        assert pull["base"]["ref"] == "main"
        assert "people" in pull["body"]
        assert (tmp_path / "outputs3").read_text() == "changed=false\n"
        assert "people" in git(remote, "grep", "-e", '"name": "age"', "main", "--", "snapshots")

    def test_the_next_runner_takes_the_environment_and_javas_archive(
        self, root: Path, plain_environment: dict[str, str], tmp_path: Path
    ) -> None:
        """Both lie in the home of a runner, which is a new one each night."""
        file, home = root / "ci/github/scheduled-scan.yml", Path(plain_environment["HOME"])
        cache = next(
            one for one in yaml.safe_load(file.read_text())["jobs"]["scan"]["steps"]
            if one.get("id") == "installed"
        )  # fmt: skip
        kept = [one.removeprefix("~/") for one in cache["with"]["path"].split()]
        assert kept == ["lumos-venv", ".cache/lumos-snap/java"]
        variables = {
            **plain_environment,
            "LUMOS_PACKAGE": f"{root}[scan]",
            "PIP_CACHE_DIR": str(CACHE.parent / "pip"),
        }
        script = step(file, "scan", "Install Lumos")["run"]
        installed = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=tmp_path, env=variables, capture_output=True, text=True, check=False, timeout=900,
        )  # fmt: skip
        assert installed.returncode == 0, installed.stderr
        packed = tmp_path / "packed.tar"
        run("tar", "--posix", "-cf", packed, "-C", home, *kept)  # as GitHub's action does
        shutil.rmtree(home)
        home.mkdir()
        run("tar", "-xf", packed, "-C", home)
        started = subprocess.run(
            [home / "lumos-venv/bin/python", root / "tests/scan/spark/short_job.py", "local[2]"],
            cwd=home, env=variables, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert started.returncode == 0, started.stderr
        assert json.loads(started.stdout)["used"] is True


class TestPreCommit:
    @pytest.fixture
    def hooks(self, root: Path, tmp_path: Path) -> Path:
        """This repository as it is now, committed."""
        folder = tmp_path / "lumos-snap"
        listed = git(root, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
        for name in listed:
            if not name.startswith(("tests/", "docs/")) and (root / name).is_file():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes((root / name).read_bytes())
        git(folder, "init", "-qb", "main")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "All")
        return folder

    def test_hooks_format_validate_and_stop_what_breaks(self, hooks: Path, tmp_path: Path) -> None:
        lake = Lake(tmp_path / "lake").start()
        lake.put("a")
        names = ("lumos-fmt", "lumos-validate", "lumos-diff")
        config = {
            "repos": [
                {
                    "repo": str(hooks),
                    "rev": git(hooks, "rev-parse", "HEAD"),
                    "hooks": [{"id": name} for name in names],
                }
            ]
        }
        (lake.folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
        lake.commit("Start")
        git(lake.folder, "config", "--unset-all", "core.hooksPath", check=False)

        def run() -> "subprocess.CompletedProcess[str]":
            git(lake.folder, "add", "-A")
            return subprocess.run(
                [sys.executable, "-m", "pre_commit", "run", "--color", "never"],
                cwd=lake.folder,
                env={**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "cache")},
                capture_output=True,
                text=True,
                check=False,
                timeout=600,
            )

        lake.put("a", column("id"), column("note"), column("more"))
        done = run()
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.count("Passed") == 3
        lake.file("a").write_text(lake.file("a").read_text().replace("  ", "    "))
        done = run()
        assert "files were modified by this hook" in done.stdout
        assert run().returncode == 0
        lake.put("a", column("id"))
        done = run()
        assert done.returncode == 1
        assert "SC001 field-removed" in done.stdout
        lake.file("a").unlink()
        done = run()
        assert (done.returncode, "DS001 dataset-removed" in done.stdout) == (1, True)
        lake.file("a").write_text("{")
        assert "lumos validate" in run().stdout
