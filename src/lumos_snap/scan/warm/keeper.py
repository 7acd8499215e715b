"""The process that keeps a Spark server: it starts the server, watches it, and ends it.

`python -m lumos_snap.scan.warm.keeper MEMORY IDLE_SECONDS`. Java ends when this process does,
however that ends, because it waits for the end of its input.
"""

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from types import FrameType
from typing import Any, NoReturn

from lumos_snap.scan.ending import java_process
from lumos_snap.scan.session import spark_session
from lumos_snap.scan.warm import state

_EVERY = 0.5  # seconds
_TRIES = 20
_PATIENCE = 30  # seconds


class _Stop:
    """Set by SIGTERM: `lumos spark stop`, or the machine shuts down."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._is_started = False
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._take)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        if not self._is_started:
            os._exit(1)  # Java is on its way: it ends when its input does
        self._asked.set()

    def wait(self) -> bool:
        """Wait a moment; whether it is time to end."""
        self._is_started = True
        return self._asked.wait(_EVERY)


def main() -> None:
    """Start a server unless one runs, and keep it until nobody needs it any more."""
    stop = _Stop()
    memory, idle = sys.argv[1], int(sys.argv[2])
    for _ in range(_TRIES):  # whoever looks whether a server runs holds the lock for a moment
        with state.lock("alive", shared=False) as is_alone:
            if is_alone:
                state.forget()  # what one that was killed has left
                _keep(memory, idle, stop)
        time.sleep(_EVERY / _TRIES)
    sys.exit("another Spark server is running or starting")


def _keep(memory: str, idle: int, stop: _Stop) -> NoReturn:
    environment = state.environment()  # before Spark adds to it
    token = os.environ[state.TOKEN] = secrets.token_urlsafe(32)  # Java inherits it
    port = _free_port()
    settings = {
        "spark.driver.memory": memory,
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.warehouse.dir": str(state.folder() / "warehouse"),
    }
    with spark_session(None, master="local[*]", settings=settings, why_not=lambda: None):
        java = java_process()
        assert java is not None  # noqa: S101 - a session on this machine has one
        _require_token(port)
        server = state.Server(
            pid=os.getpid(),
            java=java.pid,
            port=port,
            token=token,
            spark=str(state.spark_version()),
            python=state.python_version(),
            environment=environment,
            memory=memory,
            idle=idle,
            started=time.time(),
        )
        state.write(server)
        while not stop.wait() and java.poll() is None:
            if state.is_idle_for_too_long(server):
                with state.lock("use", shared=False) as is_free:
                    if is_free and state.is_idle_for_too_long(server):
                        _end(java)  # while the lock is held: no scan begins to use it
        _end(java)


def _end(java: "subprocess.Popen[bytes]") -> NoReturn:
    """End Java, and this process at once: a session that scans may still use is not waited for."""
    state.forget()
    java.terminate()
    try:
        java.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        java.kill()
        java.wait()
    os._exit(0)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _require_token(port: int) -> None:
    """Other users of this machine can connect, too: Spark must refuse whoever has no token."""
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
            raise
    sys.exit("this PySpark lets in whoever connects, without a token")


if __name__ == "__main__":
    main()
