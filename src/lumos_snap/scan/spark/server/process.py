"""The process that runs a Spark server: it starts the server, watches it and ends it.

`python -m lumos_snap.scan.spark.server.process MEMORY IDLE_SECONDS`. Java ends whenever this
process does, because it waits for the end of its input.
"""

import contextlib
import errno
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from types import FrameType
from typing import Any, NoReturn

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.scan.spark.pyspark_internals import java_process
from lumos_snap.scan.spark.server import state
from lumos_snap.scan.spark.server.state import WarmServer
from lumos_snap.scan.spark.session import spark_session
from lumos_snap.scan.spark.settings import make_private

_EVERY = 0.5  # seconds
_PATIENCE = 30  # seconds
_LEFTOVERS = ("lumos-spark-", "spark-", "blockmgr-", "artifacts", "warehouse")


class _Stop:
    """Receives SIGTERM and SIGHUP, from `lumos spark stop` or the machine."""

    def __init__(self) -> None:
        self._is_sent = threading.Event()
        self._is_started = False
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._take)

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        if not self._is_started:
            os._exit(1)  # Java may be starting: it ends when its input does
        self._is_sent.set()

    def wait(self) -> bool:
        """Wait a moment; whether to end now."""
        self._is_started = True
        return self._is_sent.wait(_EVERY)


def main() -> None:
    """Start a server unless one runs, and keep it as long as scans use it."""
    stop = _Stop()
    make_private(state.folder())
    end = time.monotonic() + _PATIENCE + 10  # an ending server keeps its lock until Java has ended
    while time.monotonic() < end and state.find_running_server() is None:
        with state.lock("alive", shared=False) as is_alone:
            if is_alone:
                _clean()
                try:
                    _keep(sys.argv[1], int(sys.argv[2]), stop)
                except LumosError as exc:
                    sys.exit(f"lumos: {exc.message}\n  → {exc.hint}")
        time.sleep(_EVERY / 5)
    if state.find_running_server() is None:
        sys.exit("lumos: another Spark server does not end\n  → `lumos spark stop`")


def _clean() -> None:
    """Remove leftovers of a killed server, and use the same folder for temporary files."""
    folder = state.folder()
    for one in folder.iterdir():
        if one.name.startswith(_LEFTOVERS):
            shutil.rmtree(one, ignore_errors=True)
            if one.is_file():
                one.unlink()
    left = state.read_server()
    if left is not None:
        state.forget(left.pid)
    tempfile.tempdir = str(folder)


def _keep(memory: str, idle: int, stop: _Stop) -> NoReturn:
    environment = state.digest_environment()  # before Spark adds to it
    token = os.environ[state.TOKEN] = secrets.token_urlsafe(32)  # Java inherits it
    with _free_port() as port:
        settings = {
            "spark.driver.memory": memory,
            "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(port),
            "spark.sql.warehouse.dir": str(state.folder() / "warehouse"),
            "spark.local.dir": str(state.folder()),
        }
        with spark_session(None, master="local[*]", settings=settings, why_not=lambda: None):
            java = java_process()
            if java is None:
                raise LumosError(
                    f"PySpark {state.spark_version()} does not show the Java that it starts",
                    hint="scans work without the server",
                )
            _require_token(port)
            server = WarmServer(
                pid=os.getpid(),
                java=java.pid,
                port=port,
                token=token,
                spark=str(state.spark_version()),
                python=state.python_version(),
                prefix=sys.prefix,
                environment=environment,
                memory=memory,
                idle=idle,
                started=time.time(),
            )
            state.write(server)
            _watch(server, java, stop)


def _watch(server: WarmServer, java: "subprocess.Popen[bytes]", stop: _Stop) -> NoReturn:
    """Wait until the server is stopped or idle too long, or its Java or its file is gone."""
    while not stop.wait() and java.poll() is None and state.read_server() == server:
        if state.is_idle_for_too_long(server):
            with state.lock("use", shared=False) as is_free:
                if is_free and state.is_idle_for_too_long(server):
                    _end(java)  # while the lock is held: no scan can start using it
    _end(java)


def _end(java: "subprocess.Popen[bytes]") -> NoReturn:
    """End Java, then this process immediately, even if scans still use a session."""
    state.forget(os.getpid())
    java.terminate()
    try:
        java.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        java.kill()
        java.wait()
    _clean()
    os._exit(0)


@contextlib.contextmanager
def _free_port() -> Iterator[int]:
    """Yield a free port of 127.0.0.1 for Java; this process holds the same port on IPv6.

    Spark's client connects to `localhost` and tries IPv6 first: another user who listens there
    would receive the token.
    """
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            with socket.socket() as listener:
                listener.bind(("127.0.0.1", 0))
                port = int(listener.getsockname()[1])
                try:
                    twin = stack.enter_context(socket.socket(socket.AF_INET6))
                    twin.bind(("::1", port))
                except OSError as exc:
                    if exc.errno == errno.EADDRINUSE:
                        continue  # else this machine has no IPv6
            yield port
            return
        raise OutsideError("no port is free on 127.0.0.1 and ::1", hint="try again")


def _require_token(port: int) -> None:
    """Check that Spark refuses clients without the token, as other local users can connect."""
    import grpc  # noqa: PLC0415 - only for a server
    from pyspark.sql.connect.proto import ConfigRequest, SparkConnectServiceStub

    request = ConfigRequest(session_id=str(uuid.uuid4()))
    request.operation.get_all.SetInParent()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        server: Any = SparkConnectServiceStub(channel)  # type: ignore[no-untyped-call]
        try:
            server.Config(request, timeout=_PATIENCE, wait_for_ready=True)
        except grpc.RpcError as exc:
            if exc.code() is grpc.StatusCode.UNAUTHENTICATED:
                return
            raise OutsideError(
                f"the Spark server does not answer: {exc.code().name}", hint="try again"
            ) from exc
    raise LumosError(
        f"PySpark {state.spark_version()} serves clients without a token",
        hint="pip install 'pyspark>=4'; scans work without the server",
    )


if __name__ == "__main__":
    main()
