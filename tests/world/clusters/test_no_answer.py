"""Where nobody answers, that is said soon, and by name."""

import http.server
import re
import socketserver
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.world.clusters.tree import Tree
from tests.world.servers.clusters import free_port

pytestmark = pytest.mark.world
SOON = 30


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """The port of a server that is none of Spark's."""
    with socketserver.ThreadingTCPServer(
        ("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler
    ) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        yield web.server_address[1]
        web.shutdown()


@pytest.mark.parametrize(
    ("option", "scheme", "who"),
    [
        ("--master", "spark", "no master of Spark answers"),
        ("--connect", "sc", "no server of Spark Connect answers"),
    ],
)
def test_what_is_dead(tree: Tree, lake: Path, option: str, scheme: str, who: str) -> None:
    address = f"{scheme}://127.0.0.1:{free_port()}"
    began = time.monotonic()
    ran = tree.scan(lake, option, address)
    assert ran.code == 3
    assert f"{who} at {address}" in ran.err
    assert time.monotonic() - began < SOON
    assert tree.snapshots() == {}


def test_a_port_of_somebody_else(tree: Tree, lake: Path, elsewhere: int) -> None:
    began = time.monotonic()
    ran = tree.scan(lake, "--connect", f"sc://127.0.0.1:{elsewhere}")
    assert ran.code == 3
    assert f"no server of Spark Connect answers at sc://127.0.0.1:{elsewhere}\n" in ran.err
    assert time.monotonic() - began < SOON


def test_a_token_is_not_repeated(tree: Tree, lake: Path) -> None:
    ran = tree.scan(lake, "--connect", f"sc://127.0.0.1:{free_port()}/;token=geheim;use_ssl=true")
    assert ran.code == 3
    assert "geheim" not in ran.out + ran.err


def test_yarn_that_is_dead(tree: Tree, lake: Path, tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "yarn-site.xml").write_text(
        "<configuration><property><name>yarn.resourcemanager.address</name>"
        f"<value>127.0.0.1:{port}</value></property></configuration>"
    )
    began = time.monotonic()
    ran = tree.scan(lake, "--master", "yarn", HADOOP_CONF_DIR=str(tmp_path))
    assert ran.code == 3
    assert re.search(rf"YARN: \S+:{port} refuses the connection\n", ran.err)
    assert time.monotonic() - began < 2 * SOON
