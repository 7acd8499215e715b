"""What differs, between commits and up to the work tree."""

import os
import shutil
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import EntryKind, GitChange, changes, open_repository, read_changes
from tests.git.builder import Builder
from tests.git.odd_paths import ODD_PATHS


def _after(built: Builder, base: str = "HEAD", *, folder: str = "") -> dict[str, bytes | None]:
    """The content of every changed path; None where it is gone."""
    repository = open_repository(built.path / folder)
    return {one.path: one.after for one in read_changes(repository, changes(repository, base))}


def _paths(found: Sequence[GitChange]) -> list[str]:
    return [change.path for change in found]


@pytest.fixture
def tracked(built: Builder) -> Builder:
    """Files `a` to `e`, committed."""
    built.commit(a="a\n", b="b\n", c="c\n", d="d\n", e="e\n")
    return built


# Between two commits


def test_two_commits_differ_in_what_was_changed_added_and_removed(tracked: Builder):
    before = tracked.git("rev-parse", "HEAD")
    (tracked.path / "b").unlink()
    after = tracked.commit(a="new\n", f="f\n")
    repository = open_repository(tracked.path)
    found = changes(repository, before, head=after)
    assert _paths(found) == ["a", "b", "f"]
    contents = [(one.path, one.before, one.after) for one in read_changes(repository, found)]
    assert contents == [("a", b"a\n", b"new\n"), ("b", b"b\n", None), ("f", None, b"f\n")]


def test_a_moved_file_is_a_removal_and_an_addition(tracked: Builder):
    before = tracked.git("rev-parse", "HEAD")
    tracked.git("mv", "a", "z")
    after = tracked.commit()
    assert _paths(changes(open_repository(tracked.path), before, head=after)) == ["a", "z"]


def test_two_commits_of_a_bare_repository_differ_too(
    tracked: Builder, monkeypatch: pytest.MonkeyPatch
):
    tracked.commit(a="new\n")
    bare = tracked.clone("bare", "--bare").path
    monkeypatch.setenv("GIT_DIR", str(bare))
    repository = open_repository(bare)
    before, after = tracked.git("rev-parse", "HEAD~1", "HEAD").split()
    assert _paths(changes(repository, before, head=after)) == ["a"]
    with pytest.raises(LumosError, match="no work tree") as caught:
        changes(repository, before)
    assert "--head" in caught.value.hint


def test_sha256_repositories_are_read(new_repository: Callable[..., Builder]):
    built = new_repository("sha256", "--object-format=sha256")
    before = built.commit(x="1", y="1")
    after = built.commit(x="2")
    built.write("y", "2")
    repository = open_repository(built.path)
    assert _paths(changes(repository, before, head=after)) == ["x"]
    assert _after(built, before) == {"x": b"2", "y": b"2"}


def test_a_change_of_nothing_but_the_mode_is_not_read(tracked: Builder):
    before = tracked.git("rev-parse", "HEAD")
    (tracked.path / "a").chmod(0o755)
    assert _paths(changes(open_repository(tracked.path), before)) == ["a"]
    assert _after(tracked, before) == {}
    after = tracked.commit()
    repository = open_repository(tracked.path)
    found = changes(repository, before, head=after)
    assert _paths(found) == ["a"]
    assert list(read_changes(repository, found)) == []


def test_a_submodule_that_moved_is_marked(built: Builder, new_repository: Callable[..., Builder]):
    inner = new_repository("inner")
    inner.commit(x="1")
    built.git("submodule", "add", "--quiet", str(inner.path), "sub")
    before = built.commit()
    Builder(built.path / "sub").commit(x="2")
    built.write("sub/untracked")
    repository = open_repository(built.path)
    (change,) = changes(repository, before)
    assert change.before is not None
    assert change.after is not None
    assert (change.path, change.after.kind) == ("sub", EntryKind.SUBMODULE)
    (contents,) = read_changes(repository, [change])
    assert (contents.before, contents.after) == (None, None)


# Up to the work tree


