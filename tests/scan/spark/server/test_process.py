"""`lumos spark`: a server that scans share, that nobody else can use, and that leaves nothing."""

import contextlib
import signal
import socket
from pathlib import Path

import pytest

from lumos_snap.scan.spark.server import state
from lumos_snap.scan.spark.settings import make_private
from tests.scan.spark.server.conftest import LINUX
from tests.scan.spark.server.machine import User, processes, runs, soon
from tests.scan.spark.server.test_state import server

pytestmark = [pytest.mark.slow, LINUX]


def test_scans_use_it_and_write_the_same_bytes(user: User) -> None:
    own = user.scanned()
    before = snapshots(user)
    report = user.json("spark", "start", "--idle", "2m", "--memory", "512m")
    assert report["change"] == "started"
    assert (report["memory"], report["idle_seconds"]) == ("512m", 120)
    warm = user.scanned()
    assert own["engine"]["place"] == "local[*]"
    assert warm["engine"]["place"] == f"{report['url']} (warm server)"
    assert snapshots(user) == before
    assert [one["path"] for one in warm["bad_files"]] == ["broken.parquet"]
    _the_token_is_secret(user)
    _others_are_refused(user)
    assert user.json("spark", "start")["pid"] == report["pid"], "it runs already"
    assert "not use it" in user.run("spark", "status", AWS_PROFILE="other").stdout
    assert user.scanned(AWS_PROFILE="other")["engine"]["place"] == "local[*]"
    assert user.scanned("--master", "local[1]")["engine"]["place"] == "local[1]"
    assert user.json("spark", "stop") == {
        "report": "spark-server",
        "version": 1,
        "running": False,
        "change": "stopped",
        "pid": report["pid"],
    }
    assert user.run("spark", "status").returncode == 1
    assert not runs(report["pid"])
    assert user.run("spark", "stop").stdout == "not running: `lumos spark start`\n"


def snapshots(user: User) -> dict[str, bytes]:
    top = user.home / "tree/snapshots"
    return {str(one.relative_to(top)): one.read_bytes() for one in top.rglob("*.json")}


def _the_token_is_secret(user: User) -> None:
    token = user.server()["token"]
    for place in Path("/proc").iterdir():
        if place.name.isdecimal() and runs(int(place.name)):
            assert token.encode() not in _command(int(place.name))
    assert user.folder.stat().st_mode & 0o077 == 0
    for one in user.folder.iterdir():
        if one.is_file() and token.encode() in one.read_bytes():
            assert one.name == "server.json"
            assert one.stat().st_mode & 0o077 == 0
    for arguments in (("spark", "status"), ("spark", "status", "--json"), ("spark", "start")):
        done = user.run(*arguments)
        assert token not in done.stdout + done.stderr


def _others_are_refused(user: User) -> None:
    import grpc  # noqa: PLC0415
    from pyspark.sql.connect.proto import (  # noqa: PLC0415
        ConfigRequest,
        SparkConnectServiceStub,
    )

    port = user.server()["port"]
    with socket.socket(socket.AF_INET6) as other, pytest.raises(OSError, match="in use"):
        other.bind(("::1", port))  # clients connect there first
    request = ConfigRequest(session_id="00000000-0000-0000-0000-000000000001")
    request.operation.get_all.SetInParent()
    for header in ((), (("authorization", "Bearer guessed"),)):
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = SparkConnectServiceStub(channel)
            with pytest.raises(grpc.RpcError) as refused:
                stub.Config(request, metadata=header, timeout=30)
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize("victim", ["pid", "java"])
def test_whatever_is_killed_nothing_is_left_and_scans_go_on(user: User, victim: str) -> None:
    user.json("spark", "start")
    server = user.server()
    user.kill(server[victim])
    assert user.scanned()["engine"]["name"] == "spark"
    soon(lambda: not runs(server["pid"]) and not runs(server["java"]))
    assert user.json("spark", "status") == {
        "report": "spark-server",
        "version": 1,
        "running": False,
    }
    assert user.json("spark", "start")["change"] == "started"
    assert "warm server" in user.scanned()["engine"]["place"]


def test_it_ends_where_nobody_uses_it(user: User) -> None:
    server = user.json("spark", "start", "--idle", "8s")
    soon(lambda: not runs(server["pid"]))
    soon(lambda: not processes(str(user.home)))
    assert user.json("spark", "status")["running"] is False


def test_of_two_that_start_at_once_one_runs(user: User) -> None:
    both = [user.started("spark", "start") for _ in range(2)]
    ended = [one.communicate(timeout=120) for one in both]
    assert [one.returncode for one in both] == [0, 0], ended
    assert sorted(out.split()[0] for out, _ in ended) == ["running", "started"]
    soon(lambda: _keepers(user) == [user.server()["pid"]])  # the other one ends


def _keepers(user: User) -> list[int]:
    return [pid for pid in processes(str(user.home)) if b"server.process" in _command(pid)]


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""  # it is over meanwhile


@pytest.mark.parametrize("step", ["server.process", "pyspark-shell"])
def test_ctrl_c_while_it_starts_leaves_nothing(user: User, step: str) -> None:
    with user.started("spark", "start") as starting:
        soon(lambda: any(step.encode() in _command(pid) for pid in processes(str(user.home))))
        starting.send_signal(signal.SIGINT)
        out, err = starting.communicate(timeout=60)
    assert starting.returncode == 130, out + err
    soon(lambda: not processes(str(user.home)))
    assert not list(user.folder.glob("starting-*"))


def test_a_server_that_does_not_listen_is_not_used(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", user.environment()["XDG_CACHE_HOME"])
    make_private(state.folder())
    with socket.socket() as held, state.lock("alive", shared=False):
        held.bind(("127.0.0.1", 0))
        state.write(server(port=held.getsockname()[1]))
        done = user.run("snap", "scan", "lake", "-C", "tree")
    assert done.returncode == 0, done.stderr
    assert "read by Spark on local[*]" in done.stdout


def test_without_java_the_fix_is_named(user: User) -> None:
    done = user.run("spark", "start", JAVA_HOME="/nowhere")
    assert done.returncode == 3
    assert "the Spark server does not start: there is no Java that runs" in done.stderr
    assert "openjdk-17" in done.stderr
