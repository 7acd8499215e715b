"""Somebody listens and never answers: no store waits longer than we let it."""

import socket
import time
from collections.abc import Iterator

import pytest

from lumos_snap.errors import OutsideError
from lumos_snap.scan.stores import hdfs, prefix_listing
from lumos_snap.scan.stores.azure import AzureStore
from lumos_snap.scan.stores.gcs import GcsStore
from lumos_snap.scan.stores.hdfs import HdfsStore
from lumos_snap.scan.stores.request_pool import Answers
from lumos_snap.scan.stores.s3 import S3Store
from lumos_snap.scan.stores.store import Store
from tests.scan.stores.contract import anything


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of somebody who takes calls and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def stores(address: str) -> Iterator[Store]:
    endpoint = f"http://{address}"
    yield S3Store("lake", endpoint=endpoint, anonymous=True)
    yield GcsStore("lake", endpoint=endpoint, anonymous=True)
    yield AzureStore("account", "lake", endpoint=endpoint, anonymous=True)
    yield HdfsStore(address, "/lake")


@pytest.mark.parametrize("kind", range(4), ids=("s3", "gcs", "azure", "hdfs"))
def test_a_silent_server_is_left(silent: str, kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefix_listing, "FIRST", 1.0)
    monkeypatch.setattr(hdfs, "FIRST", 1.0)
    store = list(stores(silent))[kind]
    for asked in (lambda: list(store.entries("", anything)), lambda: store.has("x")):
        begun = time.monotonic()
        with pytest.raises(OutsideError, match="did not answer within 1 seconds") as caught:
            asked()
        assert time.monotonic() - begun < 5
        assert caught.value.hint


def test_what_nobody_expects_reaches_whoever_lists() -> None:
    def broken(question: int) -> Iterator[int]:
        yield question
        raise ZeroDivisionError(question)

    answers: Answers[int, int] = Answers(broken)
    answers.ask(7)
    found = answers.taken()
    assert next(found) == (7, 7)
    with pytest.raises(ZeroDivisionError):
        next(found)
    answers.end()
