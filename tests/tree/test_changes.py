"""What differs between a tree and a commit."""

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

import lumos_snap as ls
from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.model.curated_metadata import Documentation
from lumos_snap.tree import Form, TreeChange
from tests.tree.conftest import FILE, KAFKA, ORDERS, git


def _by_path(changes: Iterable[TreeChange]) -> dict[str, TreeChange]:
    return {one.path: one for one in changes}


def test_an_untouched_tree_has_not_changed(shop: Path) -> None:
    (shop / FILE).touch()
    assert list(ls.open_tree(shop).changes()) == []


def test_changes_of_the_working_tree_have_both_sides(shop: Path) -> None:
    tree = ls.open_tree(shop)
    before = (shop / FILE).read_bytes()
    tree.write(replace(tree[ORDERS], documentation=Documentation(description="Now")))
    (shop / KAFKA).unlink()
    (shop / "snapshots/s3/new.json").write_text("{}")
    (shop / "snapshots/.hidden").write_text("")
    (shop / "lumos.yaml").write_text("version: 1\n")
    changed = _by_path(tree.changes())
    assert list(changed) == [FILE, KAFKA, "snapshots/s3/new.json"]
    orders = changed[FILE]
    assert (orders.before, orders.after) == (before, (shop / FILE).read_bytes())
    assert (orders.kind, str(orders.urn)) == (SNAPSHOT, ORDERS)
    assert (changed[KAFKA].after, changed[KAFKA].form_after) == (None, None)
    assert (changed["snapshots/s3/new.json"].before, changed["snapshots/s3/new.json"].after) == (
        None,
        b"{}",
    )


def test_a_link_on_one_side_is_told(shop: Path) -> None:
    before = (shop / KAFKA).read_bytes()
    (shop / KAFKA).unlink()
    (shop / KAFKA).symlink_to(shop / FILE)
    (changed,) = ls.open_tree(shop).changes()
    assert (changed.before, changed.after) == (before, None)
    assert (changed.form_before, changed.form_after) == (Form.FILE, Form.LINK)


def test_a_folder_of_documents_that_became_a_link_is_told(shop: Path, tmp_path: Path) -> None:
    (shop / "snapshots").rename(tmp_path / "elsewhere")
    (shop / "snapshots").symlink_to(tmp_path / "elsewhere")
    changed = _by_path(ls.open_tree(shop).changes())
    assert len(changed) == 13
    assert changed["snapshots"].form_after is Form.LINK
    assert (changed["snapshots"].kind, changed["snapshots"].urn) == (None, None)


def test_the_base_is_what_both_share_unless_told_otherwise(shop: Path) -> None:
    git(shop, "checkout", "-qb", "topic")
    (shop / KAFKA).unlink()
    git(shop, "commit", "-qam", "Topic")
    git(shop, "checkout", "-q", "main")
    shutil.rmtree(shop / "snapshots/iceberg")
    git(shop, "commit", "-qam", "Main")
    git(shop, "checkout", "-q", "topic")
    tree = ls.open_tree(shop)
    assert list(_by_path(tree.changes("main"))) == [KAFKA]
    assert list(_by_path(tree.at("topic").changes("main"))) == [KAFKA]
    assert len(list(tree.changes("main", merge_base=False))) > 1
    assert list(tree.at("main").changes("main")) == []


def test_between_commits_the_working_tree_plays_no_part(
    shop: Path, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / KAFKA).unlink()
    git(shop, "commit", "-qam", "Two")
    (shop / FILE).write_text("{")
    changed = _by_path(ls.open_tree(shop).at("HEAD").changes("HEAD~1"))
    assert list(changed) == [KAFKA]
    monkeypatch.setenv("GIT_DIR", str(bare))
    assert list(ls.open_tree(bare).at("main").changes("main")) == []


def test_an_unknown_base_is_never_no_change(shop: Path) -> None:
    with pytest.raises(ls.LumosError, match="nope: no such branch"):
        ls.open_tree(shop).changes("nope")
    with pytest.raises(ls.LumosError, match="nope: no such branch"):
        ls.open_tree(shop).changes("nope", merge_base=False)
