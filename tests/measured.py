"""Runs a command and measures what it takes: its exit code, its output, its memory, its time."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

LUMOS = Path(sys.executable).parent / "lumos"
MOST_SECONDS = 30
MOST_MEMORY = 500

# A process inherits the peak of the one that it was forked from: this one is small.
_LAUNCHER = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=file)
sys.exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)
"""


class Measured(NamedTuple):
    """How a command ended, and what it took."""

    code: int
    said: str
    """Standard output and standard error."""
    memory: int
    """The most memory of one process, in MiB."""
    seconds: float

    @property
    def is_bounded(self) -> bool:
        """Whether it took no more than any command may take."""
        return self.memory < MOST_MEMORY and self.seconds < MOST_SECONDS


def measured(folder: Path, *command: str | Path, env: Mapping[str, str] | None = None) -> Measured:
    """Run a command to its end."""
    started = time.monotonic()
    with tempfile.NamedTemporaryFile() as report:
        done = subprocess.run(
            [sys.executable, "-S", "-c", _LAUNCHER, report.name, *command],
            cwd=folder,
            env={**os.environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )
        memory = int(report.read())
    said = done.stdout.decode(errors="replace")
    return Measured(done.returncode, said, memory, time.monotonic() - started)
