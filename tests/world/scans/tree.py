"""A tree that scans fill from named sources, each scan in a process of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.world.scans.places import Place

_PATIENCE = 300
_NOT_OURS = ("AWS_", "AZURE_", "GOOGLE_", "STORAGE_", "HADOOP_", "SPARK_", "PYSPARK_")


@dataclass(frozen=True)
class Ran:
    """How a scan ended."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def report(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Tree:
    """A tree in a folder."""

    root: Path

    def set(self, sources: Mapping[str, Place]) -> None:
        """Write lumos.yaml."""
        said = [
            {
                "name": name,
                "path": place.path,
                **({"store": dict(place.store)} if place.store else {}),
            }
            for name, place in sources.items()
        ]
        (self.root / "lumos.yaml").write_text(yaml.safe_dump({"version": 1, "sources": said}))

    def scan(self, *options: str, env: Mapping[str, str]) -> Ran:
        """Run a scan with some credentials, and nobody else's."""
        plain = {name: said for name, said in os.environ.items() if not name.startswith(_NOT_OURS)}
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "lumos_snap", "snap", "scan", *options],
            cwd=self.root,
            env={**plain, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Ran(done.returncode, done.stdout, done.stderr, time.monotonic() - began)

    def documents(self, kind: str = "snapshots") -> dict[str, Any]:
        """Every document of a kind, by its urn."""
        found = (json.loads(path.read_bytes()) for path in (self.root / kind).rglob("*.json"))
        return {one["urn"]: one for one in found}
