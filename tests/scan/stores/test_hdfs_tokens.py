"""Where an application has tokens, a NameNode is asked by the address that tokens name it by."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from lumos_snap.scan.stores.hdfs import HdfsStore
from lumos_snap.scan.stores.store import StoreRefusedError


@pytest.fixture
def port() -> Iterator[int]:
    """Of a server that takes calls."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_host_name_becomes_its_address(
    port: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = HdfsStore(f"localhost:{port}", "/lake")
    monkeypatch.delenv("HADOOP_TOKEN_FILE_LOCATION", raising=False)
    assert store._reached() == f"localhost:{port}"
    monkeypatch.setenv("HADOOP_TOKEN_FILE_LOCATION", str(tmp_path / "tokens"))
    assert store._reached() == f"127.0.0.1:{port}"


@pytest.mark.parametrize("authority", ["nameservice", "", "host:name"])
def test_names_of_clusters_stay(authority: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HADOOP_TOKEN_FILE_LOCATION", "/nowhere")
    assert HdfsStore(authority, "/lake")._reached() == authority


def test_who_does_not_listen_is_known_at_once(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HADOOP_TOKEN_FILE_LOCATION", "/nowhere")
    with socket.create_server(("127.0.0.1", 0)) as gone:
        free = gone.getsockname()[1]
    assert free != port
    with pytest.raises(StoreRefusedError) as refused:
        HdfsStore(f"127.0.0.1:{free}", "/lake")._reached()
    assert refused.value.reason == "unreachable"
