"""A lake on HDFS, read by the workers of YARN: the same bytes as without them."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.components.yarn.conftest import Client, new_tree
from tests.components.yarn.environments import packed
from tests.components.yarn.hadoop import Hdfs
from tests.world.clusters.tree import Ran, Tree
from tests.world.scans.lake import BAD, DATASETS

HDFS = {"HADOOP_USER_NAME": "root"}
_LETHAL = """
import os, signal, sys
from lumos_snap.cli import main
from lumos_snap.scan.executors import file_task

probe_file = file_task.probe_file

def lethal(file, hint, suffix):
    if b"lethal" in file.tail():
        os.kill(os.getpid(), signal.SIGKILL)
    return probe_file(file, hint, suffix)

file_task.probe_file = lethal
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, lake: str) -> Tree:
    """What processes of this machine read, without Spark."""
    tree = new_tree(tmp_path_factory.mktemp("here") / "tree")
    tree.set()
    ran = tree.scan(lake, "--engine", "local", **HDFS)
    assert ran.code == 0, ran.err
    assert len(tree.snapshots()) == len(DATASETS)
    assert_bad_files_are_named(ran)
    return tree


def test_spark_on_this_machine(tree: Tree, here: Tree, lake: str) -> None:
    tree.set()
    ran = tree.scan(lake, "--engine", "spark", "--master", "local[2]", **HDFS)
    assert ran.code == 0, ran.err
    assert tree.snapshots() == here.snapshots()
    assert_bad_files_are_named(ran)


def test_yarn(tree: Tree, here: Tree, lake: str, client: Client) -> None:
    """As somebody runs it who sets nothing: two executors, and Spark sends its jars along."""
    tree.set()
    ran = tree.scan(lake, "--master", "yarn", **client.env)
    assert ran.code == 0, ran.err
    assert "read by Spark on yarn" in ran.out
    assert tree.snapshots() == here.snapshots()
    assert_bad_files_are_named(ran)
    last = client.cluster.applications()[-1]
    assert (last["name"], last["state"]) == ("lumos", "FINISHED")
    assert last["finalStatus"] == "SUCCEEDED"


def test_an_environment_that_is_sent_along(
    tree: Tree, here: Tree, lake: str, client: Client, below: Hdfs
) -> None:
    """Nothing but the archive has what tasks need: the nodes' own Python is not named."""
    below.put(packed(), "/envs/workers.tar.gz")
    env = {name: value for name, value in client.env.items() if name != "PYSPARK_PYTHON"}
    archive = f"spark.archives={below.url}/envs/workers.tar.gz#env"
    python = "spark.pyspark.python=./env/bin/python"
    ran = tree.scan(lake, "--master", "yarn", "--conf", archive, "--conf", python, **env)
    assert ran.code == 0, ran.err
    assert tree.snapshots() == here.snapshots()


def test_a_file_that_ends_its_reader_is_named_and_the_others_are_described(
    tmp_path: Path, tree: Tree, client: Client, below: Hdfs
) -> None:
    top = tmp_path / "planted"
    for name in ("before", "lethal", "zones"):
        (top / name).mkdir(parents=True)
        table = pa.table({name: pa.array([1], pa.int64()), "total": [1.5]})
        pq.write_table(table, top / name / "part-0.parquet")
    below.put(top, "/team/planted")
    dying = replace(tree, program=("-c", _LETHAL))
    ran = dying.scan(f"{below.url}/team/planted", "--master", "yarn", **client.env)
    assert ran.code == 0, ran.err
    (line,) = (line for line in ran.out.splitlines() if "lethal/part-0.parquet" in line)
    assert line.startswith("damaged: ")
    described = {Path(path).stem for path in tree.snapshots()}
    assert described == {"before", "zones"}


def assert_bad_files_are_named(ran: Ran) -> None:
    for path in BAD:
        assert any(path in line for line in ran.out.splitlines()), ran.out
