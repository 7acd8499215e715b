"""A gate that starts in seconds: the base is installed and has judged before anybody looks."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.ci.conftest import CUSTOMERS, drop, edit
from tests.world.action.runs import checkout, packages, repository

pytestmark = pytest.mark.world

MOST_SECONDS = 10


@pytest.fixture
def started(root: Path, tmp_path: Path) -> dict[str, str]:
    """What a step's environment is on a machine that has never run one."""
    inputs = dict.fromkeys(
        ("BASE", "CONFIG", "FAIL_ON", "STATUS", "MARKER", "SARIF", "CHANGES", "VERSION", "TOKEN"),
        "",
    )
    return {
        **{f"LUMOS_{name}": value for name, value in inputs.items()},
        "LUMOS_BASE": "main",
        "LUMOS_TREES": ".",
        "LUMOS_COMMENT": "false",
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "RUNNER_TOOL_CACHE": str(tmp_path / "tools"),
        "LC_ALL": "C.UTF-8",
        **packages(root),
    }


def judged(script: Path, folder: Path, environ: dict[str, str]) -> tuple[float, str]:
    start = time.perf_counter()
    done = subprocess.run(
        ["bash", script], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "email was removed" in done.stdout
    return time.perf_counter() - start, done.stdout


def test_the_first_judgement_takes_seconds_and_the_second_one_less(
    root: Path, started: dict[str, str], tmp_path: Path
) -> None:
    action = checkout(root, tmp_path / "action")
    folder = repository(root, tmp_path / "repository")
    edit(folder / CUSTOMERS, drop("email"))
    script = action / "ci/github/gate.sh"
    # Other tests may hold both cores: the best of three says what the work takes.
    times = []
    for _ in range(3):
        shutil.rmtree(tmp_path / "tools", ignore_errors=True)
        times.append(judged(script, folder, started)[0])
    assert min(times) <= MOST_SECONDS
    again, _ = judged(script, folder, started)
    assert again < min(times) / 2


def test_another_version_of_the_action_is_installed_beside_it(
    root: Path, started: dict[str, str], tmp_path: Path
) -> None:
    action = checkout(root, tmp_path / "action")
    folder = repository(root, tmp_path / "repository")
    edit(folder / CUSTOMERS, drop("email"))
    judged(action / "ci/github/gate.sh", folder, started)
    with (action / "src/lumos_snap/errors.py").open("a") as file:
        file.write("\n# another version\n")
    judged(action / "ci/github/gate.sh", folder, started)
    assert len(list((tmp_path / "tools/lumos-snap").iterdir())) == 2


def test_nothing_of_the_judged_repository_is_run(
    root: Path, started: dict[str, str], tmp_path: Path
) -> None:
    action = checkout(root, tmp_path / "action")
    folder = repository(root, tmp_path / "repository")
    edit(folder / CUSTOMERS, drop("email"))
    for name in ("pip", "lumos_snap", "venv", "hashlib", "click"):
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'trap')!r}, 'w')")
    judged(action / "ci/github/gate.sh", folder, started)
    assert not (tmp_path / "trap").exists()


def test_a_version_that_is_not_there_is_one_clear_error(
    root: Path, started: dict[str, str], tmp_path: Path
) -> None:
    action = checkout(root, tmp_path / "action")
    folder = repository(root, tmp_path / "repository")
    done = subprocess.run(
        ["bash", action / "ci/github/gate.sh"],
        cwd=folder,
        env=started | {"LUMOS_VERSION": "999.0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "::error title=Lumos Snapshots::lumos-snap cannot be installed" in done.stderr
    assert list((tmp_path / "tools/lumos-snap").iterdir()) == []
