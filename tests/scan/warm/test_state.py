"""What a server leaves behind is believed only where its user alone could have written it."""

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lumos_snap.scan.warm import client, state
from lumos_snap.scan.warm.state import Server


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def server(**other: object) -> Server:
    known: dict[str, object] = {
        "pid": os.getpid(),
        "java": 1,
        "port": 15002,
        "token": "secret",
        "spark": state.spark_version(),
        "python": state.python_version(),
        "environment": state.environment(),
        "memory": "1g",
        "idle": 60,
        "started": 0.0,
    }
    return Server(**{**known, **other})  # type: ignore[arg-type]


def test_a_server_runs_as_long_as_its_lock_is_held() -> None:
    assert state.running() is None
    with state.lock("alive", shared=False):
        state.write(server())
        assert state.running() == server()
        with state.lock("alive", shared=False) as is_free:
            assert not is_free
    assert state.running() is None


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
        assert state.running() is not None
        spoil()
        assert state.running() is None


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"spark": "3.5.1"}, "it runs PySpark 3.5.1, and this is"),
        ({"python": "2.7"}, "it runs Python 2.7, and this is"),
        ({"environment": "other"}, "it was started with other variables"),
    ],
)
def test_a_server_that_does_not_fit_is_not_used(other: dict[str, str], why: str) -> None:
    assert server().why_not() is None
    assert why in (server(**other).why_not() or "")
    with state.lock("alive", shared=False):
        state.write(server(**other))
        with client.borrowed() as found:
            assert found is None


def test_variables_of_credentials_and_of_spark_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = state.environment()
    monkeypatch.setenv("LC_ALL", "C")
    assert state.environment() == before
    for name in ("AWS_PROFILE", "KRB5CCNAME", "SPARK_CONF_DIR"):
        monkeypatch.setenv(name, "x")
        assert state.environment() != before
        monkeypatch.delenv(name)


def test_while_it_is_borrowed_it_does_not_end_and_the_token_is_known() -> None:
    with state.lock("alive", shared=False):
        state.write(server())
        with client.borrowed() as found:
            assert found == server()
            assert os.environ["SPARK_CONNECT_AUTHENTICATE_TOKEN"] == "secret"  # noqa: S105
            with client.borrowed() as again, state.lock("use", shared=False) as is_free:
                assert again == server()
                assert not is_free
        assert "SPARK_CONNECT_AUTHENTICATE_TOKEN" not in os.environ
        with state.lock("use", shared=False) as is_free, client.borrowed() as found:
            assert is_free
            assert found is None, "it is about to end"


def test_it_is_idle_from_the_end_of_the_last_scan() -> None:
    with state.lock("alive", shared=False):
        state.write(server())
        assert state.is_idle_for_too_long(server())
        with client.borrowed():
            pass
        assert not state.is_idle_for_too_long(server())
        assert state.is_idle_for_too_long(replace(server(), idle=-1))


def test_what_a_killed_server_has_left_is_not_taken_for_one_that_starts() -> None:
    over = subprocess.Popen(["true"])
    over.wait()
    with state.lock("alive", shared=False):
        state.write(server(pid=over.pid))
        assert state.running() is None
        assert not state.is_over()
