"""Environments with one version of PySpark each, in which this very code runs."""

import os
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from packaging.requirements import Requirement

from tests.world.servers.processes import environment

ROOT = Path(__file__).parents[3]
VERSIONS = ("3.5.9", "4.0.5", "4.1.4", "4.2.1", "4.3.0")
"""The last of each line that is supported."""
TRIED = VERSIONS if os.environ.get("LUMOS_TEST_ALL_SPARKS") else (VERSIONS[0], VERSIONS[-1])
_NOT_OURS = ("AWS_", "HADOOP_", "LUMOS_", "PYSPARK_", "SPARK_")


@dataclass(frozen=True)
class Spark:
    """A version of PySpark in an environment, and a user with a cache of their own."""

    version: str
    python: Path
    home: Path

    @property
    def variables(self) -> Mapping[str, str]:
        """As on a plain machine: nothing says which engine or which Spark to take."""
        plain = {name: said for name, said in os.environ.items() if not name.startswith(_NOT_OURS)}
        path = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
        cache = str(self.home / f"cache-{self.version}")
        return {**plain, "PYTHONPATH": path, "XDG_CACHE_HOME": cache}

    def command(self, *words: str | Path) -> list[str]:
        return [str(self.python), *map(str, words)]

    def run(self, *words: str | Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.command(*words),
            cwd=self.home,
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def lumos(self, *words: str | Path) -> "subprocess.CompletedProcess[str]":
        return self.run("-m", "lumos_snap", *words)


def python_with(spark: str) -> Path:
    """The Python of an environment with a version of PySpark; all else is as it is here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = [Requirement(one) for one in (*project["dependencies"], *extras["scan"])]
    here = {
        one.name: version(one.name) for one in asked if one.name not in {"pyspark", "lumos-snap"}
    }
    packages = [f"{name}=={number}" for name, number in here.items()]
    return environment(f"pyspark-{spark}", f"pyspark=={spark}", *packages) / "bin/python"
