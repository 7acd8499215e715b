"""A folder is listed in portions: all of it, in any sizes, and what fails hides the folder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.scan.stores import local
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.stores.store import FileEntry, Trouble

names = st.text("abc", min_size=1, max_size=2)
lakes = st.sets(st.lists(names, min_size=1, max_size=3).map(tuple), max_size=20)


@given(lakes, st.integers(1, 4))
def test_every_file_is_listed_once_whatever_the_portion(
    lake: set[tuple[str, ...]], portion: int
) -> None:
    files = {path for path in lake if not any(one[: len(path)] == path != one for one in lake)}
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "_PORTION", portion)
        for path in files:
            file = Path(folder, *path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"x" * len(path))
        found = list(LocalStore(folder).entries("", lambda _: True))
    assert sorted((one.path, one.size) for one in found if isinstance(one, FileEntry)) == sorted(
        ("/".join(path), len(path)) for path in files
    )
    assert len(found) == len(files)


def test_folders_smaller_than_a_portion_come_sorted(tmp_path: Path) -> None:
    for number in (3, 1, 2, 5, 4):
        (tmp_path / f"t{number}").mkdir()
        for part in (2, 1, 3):
            (tmp_path / f"t{number}/part-{part}").write_bytes(b"")
    found = [one.path for one in LocalStore(str(tmp_path)).entries("", lambda _: True)]
    assert len(found) == 15
    assert found == sorted(found)


def test_a_folder_that_fails_midway_is_out_of_sight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("bad/a", "bad/b", "bad/c", "good/a"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(b"")
    real = os.scandir

    @contextmanager
    def failing(path: str) -> Iterator[Iterator["os.DirEntry[str]"]]:
        with real(path) as entries:
            yield _broken(entries) if path.endswith("bad") else entries

    monkeypatch.setattr(os, "scandir", failing)  # no disk here fails when it should
    monkeypatch.setattr(local, "_PORTION", 1)
    found = list(LocalStore(str(tmp_path)).entries("", lambda _: True))
    assert [one for one in found if isinstance(one, Trouble)] == [
        Trouble("bad", "unreadable", "input/output error", hides=True)
    ]
    listed = [one.path for one in found if isinstance(one, FileEntry)]
    assert len(listed) == 3
    assert "good/a" in listed


def _broken(entries: "Iterator[os.DirEntry[str]]") -> "Iterator[os.DirEntry[str]]":
    yield from islice(entries, 2)
    raise OSError(5, "Input/output error")
