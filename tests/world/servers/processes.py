"""Servers on the loopback: installed once into a cache folder, started and ended by their id."""

import contextlib
import fcntl
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

CACHE = Path.home() / ".cache/lumos-tests"
PATIENCE = 60  # seconds: two cores may be busy with other tests


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs."""

    address: str
    """`host:port`, without a scheme."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Credentials, as the provider's own chain takes them from the environment."""

    @property
    def endpoint(self) -> str:
        """What `store: {endpoint: …}` in lumos.yaml is."""
        return f"http://{self.address}"


_PORTS = range(20_000, 32_000)
"""Below the ports that systems give to whoever asks for any: those may be taken meanwhile."""


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that nobody uses, and that nobody gets by chance."""
    found: list[int] = []
    for port in random.sample(_PORTS, len(_PORTS)):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found.append(port)
        if len(found) == count:
            break
    return found


def installed(name: str, make: Callable[[Path], None]) -> Path:
    """A folder of the cache, filled once for each machine; two processes do not fill it at once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = CACHE / name
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            (folder / ".ready").touch()
    return folder


def environment(name: str, *packages: str) -> Path:
    """An environment of its own with some packages of PyPI."""

    def make(folder: Path) -> None:
        run(sys.executable, "-m", "venv", folder)
        run(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *packages)

    return installed(f"{name}-{sys.version_info.major}.{sys.version_info.minor}", make)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command to its end."""
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@contextmanager
def started(
    command: Sequence[object],
    ready: Callable[[], bool],
    more: Mapping[str, str] | None = None,
    *,
    only: Mapping[str, str] | None = None,
) -> Iterator[Path]:
    """A server while the context lasts, from when it is ready; yields a folder of its own.

    `more` is added to the environment of this process, `only` replaces it.
    """
    folder = Path(tempfile.mkdtemp(prefix="lumos-server-"))
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            list(map(str, command)),
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            env={**os.environ, **(more or {})} if only is None else dict(only),
        )
    try:
        _wait(process, ready, log)
        yield folder
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(15)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(process: "subprocess.Popen[bytes]", ready: Callable[[], bool], log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while not ready():
        has_ended = process.poll() is not None
        if has_ended or time.monotonic() > until:
            said = log.read_text(errors="replace")[-3000:]
            raise AssertionError(f"the server does not start:\n{said}")
        time.sleep(0.05)


def answers(address: str) -> bool:
    """Whether somebody listens and speaks HTTP."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=2) as line:
            line.sendall(f"GET / HTTP/1.0\r\nHost: {address}\r\n\r\n".encode())
            return line.recv(5) == b"HTTP/"
    except OSError:
        return False
