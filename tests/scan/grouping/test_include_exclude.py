"""Globs, what they choose, and how those of one dataset become one."""

import pytest

from lumos_snap.scan.grouping.include_exclude import (
    PathFilter,
    compile_glob,
    leads_to,
    union_places,
)

MATCHES = [
    ("a/**/b", "a/b"),
    ("a/**/b", "a/x/y/b"),
    ("**", "a"),
    ("**", "a/b/c"),
    ("**/b", "b"),
    ("a/", "a/b/c"),
    ("./a/*", "a/b"),
    ("/a/*", "a/b"),
    ("a**b", "axxb"),
    ("[a-c]", "b"),
    ("[]]", "]"),
    ("[!]]", "a"),
    ("[^a]", "^"),
    ("[a-]", "-"),
    ("[z-a]", "[z-a]"),
    ("[ab", "[ab"),
    ("[]", "[]"),
    ("a.b", "a.b"),
    ("*", "a\nb"),
    ("*", "\udcff"),
    ("**/**/a", "a"),
    ("day=*/x", "day=1/x"),
]
MISSES = [
    ("a/**/b", "ab"),
    ("a/**/b", "a/xb"),
    ("a/**", "a"),
    ("*", "a/b"),
    ("?", "/"),
    ("[!a]", "/"),
    ("a.b", "axb"),
    ("a", "A"),
    ("a", "a\n"),
    ("[^a]", "b"),
    ("a**b", "a/b"),
]


@pytest.mark.parametrize(("glob", "path"), MATCHES)
def test_a_glob_matches(glob: str, path: str) -> None:
    assert compile_glob(glob)(path)


@pytest.mark.parametrize(("glob", "path"), MISSES)
def test_a_glob_does_not_match(glob: str, path: str) -> None:
    assert not compile_glob(glob)(path)


def test_without_globs_all_is_wanted() -> None:
    assert PathFilter().wants("a/b")
    assert PathFilter().may_hold("a/b")


def test_what_is_excluded_is_not_wanted_even_where_it_is_included() -> None:
    chosen = PathFilter(("raw/**",), ("**/tmp/", "**/*.bak"))
    assert chosen.wants("raw/a.csv")
    assert not chosen.wants("raw/x/tmp/a.csv")
    assert not chosen.wants("raw/a.bak")
    assert not chosen.wants("other/a.csv")


@pytest.mark.parametrize(
    ("include", "exclude", "folder", "expected"),
    [
        (["raw/**"], [], "", True),
        (["raw/**"], [], "raw", True),
        (["raw/**"], [], "raw/x/y", True),
        (["raw/**"], [], "other", False),
        (["raw/*/a.csv"], [], "raw/x", True),
        (["raw/*/a.csv"], [], "raw/x/y", False),
        (["*.csv"], [], "", True),
        (["*.csv"], [], "raw", False),
        (["**/x/*.csv"], [], "raw/y", True),
        ([], ["raw/tmp/"], "raw/tmp", False),
        ([], ["raw/tmp/"], "raw/tmp/x", False),
        ([], ["raw/tmp/"], "raw", True),
        ([], ["**/tmp/**"], "raw/tmp", False),
        ([], ["**"], "", False),
        ([], ["raw/tmp/*"], "raw/tmp", True),
        ([], ["**/*.bak"], "raw", True),
    ],
)
def test_folders_that_hold_nothing_wanted_are_known(include, exclude, folder, expected) -> None:
    assert PathFilter(tuple(include), tuple(exclude)).may_hold(folder) is expected


@pytest.mark.parametrize(
    ("names", "pattern", "expected"),
    [
        ((), "raw/events/*", True),
        (("raw",), "raw/events/*", True),
        (("raw", "events"), "raw/events/*", True),
        (("raw", "events", "x"), "raw/events/*", True),
        (("raw", "eventual"), "raw/events/*", False),
        (("ra",), "raw/events/*", False),
        (("other",), "raw/events/*", False),
        (("raw",), "raw", True),
        (("raw", "x"), "raw", False),
        (("raw",), "raw/clicks", True),
        (("raw",), "r*", True),
        (("raw",), "raw*", True),
        (("raw",), "raw/?", True),
        (("raw",), "[r]aw", True),
        (("other",), "*", True),
    ],
)
def test_folders_that_lead_to_no_wanted_dataset_are_known(names, pattern, expected) -> None:
    assert leads_to(names, pattern) is expected


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([("a", None)], ("a", None)),
        ([("a", "x*.csv")] * 2, ("a", "x*.csv")),
        ([("a", "x*.csv"), ("a", "x*.json")], ("a", "x*.{csv,json}")),
        ([("a", "x*.csv"), ("a", "x*")], ("a", "x*")),
        ([("a", "x*.csv"), ("a", "*x*.csv")], ("a", "*x*.csv")),
        ([("a", "x*.csv"), ("a", "*/x*.csv")], ("a", "{*/x*.csv,x*.csv}")),
        ([("a", "*/b/*"), ("a", "*/*/b/*")], ("a", "{*/*/b/*,*/b/*}")),
        ([("a/b", None), ("a", "b*.csv")], ("a", "{b*.csv,b/*}")),
        ([("a/b", None), ("a", "*/b/*")], ("a", "{*/b/*,b/*}")),
        ([("", None), ("a", None)], ("", None)),
        ([("ab", None), ("ac", None)], ("", "{ab/*,ac/*}")),
    ],
)
def test_places_of_one_dataset_become_one(places, expected) -> None:
    assert union_places(places) == expected
