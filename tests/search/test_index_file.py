"""The index beside a tree: safe to delete, never trusted when wrong, one search at a time."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lumos_snap.errors import OutsideError
from lumos_snap.search.index import MISSING, make_tables
from lumos_snap.search.index_file import open_shelf
from tests.search.conftest import Put, Searcher


@pytest.fixture(autouse=True)
def tree(make: Put) -> None:
    for number in range(30):
        make(f"table_{number}", documentation={"description": "clicks"})


def state(searcher: Searcher) -> Path:
    return searcher.root / ".lumos"


def test_git_ignores_it(searcher: Searcher) -> None:
    subprocess.run(["git", "init", "-q"], cwd=searcher.root, check=True)
    searcher("clicks")
    status = ["git", "status", "--porcelain", "--untracked-files=all", "--", ".lumos"]
    assert subprocess.run(status, cwd=searcher.root, check=True, capture_output=True).stdout == b""


@pytest.mark.parametrize("name", ["search.db", "search.seal", "search.lock", ""])
def test_it_is_safe_to_delete(searcher: Searcher, name: str) -> None:
    expected = searcher("clicks")
    victim = state(searcher) / name
    shutil.rmtree(victim) if victim.is_dir() else victim.unlink()
    assert searcher("clicks") == expected
    assert searcher.told == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: os.truncate(file, 0),
        lambda file: os.truncate(file, file.stat().st_size // 2),
        lambda file: os.truncate(file, file.stat().st_size - 1),
        lambda file: file.write_bytes(b"not a database at all"),
        lambda file: file.write_bytes(file.read_bytes()),
        lambda file: file.write_bytes(file.read_bytes().replace(b"clicks", b"clacks")),
    ],
    ids=["empty", "half", "one byte", "other", "copied", "other words"],
)
def test_it_is_made_anew_where_it_is_not_as_it_was_left(searcher: Searcher, damage: object) -> None:
    expected = searcher("clicks")
    assert callable(damage)
    damage(state(searcher) / "search.db")
    assert searcher("clicks") == expected
    assert searcher.told == []


@pytest.mark.parametrize("name", ["search.db", "search.seal"])
def test_no_bytes_in_it_are_an_error(searcher: Searcher, name: str) -> None:
    """Not even where the seal fits: a disk that forgets is not noticed by size and time."""
    expected = searcher("clicks")
    file = state(searcher) / name
    before = file.stat()
    content = bytearray(file.read_bytes())
    for at in range(0, len(content), 97):
        content[at] ^= 0xFF
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert searcher("clicks") == expected


def test_damage_behind_the_seal_is_said_or_mended(searcher: Searcher) -> None:
    expected = searcher("clicks")
    with open_shelf(searcher.root, searcher.told.append) as held:
        assert held is not None
        with held.index() as (_, looked_at):
            (state(searcher) / "search.db").write_bytes(b"x" * 8192)
            held.seal(looked_at, is_changed=True)
    assert searcher("clicks") == expected


def test_an_index_of_another_version_is_made_anew(searcher: Searcher) -> None:
    expected = searcher("clicks")
    seal = state(searcher) / "search.seal"
    seal.write_text("0" + seal.read_text())
    assert searcher("clicks") == expected


def test_a_planted_index_is_not_opened(searcher: Searcher) -> None:
    """A repository may hold anything, also an index with rows of somebody's choice."""
    expected = searcher("clicks")
    (state(searcher) / "search.db-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" * 100)
    assert searcher("clicks") == expected


@pytest.mark.parametrize("name", ["", "search.db", "search.seal", "search.lock"])
def test_no_link_is_followed(searcher: Searcher, name: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    if name:
        victim.write_text("precious")
        state(searcher).mkdir()
        (state(searcher) / name).symlink_to(victim)
    else:
        victim.mkdir()
        state(searcher).symlink_to(victim)
    assert searcher("clicks").total == 30
    assert (victim.read_text() == "precious") if name else (list(victim.iterdir()) == [])


def test_where_it_cannot_be_kept_it_is_made_in_memory_and_that_is_said(searcher: Searcher) -> None:
    expected = searcher("clicks")
    shutil.rmtree(state(searcher))
    state(searcher).write_text("a file")
    assert searcher("clicks") == expected
    (line,) = searcher.told
    assert line.startswith("the search index is made in memory, for this search only: ")


def test_where_its_file_cannot_be_written_it_is_made_in_memory(searcher: Searcher) -> None:
    (state(searcher) / "search.db").mkdir(parents=True)
    assert searcher("clicks").total == 30
    assert len(searcher.told) == 1


def test_a_search_does_not_wait_for_ever(searcher: Searcher) -> None:
    told: list[str] = []
    with (
        open_shelf(searcher.root, told.append) as held,
        open_shelf(searcher.root, told.append, 0.1) as second,
    ):
        assert held is not None
        assert second is None
    assert len(told) == 1


def lumos(root: Path, word: str) -> list[str]:
    return [sys.executable, "-m", "lumos_snap", "snap", "search", word, "-C", str(root), "--json"]


@pytest.mark.slow
def test_many_searches_at_once_say_the_same(searcher: Searcher, make: Put) -> None:
    make("late")

    def ask(_: int) -> bytes:
        return subprocess.run(
            lumos(searcher.root, "clicks"), check=True, capture_output=True
        ).stdout

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(ask, range(12)))
    assert len(set(answers)) == 1
    assert b'"total": 30' in answers[0]


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.05, 0.15, 0.2, 0.25, 0.3, 0.4])
def test_a_kill_leaves_nothing_that_is_believed(searcher: Searcher, make: Put, wait: float) -> None:
    for number in range(1_500):
        make(f"more/table_{number}", documentation={"description": "clicks"})
    with subprocess.Popen(
        lumos(searcher.root, "clicks"), stdout=subprocess.DEVNULL, start_new_session=True
    ) as running:
        time.sleep(wait)
        os.kill(running.pid, signal.SIGKILL)
    assert searcher("clicks").total == 1_530
    assert searcher.told == []


def test_a_sqlite_without_full_text_search_is_one_clear_error() -> None:
    with (
        sqlite3.connect(":memory:") as connection,
        pytest.raises(OutsideError, match="FTS5") as told,
    ):
        make_tables(connection, "CREATE VIRTUAL TABLE found USING fts99 (name);")
    connection.close()
    assert told.value.message == MISSING
