"""The registry of groups is complete, and what it says exists."""

import re
from pathlib import Path

import pytest

from tests.components import page
from tests.components.build import NotPossibleError, verify
from tests.components.groups import FOLDER, GROUPS, Group, java, java_version, program


def test_each_folder_with_tests_is_a_group() -> None:
    folders = {path.parent.relative_to(FOLDER).parts[0] for path in FOLDER.rglob("test_*.py")}
    assert folders == {one.name for one in GROUPS}


@pytest.mark.parametrize("group", GROUPS, ids=lambda one: one.name)
def test_a_group_covers_paths_that_exist(group: Group, root: Path) -> None:
    assert group.covers
    assert [path for path in group.paths if not (root / path).exists()] == []
    assert group.build.seconds > 0
    assert re.search(r"\d+\.\d+", group.title)
    assert "{" not in group.title


def test_the_page_is_what_the_runner_writes(root: Path) -> None:
    text = (root / page.PAGE).read_text()
    assert page.written(page.rows(text), [one.name for one in GROUPS]) == text


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program("mvn")() == "mvn is not installed"
    assert java(17)() == "Java 17 is not installed"
    for name, text in {"mvn": "", "java": 'echo openjdk version \\"11.0.2\\" >&2'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    assert program("mvn")() is None
    assert java(17)() == "Java is 11, not 17 or newer"
    assert java(11)() is None


@pytest.mark.parametrize(
    ("text", "main"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_412"', 8),
        ('openjdk version "25" 2025-09-16', 25),
        ("no such thing", None),
    ],
)
def test_versions_of_java(text: str, main: int | None) -> None:
    assert java_version(text) == main


def test_files_that_are_not_as_listed_are_refused(tmp_path: Path) -> None:
    listed = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae  one.jar\n"
    (tmp_path / "sums").write_text(listed)
    with pytest.raises(NotPossibleError, match=r"one\.jar"):
        verify(tmp_path, tmp_path / "sums")
    (tmp_path / "one.jar").write_bytes(b"foo")
    verify(tmp_path, tmp_path / "sums")
    (tmp_path / "two.jar").touch()
    with pytest.raises(NotPossibleError, match=r"two\.jar"):
        verify(tmp_path, tmp_path / "sums")
    (tmp_path / "two.jar").replace(tmp_path / "one.jar")
    with pytest.raises(NotPossibleError, match=r"one\.jar"):
        verify(tmp_path, tmp_path / "sums")
