"""Runs one command in a planted repository, and measures what it does to the machine."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.trick import PullRequest

SECONDS = 30
MEGABYTES = 500
# A run-away process must not take the machine with it.
_PROGRAM = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
sys.argv[0] = "lumos"
runpy.run_module("lumos_snap", run_name="__main__")
"""


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it did."""

    code: int
    output: str
    seconds: float
    megabytes: float
    ran_a_program: bool
    wrote_outside: tuple[str, ...]

    @property
    def wrongs(self) -> tuple[str, ...]:
        """What no command may do, whatever it answers."""
        return tuple(self._wrongs())

    def _wrongs(self) -> Iterator[str]:
        if self.ran_a_program:
            yield "ran a program"
        if self.wrote_outside:
            yield f"wrote outside: {', '.join(self.wrote_outside)}"
        if self.seconds > SECONDS:
            yield f"took more than {SECONDS} s"
        if self.megabytes > MEGABYTES:
            yield f"used more than {MEGABYTES} MB"
        if self.code < 0 or self.code in (70, 134, 139):
            yield f"crashed with {self.code}"
        if "Traceback (most recent call last)" in self.output:
            yield "printed a traceback"


def run(request: PullRequest, arguments: Sequence[str], environment: Mapping[str, str]) -> Outcome:
    """Run `lumos snap` at the top of the repository."""
    before = _content(request)
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, "snap", *arguments],
            cwd=request.repo,
            env={**os.environ, "COLUMNS": "200", **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        timer = threading.Timer(SECONDS + 1, os.killpg, (process.pid, 9))
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            timer.cancel()
        seconds = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read(4_000_000).decode("utf-8", "replace")
    return Outcome(
        code=process.returncode,
        output=text,
        seconds=seconds,
        megabytes=usage.ru_maxrss / 1024,
        ran_a_program=request.ran.exists(),
        wrote_outside=_differences(before, _content(request)),
    )


def _content(request: PullRequest) -> dict[str, bytes | str]:
    """Everything outside of the repository that a command has no business with."""
    found: dict[str, bytes | str] = {}
    for path in (request.outside, request.room / "lake"):
        for file in sorted(path.rglob("*")):
            name = str(file.relative_to(request.room))
            if file.is_symlink():
                found[name] = str(file.readlink())
            else:
                found[name] = file.read_bytes() if file.is_file() else ""
    return found


def _differences(
    before: Mapping[str, bytes | str], after: Mapping[str, bytes | str]
) -> tuple[str, ...]:
    names = sorted({*before, *after})
    return tuple(name for name in names if before.get(name) != after.get(name))


def copy_of(prepared: Path, room: Path) -> PullRequest:
    """A copy of a prepared room, links kept as they are."""
    subprocess.run(["cp", "-a", f"{prepared}/.", str(room)], check=True)
    return PullRequest(room)
