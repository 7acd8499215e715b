"""What a server leaves behind is believed only where its user alone could have written it."""

import atexit
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lumos_snap.scan.spark.server import state
from lumos_snap.scan.spark.server.state import WarmServer
from lumos_snap.scan.spark.settings import make_private

LISTENER = socket.create_server(("127.0.0.1", 0))
atexit.register(LISTENER.close)
"""Where servers of these tests listen."""


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    make_private(state.folder())


def server(**other: object) -> WarmServer:
    known: dict[str, object] = {
        "pid": os.getpid(),
        "java": 1,
        "port": LISTENER.getsockname()[1],
        "token": "secret",
        "spark": state.spark_version(),
        "python": state.python_version(),
        "prefix": sys.prefix,
        "environment": state.digest_environment(),
        "memory": "1g",
        "idle": 60,
        "started": 0.0,
    }
    return WarmServer(**{**known, **other})  # type: ignore[arg-type]


def test_a_server_runs_as_long_as_its_lock_is_held() -> None:
    assert state.find_running_server() is None
    with state.lock("alive", shared=False):
        state.write(server())
        assert state.find_running_server() == server()
        with state.lock("alive", shared=False) as is_free:
            assert not is_free
    assert state.find_running_server() is None


def test_nobody_else_can_read_it() -> None:
    state.write(server())
    assert state.folder().stat().st_mode & 0o777 == 0o700
    assert {one.stat().st_mode & 0o777 for one in state.folder().iterdir()} == {0o600}


def _writable_folder() -> None:
    state.folder().chmod(0o770)


def _writable_file() -> None:
    (state.folder() / "server.json").chmod(0o606)


def _cut_off() -> None:
    place = state.folder() / "server.json"
    place.write_bytes(place.read_bytes()[:-5])


def _of_another_shape() -> None:
    (state.folder() / "server.json").write_bytes(b'{"pid": 1}')


def _no_object() -> None:
    (state.folder() / "server.json").write_bytes(b"[1]")


@pytest.mark.parametrize(
    "spoil", [_writable_folder, _writable_file, _cut_off, _of_another_shape, _no_object]
)
def test_what_is_not_as_it_was_written_is_ignored(spoil: Callable[[], None]) -> None:
    with state.lock("alive", shared=False):
        state.write(server())
        assert state.find_running_server() is not None
        spoil()
        assert state.find_running_server() is None


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"spark": "3.5.1"}, "it runs PySpark 3.5.1, and this is"),
        ({"python": "2.7"}, "it runs Python 2.7, and this is"),
        ({"prefix": "/elsewhere"}, "it runs the Python of /elsewhere, and this is"),
        ({"environment": "other"}, "it was started with other variables"),
    ],
)
def test_a_server_that_does_not_fit_is_not_used(other: dict[str, str], why: str) -> None:
    assert server().why_not() is None
    assert why in (server(**other).why_not() or "")
    with state.lock("alive", shared=False):
        state.write(server(**other))
        with state.warm_server() as found:
            assert found is None


def test_variables_of_credentials_and_of_spark_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = state.digest_environment()
    monkeypatch.setenv("LC_ALL", "C")
    assert state.digest_environment() == before
    monkeypatch.setenv("SPARK_BUFFER_SIZE", "65536")  # as PySpark sets it
    assert state.digest_environment() == before
    for name in ("AWS_PROFILE", "KRB5CCNAME", "SPARK_CONF_DIR", "https_proxy", "PYSPARK_PYTHON"):
        monkeypatch.delenv(name, raising=False)
        before = state.digest_environment()
        monkeypatch.setenv(name, "x")
        assert state.digest_environment() != before
        monkeypatch.delenv(name)


def test_while_it_is_borrowed_it_does_not_end_and_the_token_is_known() -> None:
    with state.lock("alive", shared=False):
        state.write(server())
        with state.warm_server() as found:
            assert found == server()
            assert os.environ["SPARK_CONNECT_AUTHENTICATE_TOKEN"] == "secret"  # noqa: S105
            with state.warm_server() as again, state.lock("use", shared=False) as is_free:
                assert again == server()
                assert not is_free
        assert "SPARK_CONNECT_AUTHENTICATE_TOKEN" not in os.environ
        with state.lock("use", shared=False) as is_free, state.warm_server() as found:
            assert is_free
            assert found is None, "it is about to end"


def test_it_is_idle_from_the_end_of_the_last_scan() -> None:
    with state.lock("alive", shared=False):
        state.write(server())
        assert state.is_idle_for_too_long(server())
        with state.warm_server():
            pass
        assert not state.is_idle_for_too_long(server())
        assert state.is_idle_for_too_long(replace(server(), idle=-1))


def test_what_a_killed_server_has_left_is_not_taken_for_one_that_starts() -> None:
    over = subprocess.Popen(["true"])
    over.wait()
    with state.lock("alive", shared=False):
        state.write(server(pid=over.pid))
        assert state.find_running_server() is None
        assert not state.no_server_alive()


def test_a_lock_of_an_instant_does_not_keep_a_scan_from_the_server() -> None:
    """As `lumos spark status` takes it, to see whether a scan uses the server."""
    taken = threading.Event()

    def look() -> None:
        with state.lock("use", shared=False):
            taken.set()
            time.sleep(0.1)

    with state.lock("alive", shared=False):
        state.write(server())
        looking = threading.Thread(target=look)
        looking.start()
        taken.wait()
        with state.warm_server() as found:
            assert found == server()
        looking.join()


def test_without_the_packages_of_connect_it_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "has_connect", lambda: False)
    assert "packages of Spark Connect" in (server().why_not() or "")


@pytest.mark.parametrize("spoil", [Path.rmdir, lambda folder: folder.chmod(0)])
def test_without_a_folder_that_can_be_used_there_is_no_server(
    spoil: Callable[[Path], None],
) -> None:
    spoil(state.folder())
    with state.warm_server() as found:
        assert found is None
    assert state.no_server_alive()


def test_the_token_of_before_comes_back_when_the_last_thread_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(state.TOKEN, "of the user")
    with state.lock("alive", shared=False):
        state.write(server())
        first, second = state.warm_server(), state.warm_server()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert os.environ[state.TOKEN] == "secret"
        second.__exit__(None, None, None)
    assert os.environ[state.TOKEN] == "of the user"


def test_a_server_forgets_only_what_it_has_written() -> None:
    state.write(server(pid=1))
    state.forget(2)
    assert state.read_server() == server(pid=1)
    state.forget(1)
    assert state.read_server() is None
