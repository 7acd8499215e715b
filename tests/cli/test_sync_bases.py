"""What `lumos snap sync` does where the base, or the history beside it, is not what it was."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Lumos, Ran
from tests.cli.lake import Lake, git

SETTINGS = "version: 1\ncatalogs: [{name: copy, type: files, path: ../copy}]\n"
REF = "refs/lumos/sync/copy"


class Home(Lake):
    """A tree with a remote, in line with a folder that is its catalog."""

    def __init__(self, folder: Path, lumos: Lumos) -> None:
        super().__init__(folder / "home")
        self.remote = folder / "remote.git"
        self.catalog = folder / "copy"
        self._lumos = lumos

    def sync(self, *options: str) -> Ran:
        return self._lumos("snap", "sync", "-C", self.folder, *options)

    def apply(self) -> Ran:
        return self.sync("--apply", "--yes")

    def says(self, name: str) -> str:
        """How the catalog describes a dataset."""
        held = json.loads(self._there(name).read_bytes())
        found: str = held["documentation"]["description"]
        return found

    def edit(self, name: str, description: str) -> None:
        held = json.loads(self._there(name).read_bytes())
        held["documentation"]["description"] = description
        self._there(name).write_text(json.dumps(held))

    def names(self) -> set[str]:
        return {path.stem for path in self.catalog.rglob("snapshots/**/*.json")}

    def _there(self, name: str) -> Path:
        return self.catalog / f"snapshots/s3/lake/{name}.json"

    def at_remote(self) -> str:
        found = self.git("ls-remote", "origin", REF)
        return found.partition("\t")[0]


@pytest.fixture
def home(tmp_path: Path, lumos: Lumos) -> Home:
    made = Home(tmp_path, lumos)
    made.start(settings=SETTINGS)
    for name in "abc":
        made.put(name, documentation={"description": f"The {name}."})
    made.commit("Start")
    made.git("init", "-q", "--bare", str(made.remote))
    made.git("remote", "add", "origin", str(made.remote))
    made.git("push", "-q", "origin", "main")
    assert made.apply().code == 0
    assert made.at_remote() == made.git("rev-parse", REF)
    return made


def lose(home: Home, *, at_remote: bool) -> None:
    home.git("update-ref", "-d", REF)
    if at_remote:
        home.git("push", "-q", "origin", f":{REF}")


def test_a_base_that_is_lost_here_is_had_from_the_remote(home: Home) -> None:
    before = home.at_remote()
    lose(home, at_remote=False)
    home.file("a").unlink()
    assert home.apply().code == 0
    assert home.names() == {"b", "c"}
    home.git("merge-base", "--is-ancestor", before, REF)


def test_where_it_is_lost_everywhere_nothing_is_deleted_or_written_over(home: Home) -> None:
    lose(home, at_remote=True)
    home.file("a").unlink()
    home.put("b", documentation={"description": "Ours."})
    home.edit("b", "Theirs.")
    ran = home.apply()
    assert ran.code == 0, ran.err
    assert home.names() == {"a", "b", "c"}
    assert home.says("b") == "Theirs."
    assert home.at_remote() == home.git("rev-parse", REF)  # what both say is known again
    home.edit("c", "Edited since.")
    (drift,) = (one for one in home.sync("--json").json["documents"] if one["id"].endswith("/c"))
    assert drift["drifts"][0]["becomes"] == "pulled"
    home.file("c").unlink()
    assert home.names() == {"a", "b", "c"}


def forget(home: Home) -> None:
    """Nobody keeps what no ref leads to."""
    home.git("reflog", "expire", "--expire=now", "--all")
    home.git("gc", "-q", "--prune=now")


def amend(home: Home) -> None:
    home.git("commit", "-q", "--amend", "-m", "Another start")


def squash(home: Home) -> None:
    home.git("checkout", "-q", "--orphan", "anew")
    home.git("commit", "-qm", "All anew")
    home.git("branch", "-q", "-M", "main")


@pytest.mark.parametrize("rewrite", [amend, squash])
def test_a_history_that_is_rewritten_loses_no_base(
    home: Home, rewrite: Callable[[Home], None], tmp_path: Path, lumos: Lumos
) -> None:
    source = home.git("rev-parse", "main")
    rewrite(home)
    assert home.git("rev-parse", "main") != source
    home.git("push", "-qf", "origin", "main")
    forget(home)
    assert home.sync("--check").code == 0
    home.edit("a", "Edited there.")
    home.file("b").unlink()
    (drifted,) = (one for one in home.sync("--json").json["documents"] if one["drifts"])
    assert drifted["id"] == "lumos://s3/lake/a"
    assert home.apply().code == 0
    assert home.names() == {"a", "c"}
    home.git("clone", "-q", "-b", "main", str(home.remote), str(tmp_path / "other"))
    ran = lumos("snap", "sync", "-C", tmp_path / "other", "--json")
    assert {one["id"][-1]: one.get("action") for one in ran.json["documents"]} == {
        "a": None,
        "b": "create",  # that clone has it still
    }


def a_commit_of_another_kind(home: Home) -> str:
    return home.git("rev-parse", "main")


def no_commit(home: Home) -> str:
    return home.git("hash-object", "-w", "lumos.yaml")


@pytest.mark.parametrize("make", [a_commit_of_another_kind, no_commit])
@pytest.mark.parametrize("at_remote", [False, True])
def test_a_ref_that_leads_to_no_base_is_refused_and_named(
    home: Home, make: Callable[[Home], str], *, at_remote: bool
) -> None:
    other = make(home)
    lose(home, at_remote=True)
    home.git("update-ref", REF, other)
    if at_remote:
        home.git("push", "-q", "origin", f"{other}:{REF}")
        home.git("update-ref", "-d", REF)
    home.file("a").unlink()
    home.edit("b", "Theirs.")
    ran = home.apply()
    assert ran.code == 3
    assert f"{REF} leads to no base of a sync" in ran.err
    assert (f"git push origin :{REF}" if at_remote else f"git update-ref -d {REF}") in ran.err
    assert home.names() == {"a", "b", "c"}
    lose(home, at_remote=at_remote)
    assert home.apply().code == 0
    assert (home.names(), home.says("b")) == ({"a", "b", "c"}, "Theirs.")


def damaged(path: Path) -> None:
    for file in path.rglob("*.json"):
        file.write_text("{")


def emptied(path: Path) -> None:
    for file in path.rglob("*.json"):
        file.write_text("{}")


def without_files(path: Path) -> None:
    for file in path.rglob("*.json"):
        file.unlink()


@pytest.mark.parametrize("edit", [damaged, emptied, without_files])
def test_a_base_that_somebody_spoilt_deletes_nothing_and_writes_over_nothing(
    home: Home, edit: Callable[[Path], None], tmp_path: Path
) -> None:
    place = tmp_path / "base"
    home.git("worktree", "add", "-q", "--detach", str(place), REF)
    edit(place)
    git(place, "add", "-A")
    git(place, "commit", "-qm", "lumos sync copy: spoilt")
    home.git("update-ref", REF, git(place, "rev-parse", "HEAD"))
    home.git("push", "-qf", "origin", f"{REF}:{REF}")
    home.file("a").unlink()
    home.put("b", documentation={"description": "Ours."})
    home.edit("b", "Theirs.")
    assert home.apply().code in (0, 1)  # whether `a` is to go, a person decides
    assert (home.names(), home.says("b")) == ({"a", "b", "c"}, "Theirs.")
    home.git("restore", str(home.file("a")))
    assert home.sync("--pull").code == 0
    assert home.apply().code == 0
    assert home.sync("--check").code == 0


def test_trees_in_folders_of_one_repository_take_nothing_from_each_other(
    tmp_path: Path, lumos: Lumos
) -> None:
    settings = SETTINGS.replace("../copy", str(tmp_path / "copy"))
    for folder, names in (("lake/e.u", "abc"), ("lake/~u s", "d"), ("", "e")):
        tree = Lake(tmp_path / "home", prefix=folder).start(settings=settings)
        for name in names:
            tree.put(name)
        tree.commit("Start")
        ran = lumos("snap", "sync", "-C", tree.folder, "--apply", "--yes", "--deletes", "9")
        assert ran.code == 0, ran.err
        assert "deleted" not in ran.out
        assert lumos("snap", "sync", "-C", tree.folder, "--check").code == 0
    assert {one.stem for one in (tmp_path / "copy").rglob("snapshots/**/*.json")} == set("abcde")
    refs = git(tmp_path / "home", "for-each-ref", "--format=%(refname)", "refs/lumos")
    assert refs.splitlines() == [REF, f"{REF}+lake+%7Eu%20s", f"{REF}+lake+e%2Eu"]


def test_a_job_that_was_overtaken_takes_nothing_back(home: Home) -> None:
    before = home.git("rev-parse", "HEAD")
    home.put("a", documentation={"description": "Newer."})
    home.commit("Newer")
    assert home.apply().code == 0
    home.git("checkout", "-q", before)
    ran = home.apply()
    assert ran.code == 2
    assert f"{before[:10]} is older than" in ran.err
    assert home.says("a") == "Newer."
    assert not (home.folder / ".lumos/sync/copy.jsonl").exists()
    assert home.sync("--apply", "--yes", "--older").code == 0
    assert home.says("a") == "The a."


def test_a_newer_tree_may_say_what_an_older_one_said(home: Home) -> None:
    home.put("a", documentation={"description": "Newer."})
    home.commit("Newer")
    assert home.apply().code == 0
    home.put("a", documentation={"description": "The a."})
    home.commit("Taken back")
    assert home.apply().code == 0
    assert home.says("a") == "The a."


def test_a_tree_that_is_older_and_in_line_has_nothing_to_do(home: Home) -> None:
    before = home.git("rev-parse", "HEAD")
    (home.folder / "notes.txt").write_text("x")
    home.commit("No metadata")
    home.put("a", documentation={"description": "Newer."})
    assert home.apply().code == 0
    home.git("stash", "-q")
    home.git("checkout", "-q", before)
    home.git("stash", "pop", "-q")
    assert home.apply().code == 0


@pytest.mark.parametrize("content", ["", "garbage\n"])
def test_a_base_that_a_power_cut_has_damaged_is_told_and_not_taken_for_none(
    home: Home, content: str
) -> None:
    ref = home.folder / ".git" / REF
    ref.write_text(content)
    before = home.names()
    home.file("a").unlink()
    ran = home.apply()
    assert (ran.code, f"{REF} is damaged" in ran.err, str(ref) in ran.err) == (3, True, True)
    assert home.names() == before
    ref.unlink()
    assert home.apply().code == 0
    assert home.names() == {"b", "c"}