def test_the_work_tree_counts_staged_or_not(tracked: Builder):
    tracked.write("a", "unstaged")
    tracked.write("b", "staged")
    tracked.git("add", "b")
    tracked.write("c", "staged")
    tracked.git("add", "c")
    tracked.write("c", "and changed again")
    (tracked.path / "d").unlink()
    tracked.git("rm", "--quiet", "e")
    tracked.write("new/nested/f", "untracked")
    tracked.write("g", "added")
    tracked.git("add", "g")
    assert _after(tracked) == {
        "a": b"unstaged",
        "b": b"staged",
        "c": b"and changed again",
        "d": None,
        "e": None,
        "g": b"added",
        "new/nested/f": b"untracked",
    }


def test_an_unchanged_work_tree_has_no_changes(tracked: Builder):
    assert changes(open_repository(tracked.path), "HEAD") == ()


def test_what_was_staged_and_then_deleted_is_gone(tracked: Builder):
    tracked.write("a", "staged")
    tracked.write("f", "staged")
    tracked.git("add", "a", "f")
    (tracked.path / "a").unlink()
    (tracked.path / "f").unlink()
    assert _after(tracked) == {"a": None}


def test_a_staged_change_that_was_undone_on_disk_is_none(tracked: Builder):
    tracked.write("a", "staged")
    tracked.git("add", "a")
    tracked.write("a", "a\n")
    assert changes(open_repository(tracked.path), "HEAD") == ()


def test_a_file_that_only_the_index_lost_is_still_there(tracked: Builder):
    tracked.git("rm", "--quiet", "--cached", "a", "b")
    tracked.write("b", "changed")
    assert _after(tracked) == {"b": b"changed"}


def test_a_file_that_is_to_be_added_is_new(tracked: Builder):
    tracked.write("f", "intended")
    tracked.git("add", "--intent-to-add", "f")
    assert _after(tracked) == {"f": b"intended"}


def test_a_touched_file_is_no_change_and_the_index_stays_as_it_is(tracked: Builder):
    index = tracked.path / ".git" / "index"
    os.utime(tracked.path / "a", (1, 1))
    before = index.read_bytes()
    assert changes(open_repository(tracked.path), "HEAD") == ()
    assert index.read_bytes() == before


def test_a_locked_index_does_not_matter(tracked: Builder):
    (tracked.path / ".git" / "index.lock").touch()
    tracked.write("a", "changed")
    assert _after(tracked) == {"a": b"changed"}


def test_ignored_files_are_not_new(tracked: Builder):
    tracked.write(".gitignore", "*.log\nbuild/\n")
    tracked.write("x.log")
    tracked.write("build/y")
    assert list(_after(tracked)) == [".gitignore"]


def test_a_repository_inside_is_not_part_of_this_one(tracked: Builder):
    Builder(tracked.path).git("init", "--quiet", "inner")
    Builder(tracked.path / "inner").commit(x="1")
    assert changes(open_repository(tracked.path), "HEAD") == ()


def test_a_conflict_is_what_lies_on_disk(tracked: Builder):
    tracked.git("switch", "--quiet", "--create", "theirs")
    (tracked.path / "b").unlink()
    theirs = tracked.commit(a="theirs\n", c="theirs\n", new="theirs\n")
    tracked.git("switch", "--quiet", "main")
    (tracked.path / "c").unlink()
    ours = tracked.commit(a="ours\n", b="ours\n", new="ours\n")
    base = tracked.git("merge-base", ours, theirs)
    tracked.git("merge", "theirs", check=False)
    found = _after(tracked, base)
    assert list(found) == ["a", "b", "c", "new"]
    assert (found["b"], found["c"]) == (b"ours\n", b"theirs\n")
    assert b"<<<<<<<" in (found["a"] or b"")
    assert b"<<<<<<<" in (found["new"] or b"")
    (tracked.path / "a").unlink()
    (tracked.path / "new").unlink()
    assert _after(tracked, base) == {"a": None, "b": b"ours\n", "c": b"theirs\n"}


def test_files_that_a_sparse_checkout_leaves_out_are_not_deleted(built: Builder):
    before = built.commit_files({"in/x": "1", "out/y": "1", "out/z": "1"})
    built.commit_files({"out/z": "2"})
    built.git("sparse-checkout", "set", "in")
    assert not (built.path / "out").exists()
    assert _after(built, before) == {"out/z": b"2"}


def test_files_that_are_marked_to_be_skipped_are_not_deleted(tracked: Builder):
    tracked.git("update-index", "--skip-worktree", "a")
    (tracked.path / "a").unlink()
    assert changes(open_repository(tracked.path), "HEAD") == ()


def test_line_ends_that_git_converts_are_no_change(built: Builder):
    built.commit(a="1\n2\n", b="1\n2\n")
    built.git("config", "core.autocrlf", "true")
    built.write("a", "1\r\n2\r\n")
    built.write("b", "1\r\n3\r\n")
    assert _after(built) == {"b": b"1\r\n3\r\n"}


@pytest.mark.parametrize("how", ["clean", "process"])
def test_no_filter_runs(built: Builder, tmp_path: Path, how: str):
    """An attribute of the tree must not decide which program of the machine runs."""
    ran = tmp_path / "ran"
    built.commit_files({"x.txt": "words\n"})
    built.git("config", f"filter.a.b.{how}", f"echo ran >> '{ran}'; cat")
    built.git("config", "filter.a.b.required", "true")
    (built.path / ".gitattributes").write_text("*.txt filter=a.b\n")
    os.utime(built.path / "x.txt", (1, 1))
    found = changes(open_repository(built.path), "HEAD")
    assert [change.path for change in found] == [".gitattributes"]
    assert not ran.exists()


def test_a_file_that_became_a_symlink_is_marked(tracked: Builder):
    (tracked.path / "a").unlink()
    (tracked.path / "a").symlink_to("b")
    (tracked.path / "f").symlink_to("/etc/passwd")
    repository = open_repository(tracked.path)
    found = changes(repository, "HEAD")
    kinds = {change.path: change.after.kind for change in found if change.after}
    assert kinds == {"a": EntryKind.SYMLINK, "f": EntryKind.SYMLINK}
    contents = [(one.path, one.before, one.after) for one in read_changes(repository, found)]
    assert contents == [("a", b"a\n", None), ("f", None, None)]


def test_a_folder_that_became_a_file_loses_its_files(built: Builder):
    built.commit_files({"d/x": "1", "d/y": "1", "f": "1"})
    shutil.rmtree(built.path / "d")
    built.write("d", "file")
    (built.path / "f").unlink()
    built.write("f/z", "2")
    assert _after(built) == {"d": b"file", "d/x": None, "d/y": None, "f": None, "f/z": b"2"}


def test_a_folder_that_became_a_symlink_loses_its_files(built: Builder, tmp_path: Path):
    built.commit_files({"d/x": "1", "e": "1"})
    shutil.move(built.path / "d", tmp_path / "elsewhere")
    (built.path / "d").symlink_to(tmp_path / "elsewhere")
    repository = open_repository(built.path)
    found = changes(repository, "HEAD")
    assert _paths(found) == ["d", "d/x"]
    assert [one.after for one in read_changes(repository, found)] == [None, None]


def test_a_limit_behind_a_symlink_does_not_follow_it(built: Builder, tmp_path: Path):
    built.commit_files({"d/x": "1"})
    shutil.move(built.path / "d", tmp_path / "elsewhere")
    (built.path / "d").symlink_to(tmp_path / "elsewhere")
    found = changes(open_repository(built.path), "HEAD", under=("d/x",))
    assert [(change.path, change.after) for change in found] == [("d/x", None)]


def test_a_file_that_became_a_pipe_is_gone_and_nobody_waits(tracked: Builder):
    (tracked.path / "a").unlink()
    os.mkfifo(tracked.path / "a")
    os.mkfifo(tracked.path / "pipe")
    assert _after(tracked) == {"a": None}


def test_a_file_may_vanish_between_listing_and_reading(tracked: Builder):
    tracked.write("a", "changed")
    tracked.write("new", "untracked")
    repository = open_repository(tracked.path)
    found = changes(repository, "HEAD")
    (tracked.path / "a").unlink()
    (tracked.path / "new").unlink()
    assert _paths(found) == ["a", "new"]
    contents = [(one.path, one.before, one.after) for one in read_changes(repository, found)]
    assert contents == [("a", b"a\n", None)]


def test_a_file_that_may_not_be_read_is_an_error(tracked: Builder):
    tracked.write("new", "secret").chmod(0)
    repository = open_repository(tracked.path)
    found = changes(repository, "HEAD")
    user = os.geteuid()
    if user == 0:  # root may read everything
        os.seteuid(65534)
    try:
        with pytest.raises(OutsideError, match=r"new: cannot be read: Permission denied"):
            list(read_changes(repository, found))
    finally:
        os.seteuid(user)


def test_a_file_that_became_a_socket_is_gone(tracked: Builder, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tracked.path)  # the path of a socket is short
    (tracked.path / "a").unlink()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a")
        assert _after(tracked) == {"a": None}


def test_odd_paths_are_compared(built: Builder):
    half = len(ODD_PATHS) // 2
    built.commit_files(dict.fromkeys(ODD_PATHS[:half], "old"))
    for path in ODD_PATHS:
        built.write(path, "new")
    assert _after(built) == dict.fromkeys(sorted(ODD_PATHS), b"new")
    for path in ODD_PATHS[:half]:
        built.write(path, "old")
    assert set(_after(built)) == set(ODD_PATHS[half:])


@pytest.mark.parametrize("folder", ["data", "[data]*", ":data", "-data", "dä ta"])
def test_only_the_folder_counts(built: Builder, folder: str):
    built.commit_files({f"{folder}/x": "1", "d/x": "1", "other": "1"})
    for path in (f"{folder}/x", f"{folder}/new", "d/x", "other", f"{folder}base"):
        built.write(path, "2")
    assert _after(built, folder=folder) == {"new": b"2", "x": b"2"}
    repository = open_repository(built.path)
    found = changes(repository, "HEAD", under=(folder, "other"))
    assert set(_paths(found)) == {f"{folder}/new", f"{folder}/x", "other"}


def test_a_linked_worktree_is_compared_on_its_own(tracked: Builder, tmp_path: Path):
    tracked.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    linked = Builder(tmp_path / "linked")
    linked.write("a", "changed")
    assert _after(linked) == {"a": b"changed"}
    assert _after(tracked) == {}


def test_an_index_that_is_damaged_is_an_error(tracked: Builder):
    (tracked.path / ".git" / "index").write_bytes(b"damaged")
    with pytest.raises(OutsideError, match="git diff-index failed"):
        changes(open_repository(tracked.path), "HEAD")


HOSTILE_CONFIG = {
    "color.ui": "always",
    "core.quotePath": "true",
    "core.pager": "false",
    "diff.external": "false",
    "diff.renames": "copies",
    "diff.noprefix": "true",
    "diff.relative": "true",
    "diff.ignoreSubmodules": "all",
    "diff.orderFile": "/dev/null",
    "diff.x.textconv": "false",
    "core.abbrev": "4",
    "status.showUntrackedFiles": "no",
    "status.relativePaths": "true",
    "log.showSignature": "true",
    "core.preloadIndex": "false",
}


def test_neither_configuration_nor_language_changes_the_answer(
    tracked: Builder, monkeypatch: pytest.MonkeyPatch
):
    before = tracked.git("rev-parse", "HEAD")
    tracked.git("mv", "a", "z")
    after = tracked.commit_files({".gitattributes": "* diff=x\n", "ü": "1"})
    tracked.write("new", "untracked")
    tracked.write("b", "changed")
    repository = open_repository(tracked.path)
    expected = (changes(repository, before, head=after), changes(repository, before))
    for name, value in HOSTILE_CONFIG.items():
        tracked.git("config", name, value)
    for name in ("LANG", "LC_ALL", "LANGUAGE"):
        monkeypatch.setenv(name, "de_DE.UTF-8")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    monkeypatch.setenv("GIT_ICASE_PATHSPECS", "1")
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "0")
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=0")
    assert (changes(repository, before, head=after), changes(repository, before)) == expected


def test_the_same_question_has_the_same_answer(tracked: Builder):
    for name in ("z", "y", "x", "a", "c"):
        tracked.write(name, "changed")
    repository = open_repository(tracked.path)
    first, second = changes(repository, "HEAD"), changes(repository, "HEAD")
    assert first == second
    assert _paths(first) == ["a", "c", "x", "y", "z"]


def test_reading_leaves_the_repository_as_it_is(tracked: Builder):
    tracked.write("a", "changed")
    os.utime(tracked.path / "b", (1, 1))

    def state() -> dict[str, bytes]:
        files = (file for file in (tracked.path / ".git").rglob("*") if file.is_file())
        return {str(file): file.read_bytes() for file in files}

    before = state()
    assert _after(tracked) == {"a": b"changed"}
    assert state() == before
