"""What a tree answers about files that are not as they should be."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import lumos_snap as ls
from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.tree.files import Form, PathRemark
from tests.tree.conftest import FILE, KAFKA, ORDERS, git, nest


@pytest.mark.parametrize("urn", ["nope", "", "lumos://", "lumos://S3/a", "lumos://s3/a/../b", 5])
def test_what_is_no_urn_is_in_no_tree(shop: Path, urn: str) -> None:
    for tree in (ls.open_tree(shop), ls.open_tree(shop).at("main")):
        assert urn not in tree
        assert tree.get(urn) is None
        with pytest.raises(KeyError):
            tree[urn]


@pytest.mark.parametrize("urn", [ORDERS, ls.parse_urn(ORDERS)], ids=["text", "value"])
def test_a_urn_may_be_a_text_or_a_value(shop: Path, urn: str | ls.Urn) -> None:
    tree = ls.open_tree(shop)
    assert urn in tree
    assert tree[urn] == tree[ORDERS] == tree.get(urn)
    assert tree.observation(urn) == tree.observation(ORDERS)
    assert tree.get("nope", 5) == 5
    tree.remove(urn)
    assert urn not in tree


BREAKAGES: list[tuple[Callable[[str], str], str, str]] = [
    (
        lambda text: text.replace('"name"', '"platform": "iceberg",\n  "name"', 1),
        r"orders\.json:6:3: the key `platform` stands there twice",
        "keep one of them",
    ),
    (
        lambda text: text.replace("silver/orders", "silver/other").replace('"orders"', '"other"'),
        r"orders\.json:3:3: belongs at snapshots/iceberg/lake/silver/other\.json",
        "move it with `git mv`, or mend its urn or id",
    ),
    (
        lambda text: text.replace('"name": "orders"', '"name": "other"'),
        r"orders\.json:4:3: the urn says name `orders`, not `other`",
        "change the urn, or what contradicts it",
    ),
]


@pytest.mark.parametrize(("broken", "message", "hint"), BREAKAGES)
def test_a_file_with_any_problem_is_refused_with_its_fix(
    shop: Path, broken: Callable[[str], str], message: str, hint: str
) -> None:
    (shop / FILE).write_text(broken((shop / FILE).read_text()))
    tree = ls.open_tree(shop)
    for work in (lambda: tree[ORDERS], lambda: tree.get(ORDERS), lambda: tree.snapshot_at(FILE)):
        with pytest.raises(ls.LumosError, match=message) as caught:
            work()
        assert caught.value.hint == hint


def test_another_layout_is_no_problem(shop: Path) -> None:
    (shop / FILE).write_text(json.dumps(json.loads((shop / FILE).read_text())))
    tree = ls.open_tree(shop)
    assert tree[ORDERS] == tree.at("main")[ORDERS]


def test_what_the_tree_would_call_invalid_is_not_written(shop: Path) -> None:
    tree = ls.open_tree(shop)
    elsewhere = replace(tree[ORDERS], environment="DEV")
    with pytest.raises(ls.LumosError, match="environment `DEV` is not the tree's `PROD`"):
        tree.write(elsewhere)
    (shop / "lumos.yaml").write_text("version: [")
    with pytest.raises(ls.LumosError, match=r"lumos\.yaml:2:1: is not valid YAML"):
        ls.open_tree(shop).write(tree[ORDERS])
    assert git(shop, "status", "--short", "snapshots") == ""


def test_settings_are_those_of_the_tree_that_is_read(shop: Path) -> None:
    tree = ls.open_tree(shop)
    (shop / "lumos.yaml").write_text("version: 1\nenvironment: DEV\n")
    assert (tree.config.environment, tree.at("main").config.environment) == ("DEV", "PROD")
    git(shop, "commit", "-qam", "Two")
    (shop / "lumos.yaml").write_text("version: 2\n")
    git(shop, "commit", "-qam", "Three")
    git(shop, "rm", "-q", "lumos.yaml")
    git(shop, "commit", "-qm", "Four")
    assert tree.at("HEAD~2").config.environment == "DEV"
    with pytest.raises(ls.LumosError, match=r"HEAD~1:lumos\.yaml:1:1: `version` must be at most"):
        _ = tree.at("HEAD~1").config
    with pytest.raises(ls.LumosError, match=r"lumos\.yaml: is not in HEAD as a plain file"):
        _ = tree.at("HEAD").config
    assert [p.message for p in tree.at("HEAD").config_problems()] == [
        "is not in HEAD as a plain file"
    ]


def test_a_past_tree_is_not_removed_from(shop: Path) -> None:
    with pytest.raises(ls.LumosError, match="main cannot be written to"):
        ls.open_tree(shop).at("main").remove(ORDERS)
    assert (shop / FILE).exists()


def test_a_dataset_without_an_observation_is_removed(shop: Path) -> None:
    tree = ls.open_tree(shop)
    tree.remove("lumos://kafka/prod/shop.orders.v1")
    tree.remove("lumos://kafka/prod/shop.orders.v1")
    assert not (shop / "snapshots/kafka").exists()
    assert len(tree) == 11


def test_a_folder_that_cannot_be_listed_hides_nothing_else(shop: Path) -> None:
    deep = nest(shop / "snapshots", ["d" * 200] * 25)
    tree = ls.open_tree(shop)
    found = tree.files.found()
    assert len(found.documents) == 39
    (remark,) = found.unreadable
    assert remark == PathRemark(remark.path, "File name too long")
    assert deep.startswith(remark.path)
    with pytest.raises(ls.OutsideError, match="cannot be listed: File name too long"):
        tree.paths(SNAPSHOT)


ROOTS: list[tuple[str, Callable[[Path, Path], None], str]] = [
    ("dangling", lambda place, _: place.symlink_to("nowhere"), "it is a link"),
    ("link", lambda place, there: place.symlink_to(there), "it is a link"),
    (
        "file",
        lambda place, _: place.touch(),
        "it is a file where a folder should be",
    ),
]


@pytest.mark.parametrize(("_name", "plant", "why"), ROOTS)
def test_a_root_folder_that_is_none_is_said_in_the_folder_and_at_a_commit(
    shop: Path, tmp_path: Path, _name: str, plant: Callable[[Path, Path], None], why: str
) -> None:
    for folder in ("snapshots", "entities"):
        (shop / folder).rename(tmp_path / folder)
        plant(shop / folder, tmp_path / folder)
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "Odd")
    tree = ls.open_tree(shop)
    for one in (tree, tree.at("HEAD")):
        found = one.files.found()
        assert found.strays == (PathRemark("entities", why), PathRemark("snapshots", why))
        assert {path.partition("/")[0] for path in found.documents} == {"observations"}
        assert one.files.found(("entities/users",)).strays == (PathRemark("entities", why),)
        assert one.files.form("entities/users") in (Form.LINK, Form.OTHER)
        with pytest.raises(ls.OutsideError, match=why):
            list(one)


@pytest.mark.parametrize("place", ["snapshots", "snapshots/other"])
def test_a_repository_in_the_tree_is_no_part_of_it(shop: Path, bare: Path, place: str) -> None:
    if place == "snapshots":
        git(shop, "rm", "-rq", "snapshots")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(bare), place)
    git(shop, "commit", "-qm", "Odd")
    tree = ls.open_tree(shop)
    for one in (tree, tree.at("HEAD")):
        found = one.files.found()
        assert found.strays == (PathRemark(place, "it is a repository of its own"),)
        assert not [path for path in found.documents if path.startswith(place + "/")]
        assert one.files.read(f"{place}/lumos.yaml") is None


def test_every_stray_has_its_reason_however_it_is_met(shop: Path) -> None:
    expected = {
        "entities/odd/a.json": "it is in no folder of documents, such as `snapshots/` or "
        "`entities/users/`",
        "entities/b.json": "it is in no folder of documents, such as `snapshots/` or "
        "`entities/users/`",
        "snapshots/link.json": "it is a link",
        "snapshots/loop": "it is a link",
        "snapshots/notes.txt": "its name does not end in .json",
    }
    (shop / "entities/odd").mkdir()
    for path in ("entities/odd/a.json", "entities/b.json", "snapshots/notes.txt"):
        (shop / path).write_text("{}")
    (shop / "snapshots/link.json").symlink_to(shop / KAFKA)
    (shop / "snapshots/loop").symlink_to(shop / "snapshots")
    (shop / "snapshots/.hidden.json").write_text("{}")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "Odd")
    tree = ls.open_tree(shop)
    for one in (tree, tree.at("HEAD")):
        assert {stray.path: stray.why for stray in one.files.found().strays} == expected
        for path, why in expected.items():
            assert one.files.found((path,)).strays == (PathRemark(path, why),)
            assert one.files.found((path,)).documents == ()
        assert one.files.found(("snapshots/.hidden.json",)).documents == ()
        assert one.files.found(("snapshots/nope", f"{KAFKA}/below")).documents == ()
        assert one.files.form("snapshots/loop/kafka") is Form.LINK
    os.mkfifo(shop / "snapshots/pipe.json")
    assert tree.files.found(("snapshots/pipe.json",)).strays == (
        PathRemark("snapshots/pipe.json", "it is not a regular file"),
    )
