"""What is said of a column stands where the tree has that column, and nowhere by chance."""

from typing import Any

import pytest

from lumos_snap.catalogs.sync.column_renames import follow_renames, places, update_base
from lumos_snap.catalogs.sync.policy import Rules, SyncPolicy
from lumos_snap.model.entities import Tag
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Document
from tests.catalogs.lake import clicks, edited, gold

NOTHING: dict[str, str] = {}


def table(columns: str, words: str = "", **more: Any) -> Document:
    """Columns as in `a1 b2`: a name and an id; words as in `a:x b:y`."""
    fields = [
        {"name": one.rstrip("0123456789"), "type": "INT64", "nullable": False}
        | ({"id": int(one.lstrip("abcdefgh"))} if one[-1].isdigit() else {})
        for one in columns.split()
    ]
    said = [
        dict(zip(("path", "description"), one.split(":"), strict=True)) for one in words.split()
    ]
    return edited(clicks(), schema={"fields": fields}, documentation={"fields": said}, **more)


def said(document: Document) -> str:
    fields = document.get("documentation", {}).get("fields", ())
    return " ".join(f"{one['path']}:{one['description']}" for one in fields)


@pytest.mark.parametrize(
    ("base", "tree", "there", "now"),
    [
        ("a1|a:x", "b1|a:x", "a1|a:y", "b:x|b:x|b:y"),
        ("a1|a:x", "b1|b:x", "a1|a:y", "b:x|b:x|b:y"),
        ("a1 b2|a:x b:z", "b1 a2|a:x b:z", "a1 b2|a:y b:z", "a:z b:x|a:z b:x|a:z b:y"),
        ("a1 b2|a:x b:z", "b1 a2|a:z b:x", "a1 b2|a:y b:z", "a:z b:x|a:z b:x|a:z b:y"),
        ("a1 b2|a:x b:z", "b1 c2|a:x b:z", "a1 b2|a:x b:y", "b:x c:z|b:x c:z|b:x c:y"),
        ("a1 b2|a:x", "b2|a:x", "a1 b2|a:y", "a:x|a:x|a:y"),
        ("a b|a:x", "c b|a:x", "a b|a:y", "a:x|a:x|a:y"),
        ("A|A:x", "a|A:x", "A|A:y", "a:x|a:x|a:y"),
        ("a1|a:x", "b1|a:z", "a1|a:y", "b:x|b:z|b:y"),
        ("a1|a:x", "b1|b:x", "b1|b:y", "b:x|b:x|b:y"),
    ],
    ids=[
        "renamed", "and the words moved by hand", "two that change names", "likewise, by hand",
        "a name that is given on", "dropped", "perhaps renamed", "letter case",
        "renamed, and other words under the old name", "renamed on both sides",
    ],
)  # fmt: skip
def test_each_side_speaks_of_columns_as_the_tree_calls_them(
    base: str, tree: str, there: str, now: str
) -> None:
    known, mine, held = (table(*side.split("|")) for side in (base, tree, there))
    found = follow_renames(Snapshot, known, mine, held, Rules())
    assert "|".join(map(said, (found.known or {}, found.mine, found.there))) == now


def test_what_contradicts_what_is_said_there_already_stays() -> None:
    declared: Any = {"contract": {"fields": [{"path": "b", "renamed_from": "a"}]}}
    tree, there = table("b", "b:x", **declared), table("b", "a:y b:x")
    found = follow_renames(Snapshot, tree, tree, there, Rules())
    assert (said(found.there), found.moved) == ("a:y b:x", NOTHING)
    found = follow_renames(Snapshot, tree, tree, table("b", "a:x b:x"), Rules())
    assert (said(found.there), found.moved) == ("b:x", {"a": "b"})


def test_a_declared_rename_is_that_of_the_tree() -> None:
    declared: Any = {"contract": {"fields": [{"path": "b", "renamed_from": "a"}]}}
    known, tree, there = table("b"), table("b", **declared), table("b", "a:y")
    found = follow_renames(Snapshot, known, tree, there, Rules())
    assert (said(found.there), found.moved) == ("b:y", {"a": "b"})


@pytest.mark.parametrize(("words", "now"), [("a:x", "a:x"), ("b:x", "b:x"), ("", "b:x")])
def test_a_base_follows_the_words_that_the_tree_has_moved(words: str, now: str) -> None:
    assert said(update_base(Snapshot, table("a1", "a:x"), table("b1", words), Rules())) == now


def test_marks_of_both_names_come_together() -> None:
    declared: Any = {"contract": {"fields": [{"path": "b", "renamed_from": "a"}]}}
    marks = [{"path": "a", "tags": ["one", "two"]}, {"path": "b", "tags": ["three", "two"]}]
    tree = table("b", **declared)
    found = follow_renames(Snapshot, tree, tree, table("b", governance={"fields": marks}), Rules())
    (mark,) = found.there["governance"]["fields"]
    assert mark == {"path": "b", "tags": ["one", "three", "two"]}


def test_where_the_catalog_says_what_columns_are_called_nothing_follows_the_tree() -> None:
    rules = Rules(policies={"schema": SyncPolicy.CATALOG})
    found = follow_renames(
        Snapshot, table("a1", "a:x"), table("b1", "a:x"), table("a1", "a:y"), rules
    )
    assert (said(found.there), found.moved) == ("a:y", NOTHING)


@pytest.mark.parametrize(("section", "moved"), [("schema", {"a": "b"}), ("documentation", NOTHING)])
def test_words_follow_with_the_columns_and_not_without_them(section: str, moved: Any) -> None:
    rules = Rules(sections=frozenset({section}))
    found = follow_renames(
        Snapshot, table("a1", "a:x"), table("b1", "a:x"), table("a1", "a:y"), rules
    )
    assert found.moved == moved


def test_other_documents_have_no_columns() -> None:
    found = follow_renames(Tag, gold(), gold(name="x"), gold(name="y"), Rules())
    assert (found.known, found.mine, found.there) == (gold(), gold(name="x"), gold(name="y"))


def test_places_of_items_go_along() -> None:
    held = frozenset(
        {
            ("governance", "fields", ("a",), "tags", ("one",)), ("governance", "fields", ("c",)),
            ("governance", "tags", ("a",)), ("ownership", "owners", (None, "a", "X")),
        }
    )  # fmt: skip
    assert places(held, {"a": "b"}) == frozenset(
        {
            ("governance", "fields", ("b",), "tags", ("one",)), ("governance", "fields", ("c",)),
            ("governance", "tags", ("a",)), ("ownership", "owners", (None, "a", "X")),
        }
    )  # fmt: skip


def test_where_git_wins_the_tree_is_taken_at_its_word() -> None:
    rules = Rules(policies={"documentation": SyncPolicy.GIT})
    known, mine, there = table("a1"), table("b1", "a:x"), table("a1", "a:y")
    found = follow_renames(Snapshot, known, mine, there, rules)
    assert (found.known, found.mine, found.there, found.moved) == (known, mine, there, {})
    assert found.tree(mine) == mine
