"""Trees whose history is written commit by commit, by real git."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.tree import Tree, open_tree

URN = "lumos://s3/lake/clicks"
CLICKS = "snapshots/s3/lake/clicks.json"
START = 1_767_225_600  # 2026-01-01
DAY = 86_400


def column(name: str, type_: str = "STRING", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, "nullable": True, **more}


def struct(name: str, *fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return column(name, "STRUCT", fields=list(fields), **more)


def document(*fields: dict[str, Any], urn: str = URN, **sections: Any) -> dict[str, Any]:
    platform = urn.removeprefix("lumos://").partition("/")[0]
    return {
        "lumos_version": "1.0.0",
        "urn": urn,
        "name": urn.rpartition("/")[2],
        "platform": platform,
        "schema": {"fields": list(fields)},
        **sections,
    }


def content(held: dict[str, Any]) -> bytes:
    return encode_document(held, Snapshot)


@dataclass
class Scripted:
    """A repository with a tree in it; each commit is a day later than the one before."""

    root: Path
    top: Path
    number: int = 0
    ids: dict[str, str] = field(default_factory=dict)

    def git(self, *arguments: str, **variables: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.top,
            env={**os.environ, **variables},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")
        return os.fsdecode(done.stdout).strip()

    def put(self, held: dict[str, Any] | bytes, path: str = "") -> str:
        raw = held if isinstance(held, bytes) else content(held)
        path = path or (CLICKS if isinstance(held, bytes) else SNAPSHOT.path_of(held))
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(raw)
        return path

    def commit(
        self, name: str, *documents: dict[str, Any] | bytes, gone: str = "", **env: str
    ) -> str:
        for held in documents:
            self.put(held)
        if gone:
            (self.root / gone).unlink()
        self.number += 1
        date = f"{START + self.number * DAY} +0000"
        variables = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, **env}
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", name, **variables)
        self.ids[name] = self.git("rev-parse", "HEAD")
        return self.ids[name]

    def merge(self, branch: str, name: str, *documents: dict[str, Any]) -> str:
        """Merge a branch; the files of the result are the given ones."""
        self.git("merge", "--quiet", "--no-commit", "--no-ff", "--strategy", "ours", branch)
        return self.commit(name, *documents)

    def name(self, oid: str) -> str:
        """The name of a commit in the script of a test."""
        return next(name for name, one in self.ids.items() if one == oid)

    @property
    def tree(self) -> Tree:
        return open_tree(self.root)


def scripted(folder: Path, *, inside: str = "", options: tuple[str, ...] = ()) -> Scripted:
    root = folder / inside
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "-qb", "main", *options], cwd=folder, check=True)
    (root / "lumos.yaml").write_text("version: 1\n")
    return Scripted(root, folder)


@pytest.fixture
def made(tmp_path: Path) -> Scripted:
    return scripted(tmp_path / "repository")
