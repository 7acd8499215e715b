"""Jobs of templates, run as their systems run them: a shell, variables, a checkout."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.cli.lake import git
from tests.world.pipelines.conftest import Ended, ended

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
    return ended([*shell, "-c", script], folder, variables)


def checkout(remote: Path, folder: Path, branch: str) -> Path:
    git(folder.parent, "clone", "-q", "--branch", branch, str(remote), str(folder))
    return folder


def workspace(remote: Path, tmp_path: Path, branch: str) -> Path:
    """As Jenkins checks out: one branch, at a commit and on no branch."""
    folder = tmp_path / f"workspace-{branch}-{len(list(tmp_path.iterdir()))}"
    git(tmp_path, "init", "-q", str(folder))
    git(folder, "remote", "add", "origin", str(remote))
    refs = f"+refs/heads/{branch}:refs/remotes/origin/{branch}"
    git(folder, "fetch", "-q", "--no-tags", "origin", refs)
    git(folder, "checkout", "-q", "--detach", f"origin/{branch}")
    return folder
