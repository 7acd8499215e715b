"""Which tree a folder belongs to."""

import os
from pathlib import Path

import pytest

import lumos_snap as ls
from lumos_snap.tree import find_root
from tests.tree.conftest import ORDERS, git


def test_a_missing_folder_is_not_answered_from_around_it(shop: Path) -> None:
    with pytest.raises(ls.LumosError, match="snapshots/nope: there is no such folder"):
        find_root(shop / "snapshots/nope")
    with pytest.raises(ls.LumosError, match="snapshots/nope: there is no such folder"):
        ls.open_tree(shop / "snapshots/nope")


def test_a_file_is_no_folder(shop: Path) -> None:
    with pytest.raises(ls.LumosError, match=r"lumos\.yaml: is not a folder"):
        ls.open_tree(shop / "lumos.yaml")


def test_the_search_ends_at_the_top_of_the_repository(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "lumos.yaml").write_text("version: 1\n")
    assert find_root(tmp_path / "repo/..") == tmp_path
    assert ls.open_tree(shop / "snapshots").root == shop
    for folder in (tmp_path / "repo", tmp_path / "repo/metadata"):
        with pytest.raises(ls.LumosError, match=r"no lumos\.yaml in .* or above"):
            find_root(folder)
        with pytest.raises(ls.LumosError, match=r"no lumos\.yaml in .* or above"):
            ls.open_tree(folder)


def test_a_folder_that_only_looks_like_a_repository_is_passed(tmp_path: Path) -> None:
    (tmp_path / "lumos.yaml").write_text("version: 1\n")
    (tmp_path / "inner/.git").mkdir(parents=True)
    assert find_root(tmp_path / "inner") == tmp_path


def test_without_git_every_tree_is_found(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.fspath(tmp_path / "nothing"))
    assert ls.open_tree(shop / "snapshots/kafka")[ORDERS].name == "orders"
    with pytest.raises(ls.LumosError, match=r"no lumos\.yaml"):
        ls.open_tree(tmp_path / "repo")


def test_a_bare_repository_is_never_read_or_written_without_a_ref(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(bare))
    before = sorted(bare.rglob("*"))
    tree = ls.open_tree(bare)
    orders = tree.at("main")[ORDERS]
    for work in (
        lambda: tree[ORDERS],
        lambda: tree.get(ORDERS),
        lambda: ORDERS in tree,
        lambda: list(tree),
        lambda: tree.config,
        lambda: tree.observation(ORDERS),
        lambda: tree.write(orders),
        lambda: tree.remove(ORDERS),
        lambda: tree.changes("main"),
    ):
        with pytest.raises(ls.LumosError, match="a bare repository has no working tree") as caught:
            work()
        assert "--head or --at" in caught.value.hint
    assert sorted(bare.rglob("*")) == before


def test_a_bare_repository_inside_a_tree_is_a_folder_of_that_tree(shop: Path, bare: Path) -> None:
    (shop / "mirror.git").mkdir()
    git(shop, "clone", "-q", "--bare", str(bare), "mirror.git")
    assert ls.open_tree(shop / "mirror.git").root == shop


def test_a_bare_repository_must_be_named_in_the_environment(bare: Path) -> None:
    with pytest.raises(ls.LumosError, match=r"no lumos\.yaml") as caught:
        ls.open_tree(bare)
    assert f"GIT_DIR={bare}" in caught.value.hint


def test_a_name_that_no_system_can_look_up_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ls.OutsideError, match="File name too long"):
        ls.open_tree(tmp_path / ("d" * 5000))
