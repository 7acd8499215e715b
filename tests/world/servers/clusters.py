"""Spark that runs elsewhere: a standalone cluster and a Spark Connect server, on the loopback."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.world.servers.processes import free_ports

CACHE = Path.home() / ".cache/lumos-tests"
_PATIENCE = 90  # seconds: two cores may be busy with other tests
_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"
_CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"
_NEEDED = ("pyarrow>=18", "pandas>=2.2,<3")


@dataclass(frozen=True, slots=True)
class Started:
    """A process that was started, and what it prints."""

    process: "subprocess.Popen[bytes]"
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def end(self) -> None:
        """By its own id, with all that it has started."""
        with_children = [self.process.pid, *_children(self.process.pid)]
        for pid in with_children:
            _signalled(pid, signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            for pid in with_children:
                _signalled(pid, signal.SIGKILL)
            self.process.wait(20)

    def kill(self) -> None:
        """End it and all that it has started at once, as a machine does that is switched off."""
        for pid in (self.process.pid, *_children(self.process.pid)):
            _signalled(pid, signal.SIGKILL)
        self.process.wait(20)


@dataclass(frozen=True, slots=True)
class Cluster:
    """A master and its workers."""

    url: str
    state: str
    """Where the master says as JSON what runs."""
    workers: tuple[Started, ...]
    python: Path
    """What runs tasks: it has what PySpark needs, and nothing of ours."""
    log: Path

    def kill(self, worker: int) -> None:
        """End a worker and its executors at once."""
        self.workers[worker].kill()


@dataclass(frozen=True, slots=True)
class Server:
    """A server of Spark Connect."""

    url: str
    ui: str
    process: Started


def worker_python(version: Path | str = sys.executable) -> Path:
    """A Python for workers: of its own environment, which is made once for each machine."""
    said = subprocess.run(
        [version, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout.strip()
    home = CACHE / f"worker-{said}"
    python = home / "bin/python"
    if not (home / ".ready").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=CACHE)) / "venv"  # two test runs may both make one
        subprocess.run([version, "-m", "venv", made], check=True)
        install = [str(made / "bin/python"), "-m", "pip", "install", "--quiet", *_NEEDED]
        subprocess.run(install, check=True, env={**alone(), "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
        (made / ".ready").touch()
        shutil.rmtree(home, ignore_errors=True)
        made.rename(home)
        made.parent.rmdir()
    return python


@contextmanager
def standalone(python: Path | None = None) -> Iterator[Cluster]:
    """A real master and two real workers, each in a process of its own."""
    runs = python or worker_python()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lumos-cluster-")))
        master, url, state = _master(stack, folder)
        workers = []
        for number in (1, 2):
            place = ("--work-dir", str(folder / f"work-{number}"), "--webui-port", "0")
            size = ("--host", "127.0.0.1", "--cores", "1", "--memory", "1g")
            log = folder / f"worker-{number}.log"
            workers.append(_java(stack, log, "spark-class", _WORKER, *size, *place, url))
        for worker in workers:
            _until(partial(_is_registered, worker), worker)
        yield Cluster(url, state, tuple(workers), runs, master.log)


@contextmanager
def master_alone() -> Iterator[Cluster]:
    """A real master that has no workers."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lumos-cluster-")))
        master, url, state = _master(stack, folder)
        yield Cluster(url, state, (), Path(sys.executable), master.log)


def _master(stack: ExitStack, folder: Path) -> tuple[Started, str, str]:
    """A master, its address, and where it says as JSON what runs."""
    port, web = free_ports(2)
    place = ("--host", "127.0.0.1", "--port", str(port), "--webui-port", str(web))
    master = _java(stack, folder / "master.log", "spark-class", _MASTER, *place)
    _until(lambda: "New state: ALIVE" in master.said, master)
    return master, f"spark://127.0.0.1:{port}", f"http://127.0.0.1:{web}/json/"


@contextmanager
def connect_server(python: Path | None = None) -> Iterator[str]:
    """The address of a real server of Spark Connect."""
    with server_of_connect(python) as server:
        yield server.url


@contextmanager
def server_of_connect(python: Path | None = None) -> Iterator[Server]:
    """A real server of Spark Connect, and where it says what runs."""
    runs = python or worker_python()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lumos-connect-")))
        port, web = free_ports(2)
        settings = {
            "spark.ui.port": str(web),
            "spark.connect.grpc.binding.port": str(port),
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
        }
        confs = [word for name, said in settings.items() for word in ("--conf", f"{name}={said}")]
        begin = ("--master", "local[2]", "--name", "connect", "--class", _CONNECT)
        log = folder / "connect.log"
        server = _java(
            stack, log, "spark-submit", *begin, *confs, "spark-internal", python=runs, at=folder
        )
        _until(lambda: is_open(port), server)
        yield Server(f"sc://127.0.0.1:{port}", f"http://127.0.0.1:{web}", server)


def asked(address: str) -> Any:
    """What a server says of itself as JSON; nothing where it does not answer, or not yet."""
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:  # noqa: S310 - our own loopback
            return json.load(answer)
    except (OSError, ValueError):
        return None


def tasks_at(ui: str) -> list[dict[str, Any]]:
    """The stages that run in the application of a web interface of Spark."""
    applications = asked(f"{ui}/api/v1/applications") or ()
    stages = (asked(f"{ui}/api/v1/applications/{one['id']}/stages") or () for one in applications)
    return [stage for some in stages for stage in some]


def _java(
    stack: ExitStack,
    log: Path,
    program: str,
    *words: str,
    python: Path | None = None,
    at: Path | None = None,
) -> Started:
    import pyspark  # noqa: PLC0415 - only where Spark is started

    home = Path(pyspark.__file__).parent
    env = {
        **alone(),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_NO_DAEMONIZE": "1",
        **({"SPARK_DAEMON_MEMORY": "256m"} if program == "spark-class" else {}),
        **({"PYSPARK_PYTHON": str(python)} if python else {}),
    }
    with log.open("wb") as file:
        process = subprocess.Popen(
            [home / "bin" / program, *words],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=env,
            cwd=at or log.parent,
        )
    started = Started(process, log)
    stack.callback(started.end)
    return started


def _is_registered(worker: Started) -> bool:
    return "Successfully registered with master" in worker.said


def alone() -> dict[str, str]:
    """The environment without what would let workers find this repository, or choose for them."""
    left_out = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")
    return {
        name: said
        for name, said in os.environ.items()
        if name not in left_out and not name.startswith(("SPARK_", "PYSPARK_"))
    }


def _until(is_so: Callable[[], bool], started: Started) -> None:
    end = time.monotonic() + _PATIENCE
    while not is_so():
        if started.process.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"it does not start:\n{started.said[-3000:]}")
        time.sleep(0.1)


def is_open(port: int) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as one:
        one.settimeout(1)
        return one.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """A port of the loopback that nobody uses."""
    return free_ports(1)[0]


def _children(pid: int) -> list[int]:
    """All processes below one, as the kernel lists them."""
    found = []
    for listed in Path("/proc").glob(f"{pid}/task/*/children"):
        try:
            direct = [int(word) for word in listed.read_text().split()]
        except OSError:
            continue  # it has ended meanwhile
        for child in direct:
            found += [child, *_children(child)]
    return found


def _signalled(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
