"""`lumos spark`: a user's Spark server that keeps running, so that scans start sooner."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from lumos_snap.commands.doctor.tool_versions import explain_missing_java
from lumos_snap.concurrency import hold_interrupt
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.report.scan import SparkServer
from lumos_snap.scan.spark.log import find_last_cause
from lumos_snap.scan.spark.pyspark_versions import OLDEST_WITH_TOKEN, release
from lumos_snap.scan.spark.server import state
from lumos_snap.scan.spark.server.state import WarmServer
from lumos_snap.scan.spark.settings import make_private

_POLL = 0.1  # seconds
_STARTING = 120  # seconds
_ENDING = 40  # seconds: longer than the server's own timeout for Java


def start(*, memory: str, idle: int) -> SparkServer:
    """Start the server unless it is running."""
    server = state.find_running_server()
    if server is not None:
        return _report(server)
    _require_spark()
    folder = make_private(state.folder())
    descriptor, name = tempfile.mkstemp(prefix="starting-", suffix=".log", dir=folder)
    log = Path(name)
    command = [
        sys.executable,
        "-P",
        "-m",
        "lumos_snap.scan.spark.server.process",
        memory,
        str(idle),
    ]
    try:
        with contextlib.ExitStack() as stack:
            with hold_interrupt(), open(descriptor, "wb") as file:  # noqa: PTH123 - it is open
                process = subprocess.Popen(
                    command,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=file,
                    start_new_session=True,  # survives the terminal
                )
                stack.enter_context(_end_unless_done(process))
            _await(lambda: state.find_running_server() or process.poll() is not None, _STARTING)
            server = state.find_running_server()
            if server is None:
                raise _failure(log)
        if server.pid == process.pid:
            log.replace(folder / "server.log")
    finally:
        log.unlink(missing_ok=True)
    return _report(server, change="started" if server.pid == process.pid else None)


def stop() -> SparkServer:
    """Stop the server and with it the scans that use it."""
    server = state.find_running_server()
    if server is None:
        return SparkServer(running=False)
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.kill(server.pid, number)
        if _await(lambda: _is_gone(server), _ENDING):
            return SparkServer(running=False, change="stopped", pid=server.pid)
    raise OutsideError(
        f"the Spark server does not stop: process {server.pid}", hint=f"`kill -9 {server.pid}`"
    )


def _is_gone(server: WarmServer) -> bool:
    """Whether the process has ended; another server may have started since."""
    other = state.find_running_server()
    is_replaced = other is not None and other.pid != server.pid
    return is_replaced or state.no_server_alive() or not state.is_process(server.pid)


def status() -> SparkServer:
    """Whether the server is running, and its address."""
    server = state.find_running_server()
    return SparkServer(running=False) if server is None else _report(server)


def _report(server: WarmServer, change: Literal["started"] | None = None) -> SparkServer:
    return SparkServer(
        running=True,
        change=change,
        url=server.url,
        pid=server.pid,
        spark=server.spark,
        memory=server.memory,
        idle_seconds=server.idle,
        in_use=state.is_in_use(),
        unused_seconds=max(0, int(time.time() - state.last_use(server))),
        not_used_because=server.why_not(),
    )


def _require_spark() -> None:
    found = state.spark_version()
    if found is not None and release(found) < OLDEST_WITH_TOKEN:
        raise LumosError(
            f"PySpark {found} has no server that asks for a token",
            hint="pip install 'pyspark>=4'; scans work without the server",
        )
    if found is None or not state.has_connect():
        raise LumosError(
            "the Spark server needs PySpark and the packages of Spark Connect",
            hint="pip install 'lumos-snap[scan]'",
        )


def _failure(log: Path) -> OutsideError:
    printed = log.read_text("utf-8", "replace")
    _, found, ours = printed.rpartition("lumos: ")
    message, _, hint = ours.partition("\n  → ")
    why = explain_missing_java() or ((message, hint.strip()) if found else None)
    why = why or (
        find_last_cause(log) or "its process ended",
        "try again; `lumos doctor` may say more",
    )
    said = why[0].removeprefix("Spark does not start: ")
    return OutsideError(f"the Spark server does not start: {said}", hint=why[1])


@contextlib.contextmanager
def _end_unless_done(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Terminate the process where its start is interrupted with Ctrl-C."""
    is_done = False
    try:
        yield
        is_done = True
    finally:
        if not is_done:
            process.terminate()
            process.wait()


def _await(is_so: Callable[[], object], seconds: float) -> bool:
    """Wait for a condition; False after a timeout."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(_POLL)
    return True
