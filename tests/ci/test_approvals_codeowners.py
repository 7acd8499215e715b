"""CODEOWNERS, as GitHub documents its patterns."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.ci.approvals import matches, owners_of

COVERED = [
    ("*", "waivers/a.yaml"),
    ("*.yaml", "waivers/a.yaml"),
    ("/waivers/", "waivers/a.yaml"),
    ("waivers/", "metadata/waivers/a.yaml"),
    ("waivers", "metadata/waivers/a.yaml"),
    ("/waivers", "waivers/a.yaml"),
    ("waivers/*", "waivers/a.yaml"),
    ("/waivers/**", "waivers/deep/a.yaml"),
    ("**/waivers", "a/b/waivers/c.yaml"),
    ("metadata/**/a.yaml", "metadata/a.yaml"),
    ("metadata/**/a.yaml", "metadata/x/y/a.yaml"),
    ("waivers/?.yaml", "waivers/a.yaml"),
    ("/metadata", "metadata/waivers/a.yaml"),
    ("w*rs/", "waivers/a.yaml"),
    ("*a*a*.yaml", "waivers/banana.yaml"),
    ("*ab", "aab"),
    ("a*", "a"),
    ("?*?", "ab"),
]
NOT_COVERED = [
    ("/waivers/", "metadata/waivers/a.yaml"),
    ("waivers/*", "waivers/deep/a.yaml"),
    ("waivers/*", "metadata/waivers/a.yaml"),
    ("waivers/", "waivers"),
    ("/waivers/**", "waivers"),
    ("Waivers/", "waivers/a.yaml"),
    ("*.yml", "waivers/a.yaml"),
    ("/*", "waivers/a.yaml"),
    ("waivers/?.yaml", "waivers/ab.yaml"),
    ("aivers", "waivers/a.yaml"),
    ("*ab", "aba"),
    ("?*?", "a"),
    ("a*b*c", "acb"),
]


@pytest.mark.parametrize(("pattern", "path"), COVERED)
def test_a_pattern_covers(pattern: str, path: str) -> None:
    assert matches(pattern, path)


@pytest.mark.parametrize(("pattern", "path"), NOT_COVERED)
def test_a_pattern_does_not_cover(pattern: str, path: str) -> None:
    assert not matches(pattern, path)


@given(st.text("ab*?", min_size=1, max_size=8), st.text("ab", min_size=1, max_size=8))
def test_a_star_is_any_text_and_a_question_mark_any_character(pattern: str, name: str) -> None:
    regex = pattern.replace("*", ".*").replace("?", ".")
    if "**" not in pattern:  # which crosses folders
        assert matches(pattern, name) == bool(re.fullmatch(regex, name))


@pytest.mark.parametrize(
    ("text", "owners"),
    [
        ("* @all\n/waivers/ @sales @org/data\n", ("@sales", "@org/data")),
        ("/waivers/ @sales\n* @all\n", ("@all",)),  # the last match decides
        ("* @all\n/waivers/\n", ()),  # a line without owners takes them away
        ("# * @no\n\n* @all # the rest @no\n", ("@all",)),
        ("* @all\n!waivers/ @no\n[wx]aivers/ @no\n", ("@all",)),  # lines that GitHub skips
        ("my\\ waivers/ @no\n", ()),
        ("waivers/a.yaml jane@example.com\r\n", ("jane@example.com",)),
        ("", ()),
    ],
)
def test_the_last_line_that_matches_decides(text: str, owners: tuple[str, ...]) -> None:
    assert owners_of(text, "waivers/a.yaml") == owners


def test_a_space_is_kept_by_a_backslash() -> None:
    assert owners_of("my\\ waivers/ @sales\n", "my waivers/a.yaml") == ("@sales",)


def test_no_pattern_takes_long() -> None:
    since = time.monotonic()
    assert not matches("*a" * 300 + "b", "a" * 5_000)
    assert not matches("**/a/" * 300 + "b", "a/" * 2_000 + "c")
    assert time.monotonic() - since < 20
