"""What happens to a job whose worker, or whose scan, is gone half-way."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.world.clusters.tree import PATIENCE, Tree
from tests.world.servers.clusters import Cluster, Server, asked, free_port, standalone, tasks_at

pytestmark = pytest.mark.world


def test_a_worker_that_is_lost_costs_nothing_but_time(
    tree: Tree, slow_lake: Path, tmp_path: Path, python: Path
) -> None:
    ui = free_port()
    settings = {"executor__cores": "1", "executor__memory": "512m"}
    tree.set(**settings, ui__enabled="true", ui__port=str(ui))
    with standalone(python) as cluster:
        running = tree.started(slow_lake, "--master", cluster.url, PYSPARK_PYTHON=str(python))
        with running:
            address = f"http://127.0.0.1:{ui}"
            _await(running, lambda: _active(address) >= 2)  # one for each worker
            cluster.kill(0)
            _await(running, lambda: any(one["numFailedTasks"] for one in tasks_at(address)))
            out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, err
    assert "1200 files listed" in out.replace(",", "")
    (tmp_path / "calm").mkdir()
    (tmp_path / "calm/lumos.yaml").write_text("version: 1\n")
    calm = Tree(tmp_path / "calm")
    assert calm.scan(slow_lake, "--master", "local[2]").code == 0
    assert tree.snapshots() == calm.snapshots()


def test_ctrl_c_leaves_nothing_running_on_a_cluster(
    tree: Tree, slow_lake: Path, cluster: Cluster
) -> None:
    ui = free_port()
    settings = {"executor__cores": "1", "executor__memory": "512m"}
    tree.set(**settings, ui__enabled="true", ui__port=str(ui))
    python = str(cluster.python)
    with tree.started(slow_lake, "--master", cluster.url, PYSPARK_PYTHON=python) as running:
        _await(running, lambda: _is_at_work(f"http://127.0.0.1:{ui}"))
        _interrupted(running)
    _soon(lambda: asked(cluster.state)["activeapps"] == [])
    assert tree.snapshots() == {}


def test_ctrl_c_leaves_nothing_running_on_a_server(
    tree: Tree, slow_lake: Path, server: Server
) -> None:
    with tree.started(slow_lake, "--connect", server.url) as running:
        before = len(tasks_at(server.ui))
        _await(running, lambda: _is_at_work(server.ui, before))
        _interrupted(running)
    _soon(lambda: _busy(server.ui) == 0)
    assert tree.snapshots() == {}


def _interrupted(running: "subprocess.Popen[str]") -> None:
    began = time.monotonic()
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    assert time.monotonic() - began < 30


def _is_at_work(ui: str, before: int = 0) -> bool:
    """Whether the job itself runs: a tiny one comes before it."""
    return len(tasks_at(ui)) >= before + 2 and _active(ui) >= 1


def _busy(ui: str) -> int:
    """How many tasks executors say that they run."""
    (application,) = asked(f"{ui}/api/v1/applications")
    executors = asked(f"{ui}/api/v1/applications/{application['id']}/executors")
    return sum(one["activeTasks"] for one in executors)


def _active(ui: str) -> int:
    """How many tasks run at this moment."""
    return sum(one["numActiveTasks"] for one in tasks_at(ui))


def _await(running: "subprocess.Popen[str]", is_so: Callable[[], object]) -> None:
    """Until something is so, while the scan runs."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        if running.poll() is not None or time.monotonic() > end:
            running.kill()
            pytest.fail(f"it never was so: {running.communicate()}")
        time.sleep(0.1)


def _soon(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.2)
