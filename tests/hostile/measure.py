"""Runs one command in a planted repository, and measures what it does to the machine."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.trick import PullRequest
from tests.measurement import ANY_VERSION, MOST_MEMORY, MOST_SECONDS, measured

_INTERNAL, _SIGNALS = 70, 128


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
        if self.seconds > MOST_SECONDS:
            yield f"took more than {MOST_SECONDS} s"
        if self.megabytes > MOST_MEMORY:
            yield f"used more than {MOST_MEMORY} MB"
        if self.code < 0 or self.code == _INTERNAL or self.code > _SIGNALS:
            yield f"crashed with {self.code}"
        if "Traceback (most recent call last)" in self.output:
            yield "printed a traceback"


def run(request: PullRequest, arguments: Sequence[str], environment: Mapping[str, str]) -> Outcome:
    """Run `lumos snap` at the top of the repository."""
    before = _content(request)
    variables = {"COLUMNS": "200", **environment}
    done = measured(request.repo, *ANY_VERSION, "snap", *arguments, env=variables)
    return Outcome(
        code=done.code,
        output=done.said,
        seconds=done.seconds,
        megabytes=done.memory,
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
