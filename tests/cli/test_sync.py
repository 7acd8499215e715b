"""`lumos snap sync`, with real repositories and a folder as the catalog."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.cli import main
from tests.cli.lake import git

SETTINGS = "version: 1\ncatalogs: [{name: copy, type: files, path: ../copy}]\n"
TWICE = SETTINGS.replace("]", ", {name: copy, type: files, path: ../other}]")
_WHO = ("NAME", "EMAIL")
_PROGRAM = "import sys; from lumos_snap.cli import main; sys.exit(main(sys.argv[1:]))"


def document(name: str, **more: Any) -> dict[str, Any]:
    return {
        "lumos_version": "1.0.0", "urn": f"lumos://s3/lake/{name}", "name": name, "platform": "s3",
        "schema": {"fields": [{"name": "id", "type": "INT64", "nullable": False}]}, **more,
    }  # fmt: skip


def _policy(name: str) -> str:
    return SETTINGS.replace("../copy", f"../copy, policy: {{{name}: git}}")


@dataclass
class Both:
    """A tree in a repository, and the folder that is its catalog."""

    tree: Path
    copy: Path
    capsys: pytest.CaptureFixture[str]

    def put(self, name: str, *, at: Path | None = None, **more: Any) -> Path:
        path = (at or self.tree) / f"snapshots/s3/lake/{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document(name, **more)))
        assert main(["snap", "fmt", str(path)] if at is None else ["snap", "ls"]) == 0
        self.capsys.readouterr()
        return path

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.copy / f"snapshots/s3/lake/{name}.json"
        content = path.read_text()
        assert old in content
        path.write_text(content.replace(old, new))

    def run(self, *options: str) -> tuple[int, str, str]:
        code = main(["snap", "sync", *options])
        return code, *self.capsys.readouterr()

    def report(self, *options: str) -> Any:
        code, out, err = self.run("--json", *options)
        assert code in (0, 1), err
        return json.loads(out)

    def names(self) -> set[str]:
        return {path.stem for path in self.copy.rglob("snapshots/**/*.json")}


@pytest.fixture
def both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Both:
    tree = tmp_path / "home"
    tree.mkdir()
    git(tree, "init", "-q", "-b", "main")
    (tree / "lumos.yaml").write_text(SETTINGS)
    monkeypatch.chdir(tree)
    made = Both(tree, tmp_path / "copy", capsys)
    for name in ("a", "b", "c"):
        made.put(name, documentation={"description": f"The {name}."})
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "Start")
    return made


@pytest.fixture
def pushed(both: Both) -> Both:
    assert both.run("--apply", "--yes")[0] == 0
    return both


def test_a_look_writes_nothing(both: Both) -> None:
    code, out, _ = both.run()
    assert code == 0
    assert "3 to create" in out
    assert not both.copy.exists()
    assert "refs/lumos" not in git(both.tree, "for-each-ref")


def test_a_second_apply_writes_nothing(pushed: Both) -> None:
    before = {path: path.stat().st_mtime_ns for path in pushed.copy.rglob("*.json")}
    ref = git(pushed.tree, "rev-parse", "refs/lumos/sync/copy")
    assert pushed.run("--apply", "--yes")[0] == 0
    assert {path: path.stat().st_mtime_ns for path in pushed.copy.rglob("*.json")} == before
    assert git(pushed.tree, "rev-parse", "refs/lumos/sync/copy") == ref
    assert pushed.run("--check")[0] == 0


def test_the_catalogs_words_are_pulled(pushed: Both) -> None:
    pushed.edit("a", "The a.", "What people say.")
    assert pushed.run("--check")[0] == 1
    code, out, _ = pushed.run("--pull")
    assert code == 0
    assert "wrote snapshots/s3/lake/a.json" in out
    assert "What people say." in (pushed.tree / "snapshots/s3/lake/a.json").read_text()
    assert pushed.run("--check")[0] == 0


def test_a_pull_that_nobody_commits_loses_nothing(pushed: Both) -> None:
    pushed.edit("a", "The a.", "What people say.")
    pushed.run("--pull")
    git(pushed.tree, "checkout", "-q", "--", "snapshots")
    assert pushed.report()["counts"]["drifted"] == 1
    pushed.run("--apply", "--yes")
    assert "What people say." in (pushed.copy / "snapshots/s3/lake/a.json").read_text()


def test_a_schema_that_was_edited_there_is_restored(pushed: Both) -> None:
    pushed.edit("a", "INT64", "STRING")
    (drift,) = pushed.report()["documents"][0]["drifts"]
    assert (drift["becomes"], drift["old"]["type"], drift["new"]["type"]) == (
        "reverted",
        "INT64",
        "STRING",
    )
    pushed.run("--apply", "--yes")
    assert "INT64" in (pushed.copy / "snapshots/s3/lake/a.json").read_text()


def test_a_conflict_is_left_to_a_person(pushed: Both) -> None:
    for name, domain in (("a", "here"), ("b", "here")):
        pushed.put(
            name, documentation={"description": f"The {name}."}, governance={"domain": domain}
        )
    path = pushed.copy / "snapshots/s3/lake/a.json"
    path.write_text(
        json.dumps(
            document("a", documentation={"description": "The a."}, governance={"domain": "there"})
        )
    )
    code, out, _ = pushed.run("--apply", "--yes")
    assert code == 1
    assert "conflict, left to you: governance.domain" in out
    assert json.loads(path.read_text())["governance"] == {"domain": "there"}
    assert "here" in (pushed.copy / "snapshots/s3/lake/b.json").read_text()


def test_what_leaves_the_tree_leaves_the_catalog_and_comes_back(pushed: Both) -> None:
    path = pushed.tree / "snapshots/s3/lake/a.json"
    content = path.read_bytes()
    path.unlink()
    assert pushed.run("--apply", "--yes")[0] == 0
    assert pushed.names() == {"b", "c"}
    path.write_bytes(content)
    assert pushed.run("--apply", "--yes")[0] == 0
    assert pushed.names() == {"a", "b", "c"}


def test_few_may_be_deleted_at_once(pushed: Both) -> None:
    for name in ("a", "b"):
        (pushed.tree / f"snapshots/s3/lake/{name}.json").unlink()
    code, out, _ = pushed.run("--apply", "--yes")
    assert code == 1
    assert "2 would go, and at most 1 may at once" in out
    assert pushed.names() == {"a", "b", "c"}
    assert pushed.run("--apply", "--yes", "--deletes", "2")[0] == 0
    assert pushed.names() == {"c"}


def test_a_broken_file_deletes_nothing(pushed: Both) -> None:
    (pushed.tree / "snapshots/s3/lake/a.json").write_text("{")
    (pushed.tree / "snapshots/s3/lake/b.json").unlink()
    code, out, err = pushed.run("--apply", "--yes")
    assert code == 1
    assert "s3/lake/b\n    ! is not deleted: the tree has invalid documents" in out
    assert "s3/lake/a" not in out
    assert err.startswith("snapshots/s3/lake/a.json:1:")
    assert "1 invalid file left out, and nothing is deleted" in err
    assert pushed.names() == {"a", "b", "c"}


def test_a_file_at_the_place_of_another_dataset_is_left_out(pushed: Both) -> None:
    place = pushed.tree / "snapshots/s3/lake/a.json"
    place.write_bytes((pushed.tree / "snapshots/s3/lake/b.json").read_bytes())
    code, _, err = pushed.run("--apply", "--yes")
    assert code == 1
    assert "belongs at snapshots/s3/lake/b.json" in err
    assert pushed.names() == {"a", "b", "c"}


def test_what_the_catalog_has_of_its_own_stays(pushed: Both) -> None:
    pushed.put("foreign", at=pushed.copy)
    assert pushed.run("--apply", "--yes")[0] == 0
    assert "foreign" in pushed.names()


def test_a_lost_base_overwrites_and_deletes_nothing(pushed: Both) -> None:
    git(pushed.tree, "update-ref", "-d", "refs/lumos/sync/copy")
    (pushed.tree / "snapshots/s3/lake/a.json").unlink()
    pushed.put("b", documentation={"description": "Ours."})
    pushed.edit("b", "The b.", "Theirs.")
    pushed.run("--apply", "--yes")
    assert pushed.names() == {"a", "b", "c"}
    assert "Theirs." in (pushed.copy / "snapshots/s3/lake/b.json").read_text()


def test_only_some_documents_are_looked_at(both: Both) -> None:
    assert both.run("--apply", "--yes", "--only", "lumos://s3/lake/[ab]")[0] == 0
    assert both.names() == {"a", "b"}


def test_a_saved_plan_is_carried_out_as_it_was_seen(both: Both, tmp_path: Path) -> None:
    plan = str(tmp_path / "plan.json")
    assert both.run("--out", plan)[0] == 0
    assert not both.copy.exists()
    assert both.run("--apply", plan, "--yes")[0] == 0
    assert both.names() == {"a", "b", "c"}


@pytest.mark.parametrize("side", ["tree", "catalog", "base"])
def test_a_saved_plan_is_refused_where_something_moved(
    pushed: Both, tmp_path: Path, side: str
) -> None:
    plan = str(tmp_path / "plan.json")
    pushed.put("a", documentation={"description": "The a."}, governance={"tags": ["x"]})
    assert pushed.run("--out", plan)[0] == 0
    if side == "tree":
        pushed.put("a", documentation={"description": "The a."}, governance={"tags": ["y"]})
    elif side == "catalog":
        pushed.edit("a", "INT64", "STRING")
    else:
        git(pushed.tree, "update-ref", "-d", "refs/lumos/sync/copy")
    code, _, err = pushed.run("--apply", plan, "--yes")
    assert code == 3
    assert "the tree or the catalog has changed since: nothing was written" in err
    assert "tags" not in (pushed.copy / "snapshots/s3/lake/a.json").read_text()


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"sync-plan": 2}'])
def test_what_is_no_plan_is_refused(both: Both, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "plan.json").write_bytes(content)
    assert both.run("--apply", str(tmp_path / "plan.json"), "--yes")[0] == 2
    assert not both.copy.exists()


def test_who_commits_is_asked_before_anything_is_written(
    both: Both, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in (
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("HOME", str(tmp_path))
    git(both.tree, "config", "user.useConfigOnly", "true")
    code, _, err = both.run("--apply", "--yes")
    assert code == 2
    assert "git does not know who commits" in err
    assert not both.copy.exists()


def test_nobody_to_ask_is_an_error(both: Both) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, "snap", "sync", "--apply"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "lumos: nobody is there to ask" in done.stderr
    assert not both.copy.exists()


@pytest.mark.parametrize(
    ("settings", "options", "says"),
    [
        ("version: 1\n", (), "lumos.yaml names no catalog to sync with"),
        (SETTINGS, ("--to", "copi"), "did you mean `copy`?"),
        (SETTINGS.replace("../copy", "."), (), "is the tree itself"),
        (SETTINGS, ("--apply", "--pull"), "one thing at a time"),
        (SETTINGS, ("--resume",), "there is no journal"),
        (SETTINGS, ("--section", "documentatoin"), "did you mean `documentation`?"),
        (SETTINGS, ("--commit",), "--commit goes with --pull"),
        (SETTINGS, ("--only", "s4/**"), "nothing matches s4/**"),
        (SETTINGS, ("--apply", "nowhere.json"), "nowhere.json: cannot be read: No such file"),
        (_policy("documentaton"), (), "did you mean `documentation`?"),
        (
            _policy("governance.tag"),
            (),
            "in `policy` of copy, there is no section `governance.tag`",
        ),
        (TWICE, ("--to", "copy"), "lumos.yaml: two catalogs are called copy"),
    ],
)
def test_what_cannot_be_is_said(
    both: Both, settings: str, options: tuple[str, ...], says: str
) -> None:
    (both.tree / "lumos.yaml").write_text(settings)
    code, _, err = both.run(*options)
    assert code == 2
    assert says in err


def test_only_some_sections_are_written_and_pulled(pushed: Both) -> None:
    words, tags = {"description": "Ours."}, {"tags": ["ours"]}
    pushed.put("a", documentation=words, governance=tags)
    pushed.edit("b", "INT64", "STRING")
    pushed.edit("b", "The b.", "Theirs.")
    some = ("--section", "governance", "--section", "schema")
    assert pushed.run("--apply", "--yes", *some)[0] == 0
    there = json.loads((pushed.copy / "snapshots/s3/lake/a.json").read_text())
    assert (there["documentation"], there["governance"]) == ({"description": "The a."}, tags)
    there = json.loads((pushed.copy / "snapshots/s3/lake/b.json").read_text())
    assert there["schema"]["fields"][0]["type"] == "INT64"
    assert "nothing to take over" in pushed.run("--pull", *some)[1]
    pushed.run("--pull", "--section", "documentation.description")
    assert "Theirs." in (pushed.tree / "snapshots/s3/lake/b.json").read_text()
    (left,) = pushed.report()["documents"]
    assert [one["subject"] for one in left["changes"]] == ["documentation.description"]


def test_a_document_may_be_named_by_its_end_or_all_but_its_scheme(both: Both) -> None:
    assert both.run("--apply", "--yes", "--only", "s3/lake/a", "--only", "b")[0] == 0
    assert both.names() == {"a", "b"}
    before = git(both.tree, "status", "--porcelain")
    assert both.run("--pull", "--only", "nothing like it")[0] == 2
    assert git(both.tree, "status", "--porcelain") == before


def test_a_policy_for_one_key_holds_beside_one_for_its_section(pushed: Both) -> None:
    policy = "policy: {documentation: git, documentation.title: catalog}"
    (pushed.tree / "lumos.yaml").write_text(SETTINGS.replace("../copy", f"../copy, {policy}"))
    path = pushed.copy / "snapshots/s3/lake/a.json"
    words = {"description": "Theirs.", "title": "Theirs."}
    path.write_text(json.dumps(document("a", documentation=words)))
    becomes = {one["subject"]: one["becomes"] for one in pushed.report()["documents"][0]["drifts"]}
    assert becomes == {
        "documentation.description": "reverted",
        "documentation.title": "pulled",
    }
    pushed.run("--pull")
    assert pushed.run("--apply", "--yes")[0] == 0
    assert json.loads(path.read_text())["documentation"] == {
        "description": "The a.",
        "title": "Theirs.",
    }
    assert pushed.run("--check")[0] == 0


def test_edits_of_a_catalog_that_knows_nobody_are_committed_by_who_runs_it(pushed: Both) -> None:
    pushed.edit("a", "The a.", "Theirs.")
    pushed.edit("b", "The b.", "Theirs.")
    code, out, _ = pushed.run("--pull", "--commit")
    assert (code, ": 2 documents" in out) == (0, True)
    author, committer, subject = git(pushed.tree, "log", "-1", "--format=%an%n%cn%n%s").split("\n")
    assert author == committer
    assert subject == "Edited in copy: 2 documents"
    assert git(pushed.tree, "status", "--porcelain") == ""
    assert pushed.run("--check")[0] == 0
