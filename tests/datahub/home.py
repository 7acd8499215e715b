"""A tree in a git repository, synced with a server by the command that people run."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.canonical.document_kinds import KINDS
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.rule_checks import displayable_name
from lumos_snap.catalogs.datahub.mapping import to_aspects
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import FOREIGN
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.cli import main
from lumos_snap.model.urn import Urn
from tests.cli.conftest import Ran
from tests.cli.lake import git
from tests.datahub.hub import Hub

Json = Any
_KINDS = {kind.name: kind for kind in KINDS}
COLUMNS = (("id", "INT64"), ("note", "STRING"))


class Home:
    """A tree, and the server that it is synced with. Names begin with the prefix of the server."""

    def __init__(self, folder: Path, hub: Hub, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.hub = hub
        self._capfd = capfd
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "-qb", "main")
        self.settings()
        self.commit("Start")

    def settings(self, *, url: str | None = None, policy: str = "{}", more: str = "") -> None:
        """Say in `lumos.yaml` which server it is, and who wins."""
        told = f"server: '{url or self.hub.url}', mode: {self.hub.mode}, policy: {policy}{more}"
        self.folder.joinpath("lumos.yaml").write_text(
            f"version: 1\ncatalogs: [{{name: hub, type: datahub, {told}}}]\n"
        )

    def named(self, name: str) -> str:
        """An id that is this scenario's alone."""
        return f"{self.hub.prefix}-{name}"

    def our_urn(self, name: str) -> str:
        return str(Urn("s3", (self.hub.prefix, *name.split("/"))))

    def urn(self, name: str) -> str:
        """What DataHub calls a dataset."""
        return f"urn:li:dataset:(urn:li:dataPlatform:s3,{self.hub.prefix}/{name},PROD)"

    def put(self, name: str, /, **sections: Json) -> str:
        """A dataset in the tree; what DataHub calls it."""
        fields = [{"name": one, "type": kind, "nullable": True} for one, kind in COLUMNS]
        document = {
            "urn": self.our_urn(name),
            "name": name,
            "platform": "s3",
            "storage": {"format": "parquet", "location": f"s3://{self.hub.prefix}/{name}"},
            "schema": {"fields": fields},
            **sections,
        }
        self._write("snapshot", document)
        return self.urn(name)

    def put_foreign(self, theirs: str) -> None:
        """A dataset that others have made there, by its whole urn."""
        urn = Urn(FOREIGN, (theirs,))
        told = {"urn": str(urn), "name": displayable_name(urn), "platform": FOREIGN}
        self._write("snapshot", told)

    def put_entity(self, kind: str, name: str, /, **keys: Json) -> str:
        """A tag, a term, a user or the like in the tree; what DataHub calls it."""
        return self._write(kind, {"id": self.named(name), **keys})

    def _write(self, kind: str, told: Mapping[str, Json]) -> str:
        row = _KINDS[kind]
        document = {"lumos_version": "1.0.0", **told}
        path = self.folder / row.path_of(document)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_document(document, row.cls))
        theirs = to_aspects(document, row, Names(NamingSettings()))
        self.hub.made.update((theirs.urn, *theirs.companions))
        return theirs.urn

    def file(self, name: str) -> Path:
        return self.folder / f"snapshots/s3/{self.hub.prefix}/{name}.json"

    def read(self, name: str) -> Json:
        """What the tree says of a dataset."""
        return json.loads(self.file(name).read_bytes())

    def change(self, name: str, /, **sections: Json) -> None:
        """A dataset with some sections replaced, or left out where None is given."""
        told = {**self.read(name), **sections}
        self._write("snapshot", {key: one for key, one in told.items() if one is not None})

    def remove(self, *names: str) -> None:
        for name in names:
            self.file(name).unlink()

    def commit(self, message: str = "Change") -> None:
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", message, "--allow-empty")

    def git(self, *arguments: str) -> str:
        return git(self.folder, *arguments)

    def sync(self, *options: str) -> Ran:
        """`lumos snap sync`, as the entry point runs it."""
        self._capfd.readouterr()
        code = main(["snap", "sync", "-C", str(self.folder), *options])
        out, err = self._capfd.readouterr()
        assert "Traceback" not in err
        return Ran(int(code), out, err)

    def push(self, *options: str) -> Ran:
        """Bring the server in line; it must end well."""
        ran = self.sync("--apply", "--yes", *options)
        assert ran.code == 0, (ran.out, ran.err)
        return ran

    def plan(self, *options: str) -> Json:
        """What a sync would do."""
        ran = self.sync("--json", *options)
        assert ran.code in (0, 1), (ran.out, ran.err)
        return ran.json

    def pull(self, *options: str) -> Ran:
        """Take the server's edits into the tree."""
        ran = self.sync("--pull", *options)
        assert ran.code in (0, 1), (ran.out, ran.err)
        return ran

    def is_settled(self) -> bool:
        """Whether nothing differs."""
        return self.sync("--check").code == 0

    def process(self, *options: str, **settings: Any) -> "subprocess.Popen[str]":
        """`lumos snap sync` in a process of its own."""
        command = [sys.executable, "-m", "lumos_snap", "snap", "sync", "-C", str(self.folder)]
        return subprocess.Popen(
            [*command, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **settings,
        )
