"""Git merges documents through the driver: real repositories, real branches."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot
from tests.cli.conftest import Lumos

NAME = "user's $(touch oops) `clicks`"  # as a store may hold it, and no shell may read it
BASE = {
    "lumos_version": "1.0.0",
    "urn": f"lumos://s3/lake/{NAME}",
    "name": NAME,
    "platform": "s3",
    "schema": {
        "fields": [
            {"name": "id", "type": "INT64", "nullable": False, "id": 1},
            {"name": "user", "type": "STRING", "nullable": True, "id": 2},
        ]
    },
    "ownership": {"owners": [{"group": "web"}]},
    "governance": {"tags": ["raw"]},
    "documentation": {"title": "Clicks"},
}
PATH = f"snapshots/s3/lake/{NAME}.json"
Document = dict[str, Any]
Edit = Callable[[Document], object]

pytestmark = pytest.mark.slow  # many real repositories


@dataclass(frozen=True)
class Repository:
    """A repository with a tree in it, and how people work with it."""

    top: Path
    tree: Path

    def git(self, *arguments: str, fails: bool = False) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.top, capture_output=True, text=True, check=False
        )
        assert bool(done.returncode) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    @property
    def file(self) -> Path:
        return self.tree / PATH

    @property
    def document(self) -> Document:
        found: Document = json.loads(self.file.read_text())
        return found

    def write(self, document: Document, path: str = PATH) -> None:
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(encode_document(document, Snapshot))

    def commit(self, message: str = "Edit") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def branch(self, name: str, *edits: Edit) -> None:
        """A branch from main on which somebody edits the document."""
        self.git("switch", "--quiet", "--create", name, "main")
        document = self.document
        for edit in edits:
            edit(document)
        self.write(document)
        self.commit(name)


@pytest.fixture(params=[".", "meta data/prod"])
def lake(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lumos: Lumos
) -> Repository:
    """A tree at the top of a repository, or somewhere below it."""
    top = tmp_path / "it's a lake"
    tree = top / request.param
    tree.mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.chdir(top)
    found = Repository(top, tree)
    found.git("init", "--quiet", "--initial-branch", "main")
    assert lumos("snap", "init", tree).code == 0
    found.write(BASE)
    found.commit("Start")
    return found


def append(name: str, **more: Any) -> Edit:
    column = {"name": name, "type": "STRING", "nullable": True, **more}
    return lambda document: document["schema"]["fields"].append(column)


def part(index: int, **more: Any) -> Edit:
    return lambda document: document["schema"]["fields"][index].update(more)


def tag(name: str) -> Edit:
    return lambda document: document["governance"]["tags"].append(name)


def own(**owner: str) -> Edit:
    return lambda document: document["ownership"]["owners"].append(owner)


def title(text: str) -> Edit:
    return lambda document: document["documentation"].update(title=text)


ANN = (append("zone"), part(1, nullable=False), tag("pii"), own(user="ann"))
BOB = (append("area"), part(1, description="who"), tag("gold"), own(user="bob"))


def undo_driver(lake: Repository) -> None:
    for section in ("merge.lumos", "diff.lumos"):
        lake.git("config", "--remove-section", section)


class TestCleanMerges:
    def test_two_branches_come_together_where_plain_git_cannot_merge(
        self, lake: Repository, lumos: Lumos
    ) -> None:
        lake.branch("ann", *ANN)
        lake.branch("bob", *BOB)
        lake.git("merge", "ann")
        merged = lake.document
        assert [(f["name"], f["nullable"]) for f in merged["schema"]["fields"]] == [
            ("id", False),
            ("user", False),
            ("area", True),
            ("zone", True),
        ]
        assert merged["schema"]["fields"][1]["description"] == "who"
        assert merged["governance"]["tags"] == ["gold", "pii", "raw"]
        assert len(merged["ownership"]["owners"]) == 3
        assert not (lake.top / "oops").exists()
        assert lumos("snap", "validate", "-C", lake.tree).code == 0
        assert lake.git("status", "--short") == ""

    def test_plain_git_cannot_merge_the_same_two_branches(self, lake: Repository) -> None:
        undo_driver(lake)
        lake.branch("ann", *ANN)
        lake.branch("bob", *BOB)
        assert "CONFLICT" in lake.git("merge", "ann", fails=True)
        assert "<<<<<<<" in lake.file.read_text()

    def test_both_directions_give_the_same_bytes(self, lake: Repository) -> None:
        lake.branch("ann", *ANN)
        lake.branch("bob", *BOB)
        lake.git("switch", "--quiet", "--detach", "ann")
        lake.git("merge", "bob")
        one = lake.file.read_bytes()
        lake.git("switch", "--quiet", "bob")
        lake.git("merge", "ann")
        assert lake.file.read_bytes() == one

    def test_a_rename_and_an_edit_of_the_same_column(self, lake: Repository) -> None:
        lake.branch("ann", part(1, name="visitor"))
        lake.branch("bob", part(1, description="who clicked"))
        lake.git("merge", "ann")
        assert lake.document["schema"]["fields"][1] == {
            "name": "visitor",
            "type": "STRING",
            "nullable": True,
            "id": 2,
            "description": "who clicked",
        }

    def test_rebase_and_cherry_pick(self, lake: Repository) -> None:
        lake.branch("ann", *ANN)
        lake.branch("bob", *BOB)
        lake.git("rebase", "--quiet", "ann")
        rebased = lake.file.read_bytes()
        lake.git("switch", "--quiet", "ann")
        lake.git("cherry-pick", "ORIG_HEAD")
        assert lake.file.read_bytes() == rebased
        assert lake.git("status", "--short") == ""

    def test_branches_that_crossed(self, lake: Repository) -> None:
        """The base of such a merge is itself a merge, here one that nobody could decide."""
        lake.branch("ann", append("zone"), title("Ann's"))
        lake.branch("bob", append("area"), title("Bob's"))
        for name, other, text in (("ann", "bob", "Both"), ("bob", "ann", "Both")):
            lake.git("switch", "--quiet", "--detach", name)
            lake.git("merge", other, fails=True)
            document = lake.document
            del document["conflicts"]
            title(text)(document)
            append(f"by_{name}")(document)
            lake.write(document)
            lake.commit(f"Merge into {name}")
            lake.git("branch", f"{name}-merged")
        lake.git("merge", "ann-merged")
        names = [f["name"] for f in lake.document["schema"]["fields"]]
        assert names == ["id", "user", "area", "zone", "by_ann", "by_bob"]
        assert lake.document["documentation"]["title"] == "Both"


class TestConflicts:
    def test_the_file_says_what_is_to_be_decided_and_git_says_that_it_is_unmerged(
        self, lake: Repository, lumos: Lumos
    ) -> None:
        lake.branch("ann", title("Ann's clicks"), append("zone"))
        lake.branch("bob", title("Bob's clicks"), append("area"))
        said = lake.git("merge", "ann", fails=True)
        prefix = "" if lake.tree == lake.top else "meta data/prod/"
        assert f"lumos: {prefix}{PATH}: 1 conflict\n  documentation.title: changed" in said
        assert "delete the section `conflicts`, then `git add`" in said
        assert lake.git("status", "--short").startswith("UU ")
        document = lake.document
        assert next(iter(document)) == "conflicts"
        assert document["conflicts"] == [
            {
                "at": "documentation.title",
                "why": "changed differently on both sides",
                "base": "Clicks",
                "ours": "Bob's clicks",
                "theirs": "Ann's clicks",
            }
        ]
        assert document["documentation"]["title"] == "Bob's clicks"
        assert [f["name"] for f in document["schema"]["fields"]][2:] == ["area", "zone"]

    def test_every_reader_refuses_it_until_it_is_decided(
        self, lake: Repository, lumos: Lumos
    ) -> None:
        lake.branch("ann", title("Ann's clicks"))
        lake.branch("bob", title("Bob's clicks"))
        lake.git("merge", "ann", fails=True)
        ran = lumos("snap", "validate", "-C", lake.tree)
        assert ran.code == 1
        assert f"{PATH}:3:5: unresolved-conflict: " in ran.out
        assert "`documentation.title`" in ran.out
        assert "choose a value for each, then delete the section `conflicts`" in ran.out
        before = lake.file.read_bytes()
        lumos("snap", "fmt", "-C", lake.tree)
        assert lake.file.read_bytes() == before
        assert lumos("snap", "show", NAME, "-C", lake.tree).code == 2
        document = lake.document
        del document["conflicts"]
        lake.file.write_text(json.dumps(document))
        assert lumos("snap", "fmt", "-C", lake.tree).code == 0
        assert lumos("snap", "validate", "-C", lake.tree).code == 0
        lake.commit("Merge")
        assert lake.git("status", "--short") == ""

    def test_without_the_command_git_reports_a_conflict_and_keeps_both_sides(
        self, lake: Repository
    ) -> None:
        lake.branch("ann", *ANN)
        lake.branch("bob", *BOB)
        lake.git("config", "merge.lumos.driver", "no-such-lumos %O %A %B")
        lake.git("merge", "ann", fails=True)
        assert lake.git("status", "--short").startswith("UU ")
        assert '"zone"' in lake.git("show", f":3:{lake.file.relative_to(lake.top)}")

    def test_what_was_decided_otherwise_on_both_sides_of_a_crossing_is_open(
        self, lake: Repository
    ) -> None:
        """Git's own base is undecided there: nobody's choice may win silently."""

        def retype(kind: str) -> Edit:
            return lambda document: document["schema"]["fields"][1].update(type=kind)

        def decide(kind: str) -> None:
            document = lake.document
            document.pop("conflicts")
            retype(kind)(document)
            lake.write(document)
            lake.commit(f"Decide for {kind}")

        lake.branch("left", retype("INT32"))
        lake.git("tag", "left-1")
        lake.branch("right", retype("INT16"))
        lake.git("tag", "right-1")
        lake.git("merge", "--no-edit", "left-1", fails=True)
        decide("INT16")
        lake.git("switch", "--quiet", "left")
        lake.git("merge", "--no-edit", "right-1", fails=True)
        decide("INT32")
        lake.git("merge", "--no-edit", "right", fails=True)
        assert "conflicts" in lake.document

    def test_where_the_command_is_not_on_the_path_git_merges_text(
        self, lake: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lake.branch("one", lambda document: document["documentation"].update(title="One"))
        lake.branch("two", lambda document: document["documentation"].update(title="Two"))
        monkeypatch.setenv("PATH", "/usr/bin:/bin")
        lake.git("merge", "--no-edit", "one", fails=True)
        assert "<<<<<<<" in lake.file.read_text()

    def test_a_rebase_stops_at_it(self, lake: Repository) -> None:
        lake.branch("ann", title("Ann's clicks"))
        lake.branch("bob", title("Bob's clicks"))
        lake.git("rebase", "ann", fails=True)
        assert len(lake.document["conflicts"]) == 1
        lake.git("rebase", "--abort")
        assert lake.document["documentation"]["title"] == "Bob's clicks"

    def test_a_key_over_a_column_that_the_other_side_dropped(self, lake: Repository) -> None:
        lake.branch("ann", lambda document: document["schema"].update(primary_key=["user"]))
        lake.branch("bob", lambda document: document["schema"]["fields"].pop())
        lake.git("merge", "ann", fails=True)
        assert "there is no column `user`" in lake.document["conflicts"][0]["why"]

    def test_a_file_that_is_new_on_both_sides(self, lake: Repository) -> None:
        new = {**BASE, "urn": "lumos://s3/lake/new", "name": "new"}
        for name, edits in (("ann", {"governance": {"tags": ["pii"]}}), ("bob", {})):
            lake.git("switch", "--quiet", "--create", name, "main")
            lake.write({**new, **edits}, "snapshots/s3/lake/new.json")
            lake.commit(name)
        lake.git("merge", "ann")
        document = json.loads((lake.tree / "snapshots/s3/lake/new.json").read_text())
        assert document["governance"]["tags"] == ["pii", "raw"]


class TestWhatIsNoDocument:
    """The driver by itself, as git calls it."""

    @pytest.fixture
    def sides(self, empty: Path) -> Path:
        for name in ("base", "ours", "theirs"):
            (empty / name).write_bytes(encode_document(BASE, Snapshot))
        return empty

    def merge(self, lumos: Lumos, *more: str) -> Any:
        return lumos("snap", "merge-driver", "base", "ours", "theirs", "--path", PATH, *more)

    def test_three_alike_are_clean_and_silent(self, lumos: Lumos, sides: Path) -> None:
        ran = self.merge(lumos)
        assert (ran.code, ran.out, ran.err) == (0, "", "")
        assert (sides / "ours").read_bytes() == encode_document(BASE, Snapshot)

    def test_git_merges_what_is_no_json(self, lumos: Lumos, sides: Path) -> None:
        (sides / "ours").write_text("a\nours\n")
        (sides / "theirs").write_text("a\ntheirs\n")
        (sides / "base").write_text("a\nbase\n")
        ran = self.merge(lumos, "--marker-size", "9")
        assert ran.code == 1
        assert f"lumos: {PATH}: merged as plain text, because base is not valid JSON" in ran.err
        text = (sides / "ours").read_text()
        assert text == f"a\n{'<' * 9} ours\nours\n{'=' * 9}\ntheirs\n{'>' * 9} theirs\n"

    @pytest.mark.parametrize(
        ("keys", "says"),
        [
            ({"lumos_version": "9.0.0"}, "theirs has format 9.0.0"),
            ({"shema": {}}, "theirs `shema` is not a known key"),
            ({"platform": "gcs"}, "theirs the urn says platform `s3`, not `gcs`"),
        ],
    )
    def test_what_is_not_valid_is_left_to_git_and_never_called_clean(
        self, lumos: Lumos, sides: Path, keys: Document, says: str
    ) -> None:
        (sides / "theirs").write_text(json.dumps({**BASE, **keys}, indent=2))
        ran = self.merge(lumos)
        assert (ran.code, says in ran.err) == (1, True)
        merged = (sides / "ours").read_text()
        assert all(line in merged for line in (sides / "theirs").read_text().splitlines())

    def test_bytes_that_git_cannot_merge_either_stay(self, lumos: Lumos, sides: Path) -> None:
        (sides / "ours").write_bytes(b"\0ours")
        ran = self.merge(lumos)
        assert (ran.code, "kept ours, because" in ran.err) == (1, True)
        assert (sides / "ours").read_bytes() == b"\0ours"

    def test_a_missing_file_is_no_success(self, lumos: Lumos, sides: Path) -> None:
        (sides / "theirs").unlink()
        assert self.merge(lumos).code == 3
        assert (sides / "ours").read_bytes() == encode_document(BASE, Snapshot)

    def test_a_bug_is_no_success(
        self, lumos: Lumos, sides: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_: object, **__: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr("lumos_snap.cli.snap.merge_driver.merge_files", broken)
        assert self.merge(lumos).code == 70

    @pytest.mark.parametrize(
        ("path", "document"),
        [
            ("x/entities/users/ann.json", {"lumos_version": "1.0.0", "id": "ann"}),
            ("observations/s3/a.json", {"lumos_version": "1.0.0", "urn": "lumos://s3/a"}),
            (None, {"lumos_version": "1.0.0", "id": "ann"}),
            ("entities/snapshots/entities/jobs/j.json", {"lumos_version": "1.0.0", "id": "j"}),
        ],
    )
    def test_every_kind_of_document_is_merged(
        self, lumos: Lumos, empty: Path, path: str | None, document: Document
    ) -> None:
        (empty / "base").write_text(json.dumps(document))
        (empty / "ours").write_text(json.dumps({**document, "properties": {"a": 1}}))
        (empty / "theirs").write_text(json.dumps({**document, "properties": {"b": 2}}))
        named = ["--path", path] if path else []
        ran = lumos("snap", "merge-driver", "base", "ours", "theirs", *named)
        assert (ran.code, ran.err) == (0, "")
        assert json.loads((empty / "ours").read_text())["properties"] == {"a": 1, "b": 2}
