"""100,000 datasets in one tree."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import lake

pytestmark = pytest.mark.world

DATASETS = 100_000
LUMOS = [sys.executable, "-m", "lumos_snap", "snap"]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scale")
    lake.build(folder, DATASETS)
    for command in (
        ["init", "-qb", "main"],
        ["add", "-A"],
        ["-c", "gc.auto=0", "commit", "-qm", "Lake"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def _run(tree: Path, *arguments: str) -> str:
    done = subprocess.run(
        [*LUMOS, *arguments], cwd=tree, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_all_are_validated_in_bounded_memory(tree: Path) -> None:
    command = [sys.executable, "-c", MEASURED, *LUMOS, "validate", "--json"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["checked"] == DATASETS
    assert int(done.stderr) / 1024 < 400


# A small process between: what is measured of a child includes what its parent held at its birth.
MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


def test_all_are_validated_at_a_commit(tree: Path) -> None:
    assert json.loads(_run(tree, "validate", "--ref", "main", "--json"))["checked"] == DATASETS


def test_none_has_to_be_formatted(tree: Path) -> None:
    assert json.loads(_run(tree, "fmt", "--check", "--json"))["changed"] == []


def test_one_is_found_among_all(tree: Path) -> None:
    (dataset,) = json.loads(_run(tree, "ls", "table_77777", "--json"))["datasets"]
    assert dataset["path"].endswith("/table_77777.json")
    page = json.loads(_run(tree, "show", "table_77777", "--json"))
    assert page["snapshot"]["urn"] == dataset["urn"]
