"""One lake gives the same bytes: copied, touched, scanned again or afresh, on each engine."""

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import deltalake
import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from tests.cli.conftest import Lumos, lumos
from tests.commands.scan.conftest import Scan
from tests.commands.scan.place import Place

__all__ = ["lumos"]

MANY = 60
"""More files than a sample has."""


def _fill(lake: Path) -> None:
    """Partitions that lack columns, texts that differ, files without names, a table."""
    chance = random.Random(5)
    for number in range(MANY):
        columns: dict[str, Any] = {"id": [number], "day": ["x"]} | (
            {"old": [1]} if number < MANY - 1 else {}
        )
        day = f"2026-{1 + number // 28:02}-{1 + number % 28:02}"
        _parquet(lake / f"orders/dt={day}/part-0.parquet", columns)
        _parquet(lake / f"unnamed/{number:06}_0", {f"c{number % 7}": [number]})
        header = "id,name,old" if number < MANY - 5 else "id,name"
        row = f"{number},a,1" if number < MANY - 5 else f"{number},a"
        _text(lake / f"clicks/2026/{1 + number // 28:02}/{1 + number % 28:02}/x.csv", header, row)
        names = chance.sample("abcdefgh", 3)
        _text(lake / f"events/{number:03}.json", json.dumps(dict.fromkeys(names, number)))
        _text(lake / f"texts/{number:06}_1", "a;b" if number % 2 else "a;b;c", "1;2;3"[: 3 + 2])
    orc_file = lake / "stock/2026/01/part-0.orc"
    orc_file.parent.mkdir(parents=True)
    orc.write_table(pa.table({"id": [1]}), orc_file)
    schema = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}
    with (lake / "stock.avro").open("wb") as file:
        fastavro.writer(file, schema, [{"id": 1}])
    for number in range(3):
        table = pa.table({"id": [number]})
        deltalake.write_deltalake(lake / "table", table, mode="append")


def _parquet(path: Path, columns: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


def _text(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


@pytest.fixture
def full(place: Place) -> Place:
    _fill(place.lake)
    return place


def _scan(lumos: Lumos, *words: str) -> None:
    assert lumos("snap", "scan", "lake", "--engine", "local", *words).code == 0


def _touch(lake: Path) -> None:
    chance = random.Random(11)
    for path in lake.rglob("*"):
        moment = chance.randrange(1_400_000_000, 1_700_000_000)
        os.utime(path, (moment, moment))


def _copy_shuffled(lake: Path) -> None:
    """Copy every file in an order of chance: other times, other places on the disk."""
    elsewhere = lake.with_name("elsewhere")
    lake.rename(elsewhere)
    files = [path for path in elsewhere.rglob("*") if path.is_file()]
    random.Random(3).shuffle(files)
    for path in files:
        target = lake / path.relative_to(elsewhere)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    shutil.rmtree(elsewhere)


def test_snapshots_depend_on_paths_and_contents_alone(full: Place, lumos: Lumos) -> None:
    _scan(lumos)
    first = full.snapshots()
    assert len(first) > 6
    marked = [one["name"] for one in full.document("orders")["schema"]["fields"] if "absent" in one]
    assert marked == ["old"]
    _scan(lumos, "--check")
    _touch(full.lake)
    _scan(lumos, "--check")
    shutil.rmtree(full.root / ".lumos")
    _scan(lumos, "--check")
    _copy_shuffled(full.lake)
    _scan(lumos, "--check")
    full.forget()
    _touch(full.lake)
    _scan(lumos)
    assert full.snapshots() == first


@pytest.mark.slow
def test_spark_writes_the_same_bytes(full: Place, lumos: Lumos, scanned: Scan) -> None:
    _scan(lumos)
    first = full.snapshots()
    full.forget()
    _touch(full.lake)
    scanned()
    assert full.snapshots() == first
