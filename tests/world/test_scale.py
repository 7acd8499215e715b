"""100,000 datasets in one tree."""

import json
import os
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
    command = [*LUMOS, "validate", "--json"]
    with subprocess.Popen(command, cwd=tree, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert json.loads(running.stdout.read())["checked"] == DATASETS
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0
    assert usage.ru_maxrss / 1024 < 400  # of the process, or of any that it has started


def test_all_are_validated_at_a_commit(tree: Path) -> None:
    assert json.loads(_run(tree, "validate", "--ref", "main", "--json"))["checked"] == DATASETS


def test_none_has_to_be_formatted(tree: Path) -> None:
    assert json.loads(_run(tree, "fmt", "--check", "--json"))["changed"] == []


def test_one_is_found_among_all(tree: Path) -> None:
    (dataset,) = json.loads(_run(tree, "ls", "table_77777", "--json"))["datasets"]
    assert dataset["path"].endswith("/table_77777.json")
    page = json.loads(_run(tree, "show", "table_77777", "--json"))
    assert page["snapshot"]["urn"] == dataset["urn"]
