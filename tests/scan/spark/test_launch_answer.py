"""Whether somebody answers is asked before Spark asks, and soon answered."""

import socket
import time
from collections.abc import Iterator

import pytest

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.scan.spark.launch import await_answer
from lumos_snap.scan.spark.settings import locate_spark

SOON = 5


@pytest.fixture
def port() -> Iterator[int]:
    """The port of somebody who listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        yield one.getsockname()[1]


@pytest.fixture
def dead() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        found: int = one.getsockname()[1]
    return found


def _await(url: str) -> None:
    await_answer(locate_spark(url, {}))


def test_one_master_of_several_is_enough(port: int, dead: int) -> None:
    _await(f"spark://127.0.0.1:{dead},127.0.0.1:{port}")


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_nobody_is_named_at_once(scheme: str, dead: int) -> None:
    began = time.monotonic()
    with pytest.raises(OutsideError, match=rf"answers at {scheme}://127\.0\.0\.1:{dead}"):
        _await(f"{scheme}://127.0.0.1:{dead}")
    assert time.monotonic() - began < SOON


@pytest.mark.parametrize("url", ["spark://", "spark://h", "spark://h:x", "spark://h:70000"])
def test_what_is_no_address_of_a_master(url: str) -> None:
    with pytest.raises(LumosError, match="is no address of a master") as raised:
        _await(url)
    assert "spark://host:port" in (raised.value.hint or "")


@pytest.mark.parametrize("url", ["sc://:", "sc://h:port"])
def test_what_is_no_address_of_a_server(url: str) -> None:
    with pytest.raises(LumosError, match="is no address of Spark Connect"):
        _await(url)


@pytest.mark.parametrize("url", ["local[2]", "yarn", "k8s://https://127.0.0.1:1"])
def test_others_are_asked_by_spark_itself(url: str) -> None:
    _await(url)
