"""A user with a cache of their own, who starts Spark servers and scans."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

LUMOS = str(Path(sys.executable).parent / "lumos")
PATIENCE = 60


@dataclass(frozen=True)
class User:
    """Who runs `lumos` on this machine; tests have one each, so that servers never meet."""

    home: Path

    def environment(self, **more: str) -> dict[str, str]:
        """Variables as on a plain machine: nothing says which engine to take."""
        known = {name: said for name, said in os.environ.items() if name != "LUMOS_ENGINE"}
        return {**known, "XDG_CACHE_HOME": str(self.home / "cache"), **more}

    def run(self, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [LUMOS, *arguments],
            cwd=self.home,
            env=self.environment(**more),
            capture_output=True,
            text=True,
            check=False,
            timeout=2 * PATIENCE,
        )

    def started(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [LUMOS, *arguments],
            cwd=self.home,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def json(self, *arguments: str, **more: str) -> Any:
        done = self.run(*arguments, "--json", **more)
        assert done.returncode in {0, 1}, done.stderr
        return orjson.loads(done.stdout)

    def scanned(self, *options: str, **more: str) -> Any:
        """A scan as the first one: what was remembered is forgotten."""
        (self.home / "tree/.lumos/scan/lake.gz").unlink(missing_ok=True)
        return self.json("snap", "scan", "lake", "-C", "tree", *options, **more)

    @property
    def folder(self) -> Path:
        """Where the server leaves its files."""
        return next(iter((self.home / "cache/lumos-snap/spark").iterdir()))

    def server(self) -> Any:
        """What the server has left, with its token."""
        return orjson.loads((self.folder / "server.json").read_bytes())

    def kill(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)


def soon(is_so: Callable[[], object]) -> None:
    """Wait for something that must come."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.1)


def runs(pid: int) -> bool:
    """Whether a process is there, and not only its name."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def processes(word: str) -> list[int]:
    """Processes whose command or environment has a word in it."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdecimal() and int(place.name) != os.getpid():
            try:
                told = (place / "cmdline").read_bytes() + (place / "environ").read_bytes()
            except OSError:
                continue
            if word.encode() in told and runs(int(place.name)):
                found.append(int(place.name))
    return found
