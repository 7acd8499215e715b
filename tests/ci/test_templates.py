"""Templates as their systems run them: a command that fails ends them; rights are few."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / "ci/github").glob("*.yml"))
TOOLS = ("lumos", "git", "curl", "jq", "python", "python3")
FAILED = 7
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
# The first major version of each action that runs on Node 24; GitHub has ended Node 20.
ON_NODE_24 = {
    "actions/checkout": 5,
    "actions/download-artifact": 7,
    "actions/setup-java": 5,
    "actions/setup-python": 6,
    "actions/upload-artifact": 6,
}


class Script(NamedTuple):
    """A script of a template, and the shell that runs it."""

    name: str
    text: str
    shell: tuple[str, ...]


def scripts() -> Iterator[Script]:
    yield from _of_github()
    gitlab = yaml.safe_load((ROOT / "ci/gitlab/lumos.gitlab-ci.yml").read_text())
    yield Script("gitlab", "\n".join(gitlab["lumos-gate"]["script"]), BASH)
    azure = yaml.safe_load((ROOT / "ci/azure/lumos-gate.yml").read_text())
    for number, step in enumerate(azure["steps"]):
        if "script" in step:
            yield Script(f"azure {number}", step["script"], ("bash", "--noprofile", "--norc", "-c"))
    jenkins = (ROOT / "Jenkinsfile.example").read_text()
    for number, text in enumerate(re.findall(r"'''(.*?)'''", jenkins, re.DOTALL)):
        yield Script(f"jenkins {number}", text, ("sh", "-xe", "-c"))


def _of_github() -> Iterator[Script]:
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text())
        named = workflow.get("defaults", {}).get("run", {}).get("shell")
        for name, job in workflow["jobs"].items():
            for number, step in enumerate(job["steps"]):
                shell = step.get("shell", named)
                if "run" in step and shell != "python":
                    # Without a name of a shell there is no `pipefail`.
                    known = BASH if shell == "bash" else ("bash", "-e", "-c")
                    yield Script(f"{path.name} {name} {number}", step["run"], known)


def cases() -> Iterator[Any]:
    for script in scripts():
        for tool in TOOLS:
            if re.search(rf"(?m)(^|[(|;] *)\s*{tool} ", script.text):
                yield pytest.param(script, tool, id=f"{script.name}, {tool}")


@pytest.mark.parametrize(("script", "tool"), [*cases()])
def test_a_command_that_fails_fails_its_script(script: Script, tool: str, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in TOOLS:
        program = programs / name
        program.write_text(f"#!/bin/sh\nexit {FAILED if name == tool else 0}\n")
        program.chmod(0o755)
    if script.name.startswith("jenkins") and tool != "lumos":
        (programs / "lumos").unlink()  # it installs only what is not there
    files = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_API_URL", "RUNNER_TEMP")
    variables = {name: str(tmp_path / name) for name in files}
    (tmp_path / "RUNNER_TEMP").mkdir()
    (tmp_path / "RUNNER_TEMP/drift.txt").touch()
    done = subprocess.run(
        [*script.shell, script.text],
        cwd=tmp_path,
        env={
            **variables,
            "PATH": f"{programs}{os.pathsep}{os.defpath}",
            "TARGET": "refs/heads/main",
            "BRANCH": "lumos/scan",
            "BASE": "main",
            "LUMOS_TREE": ".",
            "LUMOS_PACKAGE": "lumos-snap",
            "GITHUB_TOKEN": "ghs_secret",
            "GITHUB_REPOSITORY": "acme/lake",
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == FAILED, done.stdout + done.stderr


def test_there_are_scripts_of_every_system() -> None:
    assert {one.name.split()[0] for one in scripts()} >= {
        *("release.yml", "sync.yml", "scheduled-scan.yml", "gitlab", "azure", "jenkins"),
    }


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
class TestWorkflow:
    def test_its_jobs_end_and_do_not_meet(self, path: Path) -> None:
        workflow = yaml.safe_load(path.read_text())
        for job in workflow["jobs"].values():
            assert job["timeout-minutes"] <= 120
            assert "concurrency" in workflow or "concurrency" in job

    def test_it_has_no_rights_but_those_of_its_jobs(self, path: Path) -> None:
        workflow = yaml.safe_load(path.read_text())
        assert workflow["permissions"] == {}
        assert all(job["permissions"] for job in workflow["jobs"].values())

    def test_its_actions_are_pinned_to_commits_and_run_on_a_node_that_is_maintained(
        self, path: Path
    ) -> None:
        used = re.findall(r"uses: (\S+?)@(\S+)(?: # v(\d+))?", path.read_text())
        assert used
        for action, commit, major in used:
            assert re.fullmatch("[0-9a-f]{40}", commit), action
            assert int(major) >= ON_NODE_24.get(action, 1), action
