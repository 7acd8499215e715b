"""What a commit holds."""

from collections.abc import Callable

import pytest

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import EntryKind, names, open_repository
from tests.git.builder import Builder
from tests.git.odd_paths import ODD_PATHS


def test_every_file_is_named_with_its_mode_and_id(built: Builder):
    commit = built.commit_files({"b": "same\n", "a/c": "same\n"})
    found = names(open_repository(built.path), commit)
    assert list(found) == ["a/c", "b"]
    assert found["b"] == found["a/c"] == ("100644", built.git("rev-parse", "HEAD:b"))
    assert found["b"].kind is EntryKind.FILE


def test_odd_paths_come_back_as_they_are(built: Builder):
    commit = built.commit_files(dict.fromkeys(ODD_PATHS, "1"))
    assert set(names(open_repository(built.path), commit)) == set(ODD_PATHS)


def test_symlinks_and_submodules_are_marked(built: Builder, new_repository: Callable[..., Builder]):
    inner = new_repository("inner")
    inner.commit(x="1")
    built.git("submodule", "add", "--quiet", str(inner.path), "data/sub")
    built.write("data/x")
    (built.path / "data" / "link").symlink_to("x")
    commit = built.commit()
    found = names(open_repository(built.path / "data"), commit)
    kinds = {path: entry.kind for path, entry in found.items()}
    assert kinds == {"link": EntryKind.SYMLINK, "sub": EntryKind.SUBMODULE, "x": EntryKind.FILE}


def test_paths_are_relative_to_the_folder_and_limited_to_it(built: Builder):
    commit = built.commit_files({"data/x": "1", "data/sub/y": "2", "database/z": "3", "w": "4"})
    assert list(names(open_repository(built.path / "data"), commit)) == ["sub/y", "x"]


@pytest.mark.parametrize(
    ("under", "expected"),
    [
        ((), ["a", "data/sub/y", "data/x", "database"]),
        (("data",), ["data/sub/y", "data/x"]),
        (("data/",), ["data/sub/y", "data/x"]),
        (("./data/sub", "a"), ["a", "data/sub/y"]),
        ((".",), ["a", "data/sub/y", "data/x", "database"]),
        (("data/x",), ["data/x"]),
        (("nothing", "d*"), []),
    ],
)
def test_a_listing_can_be_limited(built: Builder, under: tuple[str, ...], expected: list[str]):
    commit = built.commit_files({"data/x": "1", "data/sub/y": "2", "database": "3", "a": "4"})
    assert list(names(open_repository(built.path), commit, under)) == expected


@pytest.mark.parametrize("path", ["../x", "/etc", "a/../../x"])
def test_a_limit_stays_below_the_folder(built: Builder, path: str):
    commit = built.commit(x="1")
    with pytest.raises(LumosError, match="not a path below"):
        names(open_repository(built.path), commit, (path,))


def test_a_commit_that_is_not_there_is_an_error(built: Builder):
    built.commit(x="1")
    with pytest.raises(OutsideError, match="git ls-tree failed"):
        names(open_repository(built.path), "1" * 40)
