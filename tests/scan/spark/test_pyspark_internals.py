"""Scans on a PySpark that names what it keeps private differently: slower at most."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.slow
NAMES = ("_gateway", "_jvm", "_active_spark_context", "_accumulatorServer", "launch_gateway")
FROM_A_THREAD = """
import sys, threading
from datetime import UTC, datetime
from pathlib import Path
from pyspark.sql import SparkSession
from lumos_snap.commands.scan.options import ScanOptions
from lumos_snap.commands.scan.command import scan
from lumos_snap.tree import open_tree

threading.Thread(target=SparkSession.builder.master("local[1]").getOrCreate).start()
while True:
    try:
        SparkSession.active()
        break
    except Exception:
        pass
spark = SparkSession.active()
scan(open_tree(Path.cwd()), ScanOptions(sources=("lake",), engine="spark"), now=datetime.now(UTC))
assert spark.range(3).count() == 3, "the session of the caller goes on"
"""


def renamed(folder: Path, names: Iterable[str]) -> Path:
    """The installed PySpark, in which these names are others; what holds none of them is linked."""
    found = find_spec("pyspark")
    assert found is not None
    assert found.submodule_search_locations
    home = Path(found.submodule_search_locations[0])
    pattern = re.compile(rf"\b({'|'.join(names)})\b".encode())
    copy = folder / "pyspark"
    for place, _, files in os.walk(home):
        inner = Path(place).relative_to(home)
        if inner.parts[:1] in {("jars",), ("examples",), ("tests",)}:
            continue
        (copy / inner).mkdir(parents=True)
        for name in files:
            source = Path(place, name)
            text = source.read_bytes() if name.endswith(".py") else b""
            if name.endswith(".py"):
                (copy / inner / name).write_bytes(pattern.sub(rb"\1_of_tomorrow", text))
            else:
                (copy / inner / name).symlink_to(source)
    (copy / "jars").symlink_to(home / "jars")
    return folder


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with a lake of two formats, one of whose files is broken."""
    top = tmp_path_factory.mktemp("tree")
    (top / "lumos.yaml").write_text("version: 1\n")
    (top / "lake/orders").mkdir(parents=True)
    pq.write_table(pa.table({"id": [1], "total": [1.5]}), top / "lake/orders/part-0.parquet")
    (top / "lake/stores.csv").write_text("id,name\n1,a\n")
    (top / "lake/broken.parquet").write_bytes(b"PAR1 and no more")
    return top


@pytest.fixture(scope="module")
def expected(tree: Path) -> dict[str, bytes]:
    """What processes of this machine write, which use no Spark."""
    return scanned(tree, tree, "local")


@pytest.mark.parametrize("names", [("_jvm",), ("launch_gateway",), NAMES], ids=" ".join)
def test_a_scan_is_the_same(
    tree: Path, expected: dict[str, bytes], tmp_path: Path, names: tuple[str, ...]
) -> None:
    packages = renamed(tmp_path, names)
    assert scanned(tree, packages) == expected


def test_a_session_of_another_thread_is_used_and_left_as_it_is(
    tree: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    packages = renamed(tmp_path, ["_active_spark_context"])
    forget(tree)
    done = run(tree, packages, "-c", FROM_A_THREAD)
    assert done.returncode == 0, done.stderr
    assert snapshots(tree) == expected


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("doctor", "--warm"), "this PySpark gives no way to end its Java"),
        (("spark", "start"), "does not show the Java that it starts"),
    ],
    ids=lambda one: one[0],
)
def test_what_must_end_java_says_that_it_cannot(
    tree: Path, tmp_path: Path, words: tuple[str, ...], why: str
) -> None:
    packages = renamed(tmp_path, ["_gateway"])
    done = run(tree, packages, "-m", "lumos_snap", *words)
    assert done.returncode in {2, 3}, done.stderr
    assert why in done.stderr
    assert "scans work without" in done.stderr


def scanned(tree: Path, packages: Path, engine: str = "spark") -> dict[str, bytes]:
    forget(tree)
    words = ("snap", "scan", "lake", "--json", "--engine", engine)
    done = run(tree, packages, "-m", "lumos_snap", *words)
    assert done.returncode in {0, 1}, done.stderr
    report = json.loads(done.stdout)
    assert [one["path"] for one in report["bad_files"]] == ["broken.parquet"]
    assert report["engine"]["name"] == engine
    return snapshots(tree)


def forget(tree: Path) -> None:
    """Each scan is the first one."""
    for name in ("snapshots", "observations", ".lumos"):
        subprocess.run(["rm", "-rf", str(tree / name)], check=True)


def snapshots(tree: Path) -> dict[str, bytes]:
    top = tree / "snapshots"
    return {str(one.relative_to(top)): one.read_bytes() for one in top.rglob("*.json")}


def run(tree: Path, packages: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, "PYTHONPATH": str(packages), "XDG_CACHE_HOME": str(packages / "cache")}
    command = [sys.executable, *words]
    return subprocess.run(
        command, cwd=tree, env=env, capture_output=True, text=True, timeout=240, check=False
    )
