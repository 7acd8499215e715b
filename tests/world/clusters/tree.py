"""A tree that scans fill, each in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 420  # seconds: two cores may be busy with other tests


@dataclass(frozen=True, slots=True)
class Ran:
    """How a scan ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree, and how it is scanned into."""

    root: Path

    conf: list[str] = field(default_factory=list)
    """Options that set up Spark."""

    program: tuple[str, ...] = ("-m", "lumos_snap")
    """What Python runs as the command."""

    def set(self, **spark: str) -> None:
        """Settings of Spark; two underscores stand for a dot."""
        settings = (f"spark.{name.replace('__', '.')}={said}" for name, said in spark.items())
        self.conf[:] = (part for one in settings for part in ("--conf", one))

    def started(
        self, lake: Path | str | None, *options: str, **env: str
    ) -> "subprocess.Popen[str]":
        """A scan that runs, of what lumos.yaml names or of a lake; only it gets its Ctrl-C."""
        words = () if lake is None else (str(lake),)
        return subprocess.Popen(
            [sys.executable, *self.program, "snap", "scan", *words, *self.conf, *options],
            cwd=self.root,
            env={**_plain(), **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def scan(self, lake: Path | str | None, *options: str, **env: str) -> Ran:
        with self.started(lake, *options, **env) as running:
            out, err = running.communicate(timeout=PATIENCE)
            return Ran(running.returncode, out, err)

    def snapshots(self) -> Mapping[str, bytes]:
        """Everything that scans have written, byte by byte."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted((self.root / "snapshots").rglob("*.json"))
        }


def _plain() -> dict[str, str]:
    """The environment, in which nobody has chosen where Spark runs."""
    return {
        name: said
        for name, said in os.environ.items()
        if not name.startswith(("SPARK_", "PYSPARK_")) and name != "MASTER"
    }
