"""What a group of engines needs: for each a Python with a version of Spark, and its jars."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.components.build import NotPossibleError, download_jars
from tests.world.servers.processes import CACHE, installed
from tests.world.versions.sparks import ROOT, Spark, python_with

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Engine:
    """A table format, written by its own library inside of Spark."""

    name: str
    version: str
    spark: str

    @property
    def title(self) -> str:
        """With the versions that run."""
        return f"{self.name.title()} {self.version} on PySpark {self.spark}"

    @property
    def _cached(self) -> str:
        return f"lakehouse-{self.name}-{self.version}"

    def jars(self) -> Path:
        """The folder of its jars: downloaded once for each machine, verified by sums."""
        return installed(self._cached, self._download)

    def is_there(self) -> bool:
        """Whether everything was downloaded already."""
        return (CACHE / self._cached / ".ready").exists()

    def write(self, folder: Path, tables: Sequence[str] = ()) -> "subprocess.CompletedProcess[str]":
        """Write all tables below a folder, or some; `said.json` has what the engine says."""
        spark = Spark(self.spark, python_with(self.spark), folder)
        module = "tests.components.lakehouse.writer"
        return subprocess.run(
            spark.command("-m", module, self.name, folder, self.jars(), *tables),
            cwd=folder,
            env={**spark.variables, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=1_800,
            check=False,
        )

    def _download(self, folder: Path) -> None:
        download_jars(folder, HERE / "pom.xml", HERE / f"{self.name}.sha256", self.name)


ENGINES: Mapping[str, Engine] = {
    one.name: one
    for one in (
        Engine("delta", "4.3.1", "4.1.4"),
        Engine("iceberg", "1.12.0", "4.1.4"),
        Engine("hudi", "1.2.0", "3.5.9"),
    )
}


def failures(folder: Path) -> str:
    """Which tables could not be made in a folder, and why."""
    path = folder / "said.json"
    failed = json.loads(path.read_text())["failed"] if path.exists() else {}
    return "".join(f"\n  {name}: {reason}" for name, reason in failed.items())


def make() -> None:
    """Everything that the group needs, once for each machine."""
    for engine in ENGINES.values():
        engine.jars()
        try:
            python_with(engine.spark)
        except AssertionError as exc:
            last = str(exc).strip().splitlines()[-1]
            raise NotPossibleError(f"PySpark {engine.spark} cannot be installed: {last}") from exc


def are_there() -> bool:
    """Whether that was done already."""
    return all(engine.is_there() for engine in ENGINES.values())
