import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.cli import main


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Lumos = Callable[..., Ran]


@pytest.fixture
def lumos(capfd: pytest.CaptureFixture[str]) -> Lumos:
    """Run a command in this process, as the entry point does."""

    def run(*arguments: str | Path) -> Ran:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Ran(int(code), out, err)

    return run


@pytest.fixture
def shop(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example tree, committed to a repository of its own, as the current folder."""
    folder = tmp_path / "shop"
    shutil.copytree(root / "examples/shop", folder, ignore=shutil.ignore_patterns(".lumos"))
    for command in (["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "Start"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, as the current one."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LUMOS_DEBUG", "CI", "NO_COLOR"):
        if name in os.environ:
            monkeypatch.delenv(name)
