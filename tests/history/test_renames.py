"""A column's name before a change, and what touches it: the pure parts."""

import pytest

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.diff import diff
from lumos_snap.history.renames import differences, is_inside, path_before, touches
from lumos_snap.model.snapshot import Snapshot
from tests.history.conftest import URN, column, document, struct

OLD = document(struct("page", column("url", id=2), column("n", id=3), id=1), column("gone"))
NEW = document(
    struct("site", column("link", id=2), column("n", id=3), column("x"), id=1), column("y")
)
FACTS = diff(*(canonical_document(one, Snapshot) for one in (OLD, NEW)))


@pytest.mark.parametrize(
    ("now", "was"),
    [
        ("site", "page"),
        ("site.link", "page.url"),
        ("site.n", "page.n"),
        ("site.x", ""),
        ("y", ""),
        ("other", "other"),
    ],
)
def test_the_innermost_change_of_a_name_counts(now: str, was: str) -> None:
    assert path_before(FACTS, now) == was


def test_a_moved_column_was_elsewhere() -> None:
    old = document(column("a", id=1), struct("page", column("n", id=3), id=2))
    new = document(struct("page", column("n", id=3), column("a", id=1), id=2))
    facts = diff(*(canonical_document(one, Snapshot) for one in (old, new)))
    assert path_before(facts, "page.a") == "a"
    assert path_before(facts, "page.n") == "page.n"


def test_a_column_is_touched_by_what_is_inside_and_around_it() -> None:
    def touching(path: str, was: str) -> set[tuple[str, str]]:
        return {(f.action.value, f.path) for f in FACTS if touches(f, path, was)}

    assert touching("site.n", "page.n") == {("renamed", "site")}
    assert ("added", "site.x") in touching("site", "page")
    assert touching("y", "") == {("added", "y")}
    assert touching("gone", "gone") == {("removed", "gone")}


@pytest.mark.parametrize(
    ("path", "around", "inside"),
    [
        ("a.b", "a", True),
        ("a", "a", True),
        ("ab", "a", False),
        ("a[]", "a", True),
        ("a{}.b", "a{}", True),
        ("a", "a.b", False),
        ("`a.b`", "a", False),
        ("", "a", False),
        ("a b", "a", False),
    ],
)
def test_inside_is_told_by_steps(path: str, around: str, inside: bool) -> None:
    assert is_inside(path, around) is inside


def test_with_one_parent_everything_is_its_own() -> None:
    (found,) = differences(URN, [OLD], NEW)
    assert found.own == found.comparison.facts


def test_a_merge_of_what_one_parent_already_was_says_nothing() -> None:
    found = differences(URN, [OLD, NEW], NEW)
    assert [one.own for one in found] == [(), ()]


def test_an_octopus_says_only_what_no_parent_said() -> None:
    one = document(column("a", "INT64"), column("b"))
    other = document(column("a"), column("b", "INT64"))
    third = document(column("a"), column("b"))
    merged = document(column("a", "INT64"), column("b", "INT64"), column("c"))
    found = differences(URN, [one, other, third], merged)
    assert [(f.action.value, f.path) for each in found for f in each.own] == [("added", "c")]
