"""What must hold for very many files."""

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import lake
from lumos_snap.commands.validate import validate
from lumos_snap.report.command_reports import FileFinding
from lumos_snap.tree import open_tree

DATASETS = 20_000
BROKEN = 50


def _cut(text: str) -> tuple[str, int, int]:
    """Truncated in the middle of a line: the end of the text is what is wrong."""
    cut = text[: text.index('"ownership"') + 4]
    return cut, cut.count("\n") + 1, len(cut) - cut.rfind("\n")


def _bad_type(text: str) -> tuple[str, int, int]:
    at = text.index('"type": "STRING"')
    return text[:at] + text[at:].replace("STRING", "STRIN", 1), *_place(text, at)


def _unknown_key(text: str) -> tuple[str, int, int]:
    at = text.index('"domain"')
    return text.replace('"domain"', '"domian"'), *_place(text, at)


def _twice(text: str) -> tuple[str, int, int]:
    at = text.index('"platform"')
    line, column = _place(text, at)
    return text[:at] + '"platform": "s3",\n  ' + text[at:], line + 1, column


def _missing_key_column(text: str) -> tuple[str, int, int]:
    at = text.index('"primary_key"')
    return text.replace('["column_0"]', '["column_x"]'), *_place(text, at)


def _place(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


BREAKAGES: list[tuple[str, Callable[[str], tuple[str, int, int]]]] = [
    ("unreadable", _cut),
    ("structure", _bad_type),
    ("structure", _unknown_key),
    ("repeated-key", _twice),
    ("key-column", _missing_key_column),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, tuple[str, int, int]]]:
    """A tree of 20,000 snapshots with 50 broken ones; and what is wrong with each of those."""
    folder = tmp_path_factory.mktemp("many")
    paths = lake.build(folder, DATASETS)
    random.seed(20260115)
    expected = {}
    for number, path in enumerate(random.sample(paths, BROKEN)):
        rule, break_it = BREAKAGES[number % len(BREAKAGES)]
        file = folder / path
        broken, line, column = break_it(file.read_text())
        file.write_text(broken)
        expected[path] = (rule, line, column)
    return folder, expected


@pytest.mark.slow
def test_validation_names_exactly_the_broken_files_with_line_and_column(
    tree: tuple[Path, dict[str, tuple[str, int, int]]],
) -> None:
    folder, expected = tree
    progress: list[tuple[int, int]] = []
    report = validate(open_tree(folder), (), lambda *state: progress.append(state))
    assert report.checked == DATASETS
    assert _found(report.findings) == expected
    assert progress[-1] == (DATASETS, DATASETS)
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)


@pytest.mark.slow
def test_the_same_is_found_at_a_commit(
    tree: tuple[Path, dict[str, tuple[str, int, int]]],
) -> None:
    folder, expected = tree
    for command in (["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "Many"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    report = validate(open_tree(folder).at("main"), (), lambda *_: None)
    assert _found(report.findings) == expected


def _found(findings: tuple[FileFinding, ...]) -> dict[str, tuple[str, int, int]]:
    assert len({finding.path for finding in findings}) == len(findings), json.dumps(
        [(f.path, f.rule, f.message) for f in findings][:5]
    )
    return {f.path: (f.rule, f.line, f.column) for f in findings}
