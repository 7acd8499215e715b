"""A repository with a tree and a lake, for tests that scan."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lumos_snap.cli import main


@dataclass(frozen=True)
class Place:
    """A working tree with `lake/` in it."""

    root: Path

    @property
    def lake(self) -> Path:
        return self.root / "lake"

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True
        )
        return done.stdout

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", message, "--allow-empty")

    def status(self) -> str:
        """What git sees as changed."""
        return self.git("status", "--short", "--untracked-files=all")

    def document(self, name: str) -> Any:
        return json.loads((self.root / "snapshots/file/lake" / f"{name}.json").read_text())

    def edit(self, name: str, **sections: Any) -> None:
        """Put sections into a snapshot, in canonical form."""
        path = self.root / "snapshots/file/lake" / f"{name}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **sections}))
        assert main(["snap", "fmt"]) in (0, 1)

    def columns(self, name: str) -> list[str]:
        return [one["name"] for one in self.document(name)["schema"]["fields"]]

    def forget(self) -> None:
        """Make the tree as if nothing had ever been scanned into it."""
        for name in ("snapshots", "observations", ".lumos/scan"):
            shutil.rmtree(self.root / name, ignore_errors=True)

    def snapshots(self) -> dict[str, bytes]:
        """Every snapshot, by path."""
        folder = self.root / "snapshots"
        found = sorted(path for path in folder.rglob("*.json"))
        return {str(path.relative_to(folder)): path.read_bytes() for path in found}

    def parquet(self, path: str, **columns: Any) -> Path:
        """Write a Parquet file of these columns."""
        file = self.lake / path
        file.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns), file)
        return file

    def text(self, path: str, content: str | bytes) -> Path:
        """Write a file."""
        file = self.lake / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file
