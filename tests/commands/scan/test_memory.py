"""The memory of a scan follows datasets: four times the files of one folder hardly take more."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lumos_snap.cli import main
from tests.measurement import LUMOS, measured

pytestmark = pytest.mark.slow

FEW, MANY = 30_000, 120_000
MOST = 40
"""MiB. A listing keeps up to 100,000 lines in memory before it goes to disk: some 25 MiB."""
_LINKS = 20_000
"""Names of one file; file systems allow some 65,000."""


def _stream(number: int) -> str:
    """What a writer of a stream leaves: one dataset."""
    return f"part-{number % 200:05d}-{number:08x}-0000-4000-8000-000000000000-c000.parquet"


def _topics(number: int) -> str:
    """Forty datasets, told apart by the names of files; text, so that some of it is read."""
    return f"topic-{'abcdefgh'[number % 8]}{'klmno'[number // 8 % 5]}-log+0+{number:010d}.json"


def _filled(folder: Path, name: Callable[[int], str], count: int) -> Path:
    """A folder of so many tiny files."""
    folder.mkdir(parents=True)
    source = folder / name(0)
    for number in range(count):
        file = folder / name(number)
        if number % _LINKS:
            os.link(source, file)
            continue
        source = file
        if file.suffix == ".json":
            file.write_text('{"id": 1, "total": 2.5}\n')
        else:
            pq.write_table(pa.table({"id": [1], "total": [2.5]}), file)
    time.sleep(0.1)  # what is fresh is read again
    return folder.parent


def _peaks(tree: Path, lake: Path) -> list[int]:
    """The most memory of a first scan, and of a second one with one file more."""
    assert main(["snap", "init", str(tree)]) == 0
    command = (LUMOS, "snap", "scan", str(lake), "--engine", "local")
    first = measured(tree, *command)
    assert first.code == 0, first.said
    known = next(lake.rglob("*-*"))
    known.with_stem(f"{known.stem}-0").write_bytes(known.read_bytes())
    second = measured(tree, *command)
    assert second.code == 0, second.said
    return [first.memory, second.memory]


@pytest.mark.parametrize("name", [_stream, _topics])
def test_four_times_the_files_of_a_folder_hardly_take_more(
    tmp_path: Path, name: Callable[[int], str]
) -> None:
    few = _peaks(tmp_path / "few", _filled(tmp_path / "lake/few/events", name, FEW))
    many = _peaks(tmp_path / "many", _filled(tmp_path / "lake/many/events", name, MANY))
    assert [after - before < MOST for before, after in zip(few, many, strict=True)] == [
        True,
        True,
    ], (few, many)
