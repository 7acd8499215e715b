"""A tree in a repository, with datasets that a test changes."""

import json
import subprocess
from pathlib import Path
from typing import Any

from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert not (check and done.returncode), done.stderr
    return done.stdout.strip()


def column(name: str, kind: str = "STRING", *, nullable: bool = True) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": nullable}


class Lake:
    """A tree in a repository, with datasets that a test changes."""

    def __init__(self, folder: Path, *, prefix: str = "") -> None:
        self.repository = folder
        self.folder = folder / prefix

    def start(self, *options: str, settings: str = "version: 1\n") -> "Lake":
        self.folder.mkdir(parents=True, exist_ok=True)
        git(self.repository, "init", "-qb", "main", *options)
        (self.folder / "lumos.yaml").write_text(settings)
        return self

    def file(self, name: str) -> Path:
        return self.folder / f"snapshots/s3/lake/{name}.json"

    def put(self, name: str, *columns: dict[str, Any], **sections: Any) -> None:
        document = {
            "lumos_version": "1.0.0",
            "urn": f"lumos://s3/lake/{name}",
            "name": name,
            "platform": "s3",
            "storage": {"format": "parquet", "location": "s3://lake/x"},
            "schema": {"fields": list(columns or (column("id"), column("note")))},
            **sections,
        }
        if self.file(name).exists() and "versioning" not in sections:
            document["versioning"] = self.read(name).get("versioning", {})
        self.file(name).parent.mkdir(parents=True, exist_ok=True)
        self.file(name).write_bytes(encode_document(document, Snapshot))

    def read(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.file(name).read_bytes())
        return found

    def version(self, name: str) -> str | None:
        found: str | None = self.read(name).get("versioning", {}).get("schema_version")
        return found

    def commit(self, message: str = "Change") -> str:
        git(self.repository, "add", "-A")
        git(self.repository, "commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def git(self, *arguments: str, check: bool = True) -> str:
        return git(self.repository, *arguments, check=check)

    @property
    def tags(self) -> list[str]:
        return self.git("tag").split()

    @property
    def is_clean(self) -> bool:
        return not self.git("status", "--porcelain")
