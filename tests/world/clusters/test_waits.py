"""A cluster that gives no executor: the wait is visible, has a limit, and leaves nothing behind."""

import http.server
import signal
import socketserver
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.world.clusters.tree import Tree
from tests.world.servers.clusters import Cluster, asked, master_alone

pytestmark = pytest.mark.world


@pytest.fixture(scope="module")
def empty() -> Iterator[Cluster]:
    """A master without workers."""
    with master_alone() as started:
        yield started


def _limited(tree: Tree, limit: str) -> None:
    (tree.root / "lumos.yaml").write_text(f"version: 1\nscan: {{start_timeout: {limit}}}\n")


def test_a_cluster_without_workers_is_named_after_the_limit(
    tree: Tree, lake: Path, empty: Cluster
) -> None:
    _limited(tree, "12s")
    ran = tree.scan(lake, "--master", empty.url)
    assert ran.code == 3
    assert f"lumos: waiting for {empty.url}: no executor yet\n" in ran.err
    assert f"lumos: {empty.url} gave no executor within 12 s\n" in ran.err
    _ended(empty)
    assert tree.snapshots() == {}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["while Java starts", "while it waits"])
def test_a_signal_ends_the_wait_within_five_seconds(
    tree: Tree, lake: Path, empty: Cluster, number: signal.Signals, moment: str
) -> None:
    with tree.started(lake, "--master", empty.url) as running:
        if moment == "while it waits":
            assert running.stderr is not None
            assert "no executor yet" in running.stderr.readline()
        else:
            _await_java(running)
        began = time.monotonic()
        running.send_signal(number)
        _, err = running.communicate(timeout=60)
        assert time.monotonic() - began < 5
    assert running.returncode == 130, err
    assert "Traceback" not in err
    _ended(empty)


def _await_java(running: "subprocess.Popen[str]") -> None:
    """Until the process has a child: the Java that is being launched."""
    place = Path(f"/proc/{running.pid}/task/{running.pid}/children")
    end = time.monotonic() + 60
    children = Path(f"/proc/{running.pid}/task")
    while not any(one.read_text() for one in children.glob("*/children")):
        assert time.monotonic() < end, place
        time.sleep(0.02)


def _ended(cluster: Cluster) -> None:
    """No application is left at the master."""
    end = time.monotonic() + 10
    while asked(cluster.state)["activeapps"]:
        assert time.monotonic() < end
        time.sleep(0.2)


def test_a_port_of_another_program_is_no_master(tree: Tree, lake: Path) -> None:
    """Spark itself tries for a minute; meanwhile the wait is visible."""
    with socketserver.ThreadingTCPServer(
        ("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler
    ) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        url = f"spark://127.0.0.1:{web.server_address[1]}"
        ran = tree.scan(lake, "--master", url)
        web.shutdown()
    assert ran.code == 3
    assert f"lumos: waiting for {url}: no executor yet\n" in ran.err
    assert f"lumos: Spark does not start: no Spark master answers at {url}\n" in ran.err
    assert "SparkContext" not in ran.err
