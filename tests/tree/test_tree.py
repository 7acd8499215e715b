"""The Python API on a real tree in a real repository."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import lumos_snap as ls
from lumos_snap.model.curated_metadata import Documentation
from lumos_snap.model.entities import Group, User
from lumos_snap.model.snapshot import Schema, Snapshot
from lumos_snap.model.types import Field, Kind
from tests.tree.conftest import FILE, ORDERS, git


def test_a_tree_is_a_mapping_from_urns_to_snapshots(shop: Path) -> None:
    tree = ls.open_tree(shop)
    assert isinstance(tree, Mapping)
    assert len(tree) == 12
    assert sorted(tree) == list(tree)
    assert tree[ORDERS].schema.fields[0].name == "order_id"
    assert ORDERS in tree
    assert "lumos://iceberg/lake/silver/nope" not in tree
    with pytest.raises(KeyError):
        tree["lumos://iceberg/lake/silver/nope"]


def test_a_tree_is_found_from_any_folder_below(shop: Path) -> None:
    assert ls.open_tree(shop / "snapshots/kafka").root == shop


def test_a_tree_is_read_as_it_was(shop: Path) -> None:
    tree = ls.open_tree(shop)
    before = tree[ORDERS]
    tree.write(replace(before, documentation=Documentation(description="Now")))
    (shop / "snapshots/kafka/prod/shop.orders.v1.json").unlink()
    assert tree[ORDERS].documentation.description == "Now"
    assert len(tree) == 11
    then = tree.at("main")
    assert then[ORDERS] == before
    assert len(then) == 12
    assert then.label == "main"
    assert git(shop, "status", "--short", "--branch").startswith("## main\n")


def test_every_snapshot_of_the_example_round_trips(shop: Path) -> None:
    tree = ls.open_tree(shop)
    for urn, snapshot in tree.items():
        path = "snapshots/" + ls.path_of(ls.parse_urn(urn))
        assert ls.encode(snapshot) == (shop / path).read_bytes()
        assert ls.decode(ls.encode(snapshot)) == snapshot
        assert ls.urn_of(path.removeprefix("snapshots/")) == ls.parse_urn(urn)


def test_entities_and_observations_are_beside_the_snapshots(shop: Path) -> None:
    tree = ls.open_tree(shop)
    jane = tree.entity(User, "jane.smith")
    assert jane is not None
    assert jane.id == "jane.smith"
    assert tree.entity(User, "nobody") is None
    assert {group.id for group in tree.entities(Group)} >= {"analytics", "data-platform"}
    observation = tree.observation(ORDERS)
    assert observation is not None
    assert observation.urn == ORDERS
    assert tree.observation("lumos://kafka/prod/shop.orders.v1") is None


def test_writing_changes_only_what_differs(shop: Path) -> None:
    tree = ls.open_tree(shop)
    assert tree.write(*tree.values()) == ()
    assert git(shop, "status", "--short") == ""


def test_nothing_invalid_is_ever_written(shop: Path) -> None:
    tree = ls.open_tree(shop)
    wrong = replace(tree[ORDERS], name="other")
    with pytest.raises(ls.LumosError, match=r"silver/orders\.json:.*the urn says name `orders`"):
        tree.write(wrong)
    assert git(shop, "status", "--short") == ""


def test_a_past_tree_cannot_be_written_to(shop: Path) -> None:
    tree = ls.open_tree(shop)
    with pytest.raises(ls.LumosError, match="main cannot be written to"):
        tree.at("main").write(tree[ORDERS])


def test_removing_takes_the_observation_too(shop: Path) -> None:
    tree = ls.open_tree(shop)
    tree.remove(ORDERS)
    assert ORDERS not in tree
    assert tree.observation(ORDERS) is None
    assert len(git(shop, "status", "--short").splitlines()) == 2


def test_a_broken_file_is_named_with_its_place(shop: Path) -> None:
    (shop / FILE).write_text('{"urn":\n 7}')
    with pytest.raises(ls.LumosError, match=r"silver/orders\.json:\d+:\d+: "):
        ls.open_tree(shop)[ORDERS]


def test_a_misplaced_file_is_no_dataset(shop: Path) -> None:
    (shop / "snapshots/Upper.json").write_text("{}")
    assert len(ls.open_tree(shop)) == 12


def test_a_bare_repository_is_read_at_a_ref(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(bare))
    assert len(ls.open_tree(bare).at("main")) == 12


def test_outside_a_tree_the_fix_is_named(tmp_path: Path) -> None:
    with pytest.raises(ls.LumosError) as caught:
        ls.open_tree(tmp_path)
    assert "lumos snap init" in caught.value.hint


def test_outside_a_repository_a_ref_means_nothing(shop: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(shop, copy)
    with pytest.raises(ls.LumosError, match="repository"):
        ls.open_tree(copy).at("main")


def test_one_changed_column_is_one_changed_line_ingit(shop: Path) -> None:
    fields = tuple(
        Field(name=f"column_{n}", type=Kind.INT32, nullable=True, description="a word")
        for n in range(300)
    )
    wide = Snapshot(
        lumos_version=ls.FORMAT_VERSION,
        urn="lumos://s3/lake/wide",
        name="wide",
        platform="s3",
        schema=Schema(fields=fields),
    )
    tree = ls.open_tree(shop)
    (path,) = tree.write(wide)
    git(shop, "add", path)
    git(shop, "commit", "-qm", "Wide")
    changed = (*fields[:150], replace(fields[150], type=Kind.INT64), *fields[151:])
    tree.write(replace(wide, schema=Schema(fields=changed)))
    assert git(shop, "diff", "--numstat").split() == ["1", "1", f"metadata/shop/{path}"]


def test_what_is_no_document_cannot_be_written(shop: Path) -> None:
    tree = ls.open_tree(shop)
    with pytest.raises(TypeError, match="Field is no document of a tree"):
        tree.write(Field(name="x", type=Kind.INT32, nullable=True))
    with pytest.raises(TypeError, match="int is no document"):
        tree.entity(int, "x")  # type: ignore[type-var] # what is tried here
    for path in ("lumos.yaml", ".git/hooks/pre-commit", "../x.json"):
        with pytest.raises(ls.LumosError, match="is no place for a document"):
            tree.write_bytes({path: b"{}"})
