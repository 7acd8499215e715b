"""Jobs of templates, run as their systems run them: a shell, variables, a checkout."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.cli.lake import git
from tests.world.pipelines.conftest import Ended

WHO = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "A robot"), ("EMAIL", "robot@example.com"))
}
"""Who commits, as a template's step says it."""


def template(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def step(path: Path, job: str, name: str) -> dict[str, Any]:
    """A step of a workflow of GitHub."""
    steps = template(path)["jobs"][job]["steps"]
    found: dict[str, Any] = next(one for one in steps if one.get("name") == name)
    return found


def ran(
    script: str, folder: Path, variables: Mapping[str, str], shell: tuple[str, ...] = ("bash", "-e")
) -> Ended:
    done = subprocess.run(
        [*shell, "-c", script],
        cwd=folder,
        env=dict(variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    return Ended(done.returncode, done.stdout)


def checkout(remote: Path, folder: Path, branch: str) -> Path:
    git(folder.parent, "clone", "-q", "--branch", branch, str(remote), str(folder))
    return folder
