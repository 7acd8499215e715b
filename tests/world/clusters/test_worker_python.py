"""What workers lack is said before any work, with what to do."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.world.clusters.tree import Tree
from tests.world.servers.clusters import Cluster, worker_python

pytestmark = pytest.mark.world
SMALL = {"executor__cores": "1", "executor__memory": "512m"}


def test_another_version(tree: Tree, lake: Path, cluster: Cluster) -> None:
    other = _another_python()
    if other is None:
        pytest.skip("there is no second version of Python on this machine")
    tree.set(**SMALL)
    ran = tree.scan(lake, "--master", cluster.url, PYSPARK_PYTHON=str(worker_python(other)))
    ours = "{}.{}".format(*sys.version_info)
    assert ran.code == 3
    assert "they have Python 3." in ran.err
    assert f"and here runs {ours}" in ran.err
    assert "PYSPARK_PYTHON" in ran.err


def test_no_such_python(tree: Tree, lake: Path, cluster: Cluster) -> None:
    tree.set(**SMALL)
    ran = tree.scan(lake, "--master", cluster.url, PYSPARK_PYTHON="/nowhere/bin/python3")
    assert ran.code == 3
    assert "they have no Python at /nowhere/bin/python3" in ran.err


def test_no_pyarrow(tree: Tree, lake: Path, cluster: Cluster, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    tree.set(**SMALL)
    ran = tree.scan(lake, "--master", cluster.url, PYSPARK_PYTHON=str(bare / "bin/python"))
    assert ran.code == 3
    assert "their Python lacks p" in ran.err
    assert "install pyarrow" in ran.err


def _another_python() -> str | None:
    """One that PySpark supports, of another version than ours."""
    for minor in (12, 13, 11):
        if minor == sys.version_info.minor:
            continue
        for place in (shutil.which(f"python3.{minor}"), *_of_pyenv(minor)):
            if place and _runs(place):
                return place
    return None


def _of_pyenv(minor: int) -> list[str]:
    found = Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python")
    return [str(one) for one in found]


def _runs(python: str) -> bool:
    return not subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode
