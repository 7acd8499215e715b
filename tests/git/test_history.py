"""The commits that touched some files."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lumos_snap.git import EntryKind, open_repository, resolve
from lumos_snap.git.history import LoggedCommit, TouchedFile, history
from tests.git.builder import Builder
from tests.git.odd_paths import ODD_PATHS


def _history(
    built: Builder, *under: str, folder: str = "", ref: str = "HEAD"
) -> tuple[LoggedCommit, ...]:
    repository = open_repository(built.path / folder)
    return history(repository, (resolve(repository, ref).id,), under=under)


def _commit(built: Builder, name: str, **env: str) -> str:
    built.git("add", "--all")
    subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "--allow-empty-message", "-m", name],
        cwd=built.path,
        env={**os.environ, **env},
        check=True,
    )
    return built.git("rev-parse", "HEAD")


def _at(day: int) -> dict[str, str]:
    date = f"2024-02-{day:02}T00:00:00+0000"
    return {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}


def test_each_commit_that_touched_a_file_is_told_newest_first(built: Builder):
    first = built.commit(a="1\n", b="1\n")
    second = built.commit(a="2\n")
    built.commit(b="2\n")
    (built.path / "a").unlink()
    third = built.commit()
    found = _history(built, "a")
    assert [one.id for one in found] == [third, second, first]
    assert [one.parents for one in found][-1] == ()
    sides = [(t.before, t.after) for one in found for t in one.touched]
    assert [after is None for _, after in sides] == [True, False, False]
    assert sides[1][0] == (sides[2][1],)
    assert found[-1].touched[0].is_new
    assert all(t.path == "a" for one in found for t in one.touched)


def test_a_folder_is_told_with_each_of_its_files(built: Builder):
    built.commit_files({"d/a": "1\n", "d/e/b": "1\n", "c": "1\n"})
    built.commit_files({"d/a": "2\n", "c": "2\n"})
    assert [[t.path for t in one.touched] for one in _history(built, "d")] == [
        ["d/a"],
        ["d/a", "d/e/b"],
    ]


def test_a_plain_merge_is_left_out(built: Builder):
    built.commit(a="1\n", b="1\n")
    built.git("checkout", "-qb", "side")
    side = built.commit(a="2\n")
    built.git("checkout", "-q", "main")
    main = built.commit(b="2\n")
    built.git("merge", "-q", "-m", "merge", "side")
    assert {one.id for one in _history(built)} >= {side, main}
    assert len(_history(built)) == 3


def test_a_merge_that_makes_something_new_is_told_with_all_parents(built: Builder):
    built.commit(a="1\n")
    built.git("checkout", "-qb", "side")
    built.commit(a="2\n")
    built.git("checkout", "-q", "main")
    built.commit(a="3\n")
    built.git("merge", "-q", "--no-commit", "-s", "ours", "side")
    merge = built.commit(a="4\n")
    found = _history(built, "a")
    assert found[0].id == merge
    ((touched,),) = [one.touched for one in found[:1]]
    assert len(touched.before) == 2
    assert {one.touched[0].after for one in found[1:3]} == set(touched.before)


def test_no_commit_stands_before_one_that_builds_on_it(built: Builder):
    built.write("a", "1\n")
    first = _commit(built, "first", **_at(20))
    built.write("a", "2\n")
    second = _commit(built, "second", **_at(10))
    assert [one.id for one in _history(built)] == [second, first]


@pytest.mark.parametrize("path", ODD_PATHS, ids=ascii)
def test_odd_paths_are_told_as_they_are(built: Builder, path: str):
    built.commit_files({path: "1\n"})
    built.commit_files({path: "2\n", "other": "\n"})
    assert [t.path for one in _history(built, path) for t in one.touched] == [path, path]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Zoë \u202e<x", "Zoë \u202ex"),
        ("with\ttab", "with\ttab"),
    ],
    ids=ascii,
)
def test_odd_authors_are_told_as_they_are(built: Builder, name: str, found: str):
    built.write("a")
    _commit(built, "first", GIT_AUTHOR_NAME=name)
    assert [one.author for one in _history(built)] == [found]


def test_an_author_may_have_no_name_and_a_commit_no_words(built: Builder):
    stream = (
        b"commit refs/heads/main\nauthor  <> 0 +0000\ncommitter  <> 1700000000 -0130\ndata 0\n"
        b"M 100644 inline a\ndata 2\nx\n\n"
    )
    built.git("fast-import", "--quiet", stdin=stream)
    (one,) = _history(built, ref="main")
    assert (one.author, one.mail, one.subject) == ("", "", "")
    assert (one.authored, one.time) == (0, 1_700_000_000)


def test_a_name_that_is_no_utf_8_survives(built: Builder):
    stream = (
        b"commit refs/heads/main\nauthor J\xfcrgen <j> 0 +0000\n"
        b"committer C <c> 0 +0000\ndata 2\n\xff\nM 100644 inline a\ndata 2\nx\n\n"
    )
    built.git("fast-import", "--quiet", stdin=stream)
    (one,) = _history(built, ref="main")
    assert os.fsencode(one.author) == b"J\xfcrgen"
    assert os.fsencode(one.subject) == b"\xff"


def test_a_subject_is_one_line_in_utf_8(built: Builder):
    built.write("a")
    built.git("add", "-A")
    built.git(
        "-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-qF", "-", stdin=b"caf\xe9\nau lait\n\nx"
    )
    assert [one.subject for one in _history(built)] == ["café au lait"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("log.showSignature", "true"),
        ("log.showRoot", "false"),
        ("diff.renames", "copies"),
        ("diff.relative", "true"),
        ("diff.orderFile", "/does/not/exist"),
        ("log.diffMerges", "first-parent"),
        ("format.pretty", "oneline"),
        ("log.follow", "true"),
        ("i18n.logOutputEncoding", "UTF-16"),
        ("color.ui", "always"),
        ("core.abbrev", "4"),
        ("diff.noprefix", "true"),
        ("log.date", "relative"),
    ],
)
def test_no_habit_of_a_user_plays_a_part(built: Builder, name: str, value: str):
    built.commit_files({"d/a": "1\n"})
    built.git("mv", "d/a", "d/b")
    built.commit()
    before = _history(built, "d")
    built.git("config", name, value)
    assert _history(built, "d") == before
    assert len(before) == 2


@pytest.mark.parametrize("options", [("--object-format=sha256",), ()], ids=["sha256", "sha1"])
def test_a_tree_below_the_top_sees_its_own_paths(new_repository: Callable[..., Builder], options):
    built = new_repository("other", *options)
    built.commit_files({"data/s/a": "1\n", "s/a": "1\n"})
    built.commit_files({"data/s/a": "2\n"})
    found = _history(built, "s", folder="data")
    assert [[t.path for t in one.touched] for one in found] == [["s/a"], ["s/a"]]
    assert len(found[0].id) == (64 if options else 40)


def test_a_bare_repository_has_a_history_too(built: Builder, monkeypatch: pytest.MonkeyPatch):
    built.commit(a="1\n")
    bare = built.clone("bare", "--bare")
    monkeypatch.setenv("GIT_DIR", str(bare.path))
    assert len(_history(bare, "a")) == 1


def test_a_ref_may_begin_with_a_dash(built: Builder):
    oid = built.commit(a="1\n")
    built.git("update-ref", "refs/heads/--all", oid)
    assert [one.id for one in _history(built, ref="--all")] == [oid]


def test_a_shallow_clone_says_where_it_ends(built: Builder):
    built.commit(a="1\n")
    second = built.commit(a="2\n")
    third = built.commit(a="3\n")
    found = _history(built.clone("clone", "--depth", "2"), "a")
    assert [(one.id, one.is_end) for one in found] == [(third, False), (second, True)]


def test_a_whole_clone_ends_nowhere(built: Builder):
    built.commit(a="1\n")
    assert [one.is_end for one in _history(built)] == [False]


def test_what_is_no_file_is_told_with_its_kind(built: Builder, tmp_path: Path):
    built.commit(a="1\n")
    (built.path / "a").unlink()
    (built.path / "a").symlink_to("b")
    built.commit()
    after = _history(built, "a")[0].touched[0].after
    assert after is not None
    assert after.kind is EntryKind.SYMLINK


def test_a_change_of_the_mode_alone_is_told(built: Builder):
    file = built.write("a")
    built.commit()
    file.chmod(0o755)
    built.commit()
    assert len(_history(built, "a")) == 2


def test_a_history_may_be_limited(built: Builder):
    ids = []
    for day in (1, 10, 20):
        built.write("a", f"{day}\n")
        ids.append(_commit(built, "x", **_at(day)))
    repository = open_repository(built.path)

    def found(**limits: object) -> list[str]:
        return [one.id for one in history(repository, (ids[-1],), **limits)]  # type: ignore[arg-type]

    assert found(excluded=(ids[0],)) == [ids[2], ids[1]]
    assert found(since="2024-02-05 00:00:00") == [ids[2], ids[1]]
    assert found(until="2024-02-15 00:00:00") == [ids[1], ids[0]]
    assert history(repository, ()) == ()


def test_a_path_that_never_was_has_no_history(built: Builder):
    built.commit(a="1\n")
    assert _history(built, "b") == ()


def test_a_new_file_was_nowhere_before():
    assert not TouchedFile("a", (None,), None).is_new
