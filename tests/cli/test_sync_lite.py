"""`lumos snap sync` with DataHub Lite: real repositories, and DataHub's own store."""

import contextlib
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.cli import main
from lumos_snap.config import problems_of_config
from tests.cli.lake import git

SETTINGS = "version: 1\ncatalogs: [{name: lite, type: datahub-lite%s}]\n"


class Synced:
    """A tree with two datasets, and the store beside it."""

    def __init__(self, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.tree = tree
        self.store = tree / ".lumos/datahub.db"
        self._capsys = capsys

    def put(self, name: str, **more: Any) -> Path:
        path = self.tree / f"snapshots/s3/lake/{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        fields = [{"name": "id", "type": "INT64", "nullable": False}]
        said = {"urn": f"lumos://s3/lake/{name}", "name": name, "platform": "s3"}
        document = {"lumos_version": "1.0.0", **said, "schema": {"fields": fields}, **more}
        path.write_text(json.dumps(document))
        assert main(["snap", "fmt", str(path)]) == 0
        self._capsys.readouterr()
        return path

    def run(self, *options: str) -> tuple[int, str, str]:
        code = main(["snap", "sync", *options])
        return code, *self._capsys.readouterr()

    def rows(self) -> list[Any]:
        with closing(sqlite3.connect(self.store)) as connection:
            return connection.execute("SELECT * FROM metadata_aspect_v2").fetchall()

    def count(self) -> int:
        """How many rows there are; none while the store is made, or written to."""
        with (
            contextlib.suppress(sqlite3.OperationalError),
            closing(sqlite3.connect(self.store)) as connection,
        ):
            ((found,),) = connection.execute("SELECT count(*) FROM metadata_aspect_v2")
            return int(found)
        return 0


@pytest.fixture
def synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Synced:
    tree = tmp_path / "home"
    tree.mkdir()
    git(tree, "init", "-q", "-b", "main")
    (tree / "lumos.yaml").write_text(SETTINGS % "")
    monkeypatch.chdir(tree)
    monkeypatch.setenv("HOME", str(tmp_path))  # DataHub's package writes into it once it is loaded
    made = Synced(tree, capsys)
    made.put("a", documentation={"description": "The a."})
    made.put("b", lineage={"upstream": [{"urn": "lumos://s3/lake/a"}]})
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "Start")
    return made


def test_a_look_makes_no_store(synced: Synced) -> None:
    code, out, _ = synced.run()
    assert (code, "2 to create" in out) == (0, True)
    assert not synced.store.exists()


def test_what_was_applied_is_there_and_nothing_is_left_to_do(synced: Synced) -> None:
    code, out, _ = synced.run("--apply", "--yes")
    assert (code, "`lite`: 2 written" in out) == (0, True)
    before = synced.rows()
    assert synced.run("--check")[:2] == (0, "2 documents and `lite`: no difference\n")
    assert synced.run("--apply", "--yes")[0] == 0
    assert synced.rows() == before
    assert git(synced.tree, "status", "--short") == ""


def test_what_leaves_the_tree_is_marked_and_comes_back(synced: Synced) -> None:
    synced.run("--apply", "--yes")
    content = (synced.tree / "snapshots/s3/lake/b.json").read_bytes()
    (synced.tree / "snapshots/s3/lake/b.json").unlink()
    assert synced.run("--apply", "--yes")[0] == 0
    removed = [row for row in synced.rows() if row[1] == "status" and '"removed": true' in row[3]]
    assert {row[0] for row in removed} == {"urn:li:dataset:(urn:li:dataPlatform:s3,lake/b,PROD)"}
    (synced.tree / "snapshots/s3/lake/b.json").write_bytes(content)
    assert synced.run("--apply", "--yes")[0] == 0
    assert synced.run("--check")[0] == 0


def test_settings_say_what_datasets_are_called(synced: Synced) -> None:
    said = ", platform_instance: lake, environment: DEV, name_template: 'x.{path}', path: ../s.db"
    (synced.tree / "lumos.yaml").write_text(SETTINGS % f"{said}, platforms: {{s3: minio}}")
    assert problems_of_config((synced.tree / "lumos.yaml").read_bytes()) == ()
    assert synced.run("--apply", "--yes")[0] == 0
    synced.store = synced.tree / "../s.db"
    assert {row[0] for row in synced.rows()} == {
        f"urn:li:dataset:(urn:li:dataPlatform:minio,lake.x.lake/{name},DEV)" for name in "ab"
    }
    assert synced.run("--check")[0] == 0


def test_other_names_are_refused_also_where_nobody_has_touched_a_dataset(synced: Synced) -> None:
    synced.put("b", lineage={"upstream": [{"urn": "lumos://hive/lake/a"}]})
    assert synced.run("--apply", "--yes")[0] == 0
    (synced.tree / "lumos.yaml").write_text(SETTINGS % ", platforms: {hive: trino}")
    code, out, err = synced.run("--check")
    assert (code, out) == (2, "")
    assert "lumos://hive/lake/a is urn:li:dataset:(urn:li:dataPlatform:hive,lake.a,PROD)" in err
    (synced.tree / "lumos.yaml").write_text(SETTINGS % ", platforms: {redshift: aws}")
    synced.put("b", documentation={"description": "No name has changed."})
    assert synced.run("--apply", "--yes")[0] == 0
    assert synced.run("--check")[0] == 0


def test_an_instance_that_comes_later_would_make_all_of_it_anew(synced: Synced) -> None:
    assert synced.run("--apply", "--yes")[0] == 0
    before = synced.store.read_bytes()
    (synced.tree / "lumos.yaml").write_text(SETTINGS % ", platform_instance: eu")
    for options in ((), ("--apply", "--yes"), ("--pull",)):
        code, _, err = synced.run(*options)
        assert (code, "leads to other names in lite" in err) == (2, True)
    assert synced.store.read_bytes() == before


def test_datasets_that_could_be_one_there_are_refused_and_named(synced: Synced) -> None:
    settings = SETTINGS % ", platforms: {s3: hive}"
    (synced.tree / "lumos.yaml").write_text(settings)
    path = synced.tree / "snapshots/hive/lake/a.json"
    path.parent.mkdir(parents=True)
    said = (synced.tree / "snapshots/s3/lake/a.json").read_text()
    path.write_text(said.replace("lumos://s3", "lumos://hive").replace('"s3"', '"hive"'))
    code, out, _ = synced.run("--apply", "--yes")
    assert code == 1
    assert "stands for lumos://s3/lake.a" in out


def test_a_damaged_store_is_told_in_one_line(synced: Synced) -> None:
    synced.store.parent.mkdir(exist_ok=True)
    synced.store.write_bytes(b"no database" * 100)
    code, out, err = synced.run()
    assert code == 3, out
    assert "cannot be used as a store" in err


def test_without_datahubs_package_its_name_is_told(
    synced: Synced, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "datahub", None)  # as if it could not be found
    code, _, err = synced.run()
    assert code == 2, err
    assert "pip install 'lumos-snap[datahub]'" in err
