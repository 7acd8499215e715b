"""Why a scan does not get as far as an application, in words that name what to change."""

import time
from pathlib import Path

import pytest

from tests.components.yarn.conftest import Client
from tests.components.yarn.settings import HERE
from tests.world.clusters.tree import Tree
from tests.world.servers.clusters import free_port

LONGEST = 240
"""Seconds: Hadoop itself tries for a quarter of an hour; Spark needs a minute on a busy machine."""


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    (tmp_path / "lake/orders").mkdir(parents=True)
    (tmp_path / "lake/orders/one.csv").write_text("id,name\n1,a\n")
    return tmp_path / "lake"


def test_a_resource_manager_that_does_not_run(tree: Tree, orders: Path, tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "yarn-site.xml").write_text(
        "<configuration><property><name>yarn.resourcemanager.address</name>"
        f"<value>{HERE}:{port}</value></property></configuration>"
    )
    began = time.monotonic()
    # Java may know the loopback by another name.
    assert_named(tree, orders, f":{port} refuses the connection", HADOOP_CONF_DIR=str(tmp_path))
    assert time.monotonic() - began < LONGEST


def test_no_settings_of_a_cluster(tree: Tree, orders: Path) -> None:
    assert_named(tree, orders, "HADOOP_CONF_DIR is not set")


def test_a_queue_that_does_not_exist(tree: Tree, orders: Path, client: Client) -> None:
    tree.conf.extend(("--conf", "spark.yarn.queue=nowhere"))
    assert_named(tree, orders, "no queue nowhere", **client.env)


def assert_named(tree: Tree, lake: Path, reason: str, **env: str) -> None:
    ran = tree.scan(lake, "--master", "yarn", **env)
    assert ran.code == 3
    assert reason in ran.err
    assert "Exception" not in ran.err
    assert tree.snapshots() == {}
