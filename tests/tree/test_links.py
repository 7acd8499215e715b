"""A repository may hold links anywhere: none of them leads a write, a removal or a read astray."""

import os
from pathlib import Path

import pytest

import lumos_snap as ls
from lumos_snap.tree.writer import open_writer
from tests.tree.conftest import FILE, KAFKA, ORDERS


def _contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("link", [".lumos", ".lumos/tmp", ".lumos/lock", ".lumos/.gitignore"])
@pytest.mark.parametrize("target", ["", "precious", "new"])
def test_links_in_our_own_folder_are_refused(
    shop: Path, victim: Path, link: str, target: str
) -> None:
    tree = ls.open_tree(shop)
    before, orders = _contents(victim), tree[ORDERS]
    (shop / link).parent.mkdir(exist_ok=True)
    (shop / link).symlink_to(victim / target)
    with pytest.raises(ls.OutsideError) as caught:
        tree.write(orders)
    assert caught.value.message.startswith(f"{link}: is a link")
    assert "remove the link" in caught.value.hint
    assert _contents(victim) == before


def test_a_link_into_the_tree_itself_is_refused_too(shop: Path) -> None:
    tree = ls.open_tree(shop)
    (shop / ".lumos").mkdir()
    (shop / ".lumos/tmp").symlink_to(shop / "entities/users")
    with pytest.raises(ls.OutsideError, match=r"\.lumos/tmp: is a link"):
        tree.remove(ORDERS)
    assert ORDERS in tree
    assert any((shop / "entities/users").iterdir())


def test_only_what_a_killed_writer_left_is_cleaned_away(tmp_path: Path, victim: Path) -> None:
    temporary = tmp_path / ".lumos/tmp"
    temporary.mkdir(parents=True)
    (temporary / "77-3").write_text("left behind")
    (temporary / "notes").write_text("no file of ours")
    (temporary / "5-5").symlink_to(victim / "precious")
    (temporary / "6-6").mkdir()
    with open_writer(tmp_path):
        pass
    assert sorted(path.name for path in temporary.iterdir()) == ["5-5", "6-6", "notes"]
    assert (victim / "precious").exists()


def test_git_leaves_our_folder_alone_even_after_a_kill(tmp_path: Path) -> None:
    (tmp_path / ".lumos").mkdir()
    (tmp_path / ".lumos/.gitignore").touch()
    with open_writer(tmp_path):
        pass
    assert (tmp_path / ".lumos/.gitignore").read_text() == "*\n"


@pytest.mark.parametrize("link", ["snapshots", "snapshots/iceberg", FILE])
def test_documents_behind_links_are_neither_read_nor_written(
    shop: Path, tmp_path: Path, link: str
) -> None:
    tree = ls.open_tree(shop)
    orders = tree[ORDERS]
    elsewhere = tmp_path / "elsewhere"
    (shop / link).rename(elsewhere)
    (shop / link).symlink_to(elsewhere)
    file = elsewhere / Path(FILE).relative_to(link) if link != FILE else elsewhere
    before = file.read_bytes()
    assert ORDERS not in tree
    assert tree.get(ORDERS) is None
    with pytest.raises(ls.OutsideError, match=f"{link}: is a link"):
        tree.write(orders)
    assert (file.read_bytes(), (shop / link).is_symlink()) == (before, True)


def test_a_removal_stays_in_the_tree(shop: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (shop / "snapshots").rename(elsewhere)
    (shop / "snapshots").symlink_to(elsewhere)
    with pytest.raises(ls.OutsideError, match="snapshots: is a link"):
        ls.open_tree(shop).remove(ORDERS)
    assert (elsewhere / Path(FILE).relative_to("snapshots")).exists()


def test_a_tree_whose_folder_is_a_link_is_not_an_empty_tree(shop: Path, tmp_path: Path) -> None:
    (shop / "snapshots").rename(tmp_path / "elsewhere")
    (shop / "snapshots").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ls.OutsideError, match="snapshots: is not a folder of documents: it is a l"):
        list(ls.open_tree(shop))


def test_a_pipe_is_no_document(shop: Path) -> None:
    (shop / KAFKA).unlink()
    os.mkfifo(shop / KAFKA)
    tree = ls.open_tree(shop)
    assert len(tree) == 11
    assert tree.get("lumos://kafka/prod/shop.orders.v1") is None
