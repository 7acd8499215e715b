"""YARN accepts an application and gives it nothing: the scan shows it, and leaves nothing."""

import time
from typing import NamedTuple

import pytest

from tests.components.yarn.conftest import Client
from tests.components.yarn.settings import SMALL, TINY
from tests.components.yarn.waits import waiting
from tests.world.clusters.tree import Tree

LIMIT = 90
"""Seconds that a scan waits here: two cores that are busy need half of it to start Spark."""


class Case(NamedTuple):
    """Why an application waits."""

    cluster: str
    queue: str
    state: str
    options: tuple[str, ...]


FULL = Case("client", TINY, "ACCEPTED", ("--conf", f"spark.yarn.queue={TINY}"))
DESERTED = Case("deserted", "default", "ACCEPTED", ())
CRAMPED = Case(
    "client",
    SMALL,
    "RUNNING",
    ("--conf", f"spark.yarn.queue={SMALL}", "--conf", "spark.executor.memory=1g"),
)
NAMES = ["a queue without room", "a cluster without nodes", "executors that do not fit"]


@pytest.fixture(scope="session")
def small(lake: str) -> str:
    """A few files are enough where none is read."""
    return f"{lake}/web"


@pytest.mark.parametrize("case", [FULL, CRAMPED], ids=[NAMES[0], NAMES[2]])
def test_the_wait_has_a_limit(
    tree: Tree, small: str, request: pytest.FixtureRequest, case: Case
) -> None:
    client: Client = request.getfixturevalue(case.cluster)
    (tree.root / "lumos.yaml").write_text(f"version: 1\nscan: {{start_timeout: {LIMIT}s}}\n")
    began = time.monotonic()
    with waiting(tree, small, client, *case.options) as scan:
        _, name, queue = scan.await_line(case.state)
        took = scan.end(began, LIMIT + 60)
        assert scan.running.returncode == 3, scan.lines
        assert LIMIT < took < LIMIT + 30
        assert queue == case.queue
        (message,) = (line for line in scan.messages() if line.startswith("lumos: "))
        assert f"{name} is {case.state} in queue" in message
        assert case.queue in message
        scan.assert_no_application_is_left()
    assert tree.snapshots() == {}


@pytest.mark.parametrize("case", [FULL, DESERTED, CRAMPED], ids=NAMES)
def test_the_wait_is_shown_and_ctrl_c_ends_it(
    tree: Tree, small: str, request: pytest.FixtureRequest, case: Case
) -> None:
    client: Client = request.getfixturevalue(case.cluster)
    with waiting(tree, small, client, *case.options) as scan:
        scan.await_state(case.state)
        reached = time.time()
        printed, name, queue = scan.await_line(case.state)
        application = scan.application
        assert application is not None
        assert (name, queue) == (application["id"], case.queue)
        assert printed - reached < 30
        assert scan.interrupt() < 5
        assert scan.running.returncode == 130, scan.lines
        assert "Traceback" not in "\n".join(scan.messages())
        scan.assert_no_application_is_left()
    assert tree.snapshots() == {}


def test_ctrl_c_ends_an_application_that_runs(tree: Tree, lake: str, client: Client) -> None:
    with waiting(tree, lake, client) as scan:
        scan.await_state("RUNNING")
        scan.interrupt()
        assert scan.running.returncode == 130, scan.lines
        scan.assert_no_application_is_left()
