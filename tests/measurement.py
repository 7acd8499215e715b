"""Runs a command and measures what it takes: its exit code, its output, its memory, its time."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

LUMOS = Path(sys.executable).parent / "lumos"
ANY_VERSION = (sys.executable, "-P", "-m", "lumos_snap")
"""Starts versions whose entry point has another name too; without modules of the current folder."""
MOST_SECONDS = 30
MOST_MEMORY = 500
_PATIENCE = 4 * MOST_SECONDS
"""Seconds of a clock: a busy machine gives a command less than a processor."""

# A process inherits the peak of the one that it was forked from: this one is small. What runs away
# must not take the machine with it.
_LAUNCHER = f"""
import resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
resource.setrlimit(resource.RLIMIT_CPU, ({MOST_SECONDS + 2}, {MOST_SECONDS + 2}))
done = subprocess.run(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    print(used.ru_maxrss // 1024, used.ru_utime + used.ru_stime, file=file)
sys.exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)
"""


class Measured(NamedTuple):
    """How a command ended, and what it took."""

    code: int
    """128 and more: the signal that ended it."""
    said: str
    """Standard output and standard error."""
    memory: int
    """The most memory of one process, in MiB."""
    seconds: float
    """Of a processor; of a clock, where it did not end in time."""

    @property
    def is_bounded(self) -> bool:
        """Whether it took no more than any command may take."""
        return self.memory < MOST_MEMORY and self.seconds < MOST_SECONDS


def measured(folder: Path, *command: str | Path, env: Mapping[str, str] | None = None) -> Measured:
    """Run a command to its end."""
    started = time.monotonic()
    with tempfile.NamedTemporaryFile() as report, tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, "-IS", "-c", _LAUNCHER, report.name, *command],
            cwd=folder,
            env={**os.environ, **(env or {})},
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        said = output.read(4_000_000).decode(errors="replace")
        memory, seconds = report.read().split() or (0, time.monotonic() - started)
    return Measured(process.returncode, said, int(memory), float(seconds))
