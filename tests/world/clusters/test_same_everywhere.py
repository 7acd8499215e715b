"""The same scan, wherever Spark runs: the same bytes."""

from pathlib import Path

import pytest

from tests.world.clusters.tree import Tree
from tests.world.servers.clusters import Cluster, Server

pytestmark = pytest.mark.world
BAD = "truncated: lake: crm/broken.parquet"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, lake: Path) -> Tree:
    """What a scan on this machine alone writes."""
    root = tmp_path_factory.mktemp("here")
    (root / "lumos.yaml").write_text("version: 1\n")
    ran = Tree(root).scan(lake, "--master", "local[2]")
    assert ran.code == 0, ran.err
    assert BAD in ran.out
    assert len(Tree(root).snapshots()) == 4
    return Tree(root)


def test_without_spark_it_is_the_same(tree: Tree, lake: Path, here: Tree) -> None:
    """So few files are read by processes of our own."""
    ran = tree.scan(lake, JAVA_HOME="/nowhere")
    assert ran.code == 0, ran.err
    assert BAD in ran.out
    assert tree.snapshots() == here.snapshots()


def test_workers_of_a_cluster_need_nothing_of_ours(
    tree: Tree, lake: Path, here: Tree, cluster: Cluster
) -> None:
    tree.set(executor__cores="1", executor__memory="512m")
    ran = tree.scan(lake, "--master", cluster.url, PYSPARK_PYTHON=str(cluster.python))
    assert ran.code == 0, ran.err
    assert BAD in ran.out
    assert tree.snapshots() == here.snapshots()


def test_settings_name_the_cluster_and_its_python(
    tree: Tree, lake: Path, here: Tree, cluster: Cluster
) -> None:
    python = str(cluster.python)
    tree.set(master=cluster.url, executor__memory="512m", pyspark__python=python)
    ran = tree.scan(lake)
    assert ran.code == 0, ran.err
    assert tree.snapshots() == here.snapshots()
    assert "PYSPARK_PYTHON" not in ran.out + ran.err


def test_a_server_of_spark_connect_needs_nothing_of_ours(
    tree: Tree, lake: Path, here: Tree, server: Server
) -> None:
    ran = tree.scan(lake, "--connect", server.url)
    assert ran.code == 0, ran.err
    assert BAD in ran.out
    assert tree.snapshots() == here.snapshots()


@pytest.mark.parametrize("how", ["master", "setting", "variable"])
def test_a_server_is_named_by(tree: Tree, lake: Path, here: Tree, server: Server, how: str) -> None:
    if how == "setting":
        tree.set(remote=server.url)
    options = ("--master", server.url) if how == "master" else ()
    env = {"SPARK_REMOTE": server.url} if how == "variable" else {}
    ran = tree.scan(lake, *options, **env)
    assert ran.code == 0, ran.err
    assert tree.snapshots() == here.snapshots()


def test_a_command_counts_more_than_settings_and_variables(
    tree: Tree, lake: Path, here: Tree
) -> None:
    nobody = "sc://127.0.0.1:1"
    tree.set(remote=nobody)
    ran = tree.scan(lake, "--master", "local[2]", SPARK_REMOTE=nobody)
    assert ran.code == 0, ran.err
    assert tree.snapshots() == here.snapshots()
