"""A tree in a repository, and a DataHub server that people look at."""

import json
from pathlib import Path
from typing import Any

from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot
from tests.cli.conftest import Lumos, Ran
from tests.cli.lake import git
from tests.gms import Gms

JDOE = "urn:li:corpuser:jdoe"


def column(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "INT64", "nullable": False, **more}


class Hub:
    """A tree that is synced with a server, and somebody in front of its pages."""

    def __init__(self, tree: Path, gms: Gms, lumos: Lumos, mode: str = "auto") -> None:
        self.tree, self.gms, self._lumos = tree, gms, lumos
        tree.mkdir()
        git(tree, "init", "-q", "-b", "main")
        said = f"catalogs: [{{name: hub, type: datahub, server: '{gms.url}', mode: {mode}}}]"
        (tree / "lumos.yaml").write_text(f"version: 1\n{said}\n")

    def path(self, name: str) -> Path:
        return self.tree / f"snapshots/s3/lake/{name}.json"

    def put(self, name: str, *columns: dict[str, Any], **sections: Any) -> None:
        document = {
            "lumos_version": "1.0.0", "urn": f"lumos://s3/lake/{name}", "name": name,
            "platform": "s3", "schema": {"fields": list(columns or (column("id"),))}, **sections,
        }  # fmt: skip
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_bytes(encode_document(document, Snapshot))

    def read(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.path(name).read_bytes())
        return found

    def commit(self, message: str = "Change") -> str:
        git(self.tree, "add", "-A")
        git(self.tree, "commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def git(self, *arguments: str) -> str:
        return git(self.tree, *arguments)

    def edit(self, name: str, aspect: str, value: Any, who: str = JDOE) -> None:
        self.gms.edit(urn(name), aspect, value, actor=who)

    def run(self, *options: str) -> Ran:
        return self._lumos("snap", "sync", "-C", self.tree, *options)

    def apply(self) -> Ran:
        ran = self.run("--apply", "--yes")
        assert ran.code == 0, ran.out + ran.err
        return ran

    def planned(self) -> dict[str, Any]:
        """What a look says, by the name of a dataset."""
        ran = self.run("--json")
        assert ran.code in (0, 1), ran.err
        return {one["id"].rpartition("/")[2]: one for one in ran.json["documents"]}


def urn(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:s3,lake/{name},PROD)"
