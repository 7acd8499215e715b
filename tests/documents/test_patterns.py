"""Patterns of settings: what they match, what is not supported, and that they come to an end."""

import re
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.documents.patterns import (
    PatternError,
    matches_dataset,
    regular_expression,
    wildcards,
)
from lumos_snap.scan.grouping.include_exclude import compile_glob
from lumos_snap.scan.grouping.templates import parse_template
from tests.measurement import LUMOS, measured
from tests.strategies import LAW

SUPPORTED = [
    "[a-z][a-z0-9_]*",
    "(dim|fact)_[a-z]+(_[a-z]+)*",
    r"\w+",
    r"[a-z]{1,64}(?:_id)?",
    "(?i)[a-z]+",
    "^[a-z]+$",
    r"(?P<layer>raw|gold)_\d{2,4}",
]
NAMES = ["orders", "fact_orders_daily", "Orders", "raw_2024", "é", "", "a b", "x" * 64, "x" * 65]


@pytest.mark.parametrize("pattern", SUPPORTED)
@pytest.mark.parametrize("name", NAMES)
def test_a_pattern_means_what_it_means_in_python(pattern: str, name: str) -> None:
    assert regular_expression(pattern)(name) == (re.fullmatch(pattern, name) is not None)


UNSUPPORTED = {
    "(?=a)b": "look-around",
    "(?<!a)b": "look-around",
    r"(a)\1": "backreferences are not supported",
    "(?P<a>x)(?P=a)": "unrecognized",
    "[a-z": "unclosed character class",
    "a)|(b": "unopened group",
    "(?x)a #": "unclosed group",
    "(": "unclosed group",
    "*a": "repetition operator missing expression",
    "((a{0,100}){0,100}){0,100}": "is too large",
    r"\w{1,255}": "is too large",
    "a" * 1_001: "is longer than 1,000 characters",
}


@pytest.mark.parametrize("pattern", UNSUPPORTED)
def test_what_is_not_supported_is_refused_with_its_reason(pattern: str) -> None:
    with pytest.raises(PatternError, match=UNSUPPORTED[pattern]):
        regular_expression(pattern)


CATASTROPHES = [
    ("(a|a)*b", "a" * 200),
    ("(a*)*b", "a" * 200),
    ("(a+)+b", "a" * 200),
    ("(x+x+)+y", "x" * 200),
    ("(a|aa)+b", "a" * 200),
    ("(.*a){12}b", "a" * 200),
    ("(a{0,30}){0,30}", "a" * 200 + "!"),
    ("[ab]*a[ab]{100}", "ab" * 120 + "!"),
]


@pytest.mark.parametrize(("pattern", "name"), CATASTROPHES, ids=[one for one, _ in CATASTROPHES])
def test_no_pair_of_a_pattern_and_a_name_takes_long(pattern: str, name: str) -> None:
    started = time.monotonic()
    is_right = regular_expression(pattern)
    assert not any(is_right(f"{n}{name}"[:255]) for n in range(100))
    assert time.monotonic() - started < 5


def test_a_very_long_name_matches_no_pattern() -> None:
    assert regular_expression("a*")("a" * 255)
    assert not regular_expression("a*")("a" * 256)


GLOBS = [
    "*a" * 30 + "b",
    "**a" * 30 + "b",
    "**/a/" * 30 + "b",
    "*?" * 30 + "b",
    "*[a-z]" * 30 + "/b",
]


@pytest.mark.parametrize("glob", GLOBS)
@pytest.mark.parametrize("path", ["a" * 4_000, "a/" * 2_000])
def test_no_pair_of_a_glob_and_a_path_takes_long(glob: str, path: str) -> None:
    started = time.monotonic()
    assert not matches_dataset(glob, path)
    assert not compile_glob(glob)(path)
    assert time.monotonic() - started < 5


def test_no_pair_of_a_template_and_a_path_takes_long() -> None:
    started = time.monotonic()
    template = parse_template("/{a}_{b}_{c}_{dataset}_x.csv")
    assert template.read("_" * 1_000) is None
    assert template.read("1_2_3_4_x.csv") is not None
    assert time.monotonic() - started < 5


@LAW
@given(
    st.lists(st.sampled_from(["[^/]*", "[^/]", ".*", "(?:.*/)?", "a", "b", "/"]), max_size=8),
    st.text("ab/é\n\ud800", max_size=8),
)
def test_both_engines_agree(parts: list[str], text: str) -> None:
    regex = "".join(parts)
    assert wildcards(regex, 9)(text) == wildcards(regex, 0)(text)


SNAPSHOT = """\
{
  "lumos_version": "1.0.0",
  "urn": "lumos://file/lake/orders",
  "name": "orders",
  "platform": "file",
  "schema": {
    "fields": [
      {"name": "NAME", "type": "INT64", "nullable": true}
    ]
  }
}
"""
SETTINGS = "version: 1\npolicy: {naming: [{of: columns, pattern: '%s'}]}\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A pull request that brings a pattern, and a column of 34 letters."""
    file = tmp_path / "snapshots" / "file" / "lake" / "orders.json"
    file.parent.mkdir(parents=True)
    file.write_text(SNAPSHOT.replace("NAME", "id"))
    (tmp_path / "lumos.yaml").write_text("version: 1\n")
    for command in (("init", "-qb", "main"), ("add", "-A"), ("commit", "-qm", "base")):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    file.write_text(SNAPSHOT.replace("NAME", "a" * 34))
    return tmp_path


@pytest.mark.parametrize("command", ["gate", "diff", "check"])
def test_a_pattern_and_a_name_of_a_pull_request_come_to_an_end(tree: Path, command: str) -> None:
    (tree / "lumos.yaml").write_text(SETTINGS % "(a|a)*b")
    found = measured(tree, LUMOS, "snap", command, "--base", "main")
    assert found.code == 1
    assert "a" * 34 in found.said
    assert found.is_bounded


@pytest.mark.parametrize(
    ("command", "code"), [("gate", 2), ("diff", 2), ("check", 2), ("validate", 1)]
)
def test_an_unsupported_pattern_is_an_error_of_the_settings(
    tree: Path, command: str, code: int
) -> None:
    (tree / "lumos.yaml").write_text(SETTINGS % "(?=a)b")
    arguments = () if command == "validate" else ("--base", "main")
    found = measured(tree, LUMOS, "snap", command, *arguments)
    assert found.code == code
    assert "lumos.yaml:2:19: " in found.said
    assert "unsupported regular expression `(?=a)b`: look-around" in found.said


def test_a_pattern_of_paths_comes_to_an_end(tree: Path) -> None:
    (tree / "lumos.yaml").write_text(
        "version: 1\npolicy: {paths: [{match: '%s', preset: draft}]}\n" % ("*a" * 30 + "!")
    )
    deep = tree / "snapshots" / "file" / "lake" / f"{'a' * 200}.json"
    text = SNAPSHOT.replace("orders", "a" * 200).replace("NAME", "id")
    deep.write_text(text)
    found = measured(tree, LUMOS, "snap", "diff", "--base", "main")
    assert found.code == 1
    assert found.is_bounded
