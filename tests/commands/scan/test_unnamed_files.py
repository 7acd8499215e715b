"""Files that state their schema are read, each of them, whatever they are called."""

import json
import os
import time
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from tests.cli.conftest import Lumos, Ran, lumos
from tests.commands.scan.place import Place

__all__ = ["lumos"]

MANY = 50
"""More files than the sample of a dataset has."""


def _avro(path: Path, **columns: int) -> None:
    fields = [{"name": name, "type": "long"} for name in columns]
    with path.open("wb") as file:
        fastavro.writer(file, {"type": "record", "name": "R", "fields": fields}, [columns])


def _parquet(path: Path, **columns: int) -> None:
    pq.write_table(pa.table({name: [one] for name, one in columns.items()}), path)


def _orc(path: Path, **columns: int) -> None:
    orc.write_table(pa.table({name: [one] for name, one in columns.items()}), path)


def _stream(path: Path, **columns: int) -> None:
    table = pa.table({name: [one] for name, one in columns.items()})
    with path.open("wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)


WRITERS = {"parquet": _parquet, "orc": _orc, "avro": _avro, "arrow": _stream}


def _folder(place: Place) -> Path:
    folder = place.lake / "orders"
    folder.mkdir()
    return folder


def _scan(lumos: Lumos, *words: str) -> Ran:
    return lumos("snap", "scan", "lake", "--engine", "local", *words)


@pytest.mark.parametrize("name", ["{:06}_0", "part-{:05}", "data.{}.txt"])
@pytest.mark.parametrize("kind", sorted(WRITERS))
def test_a_column_of_any_file_is_met(place: Place, lumos: Lumos, kind: str, name: str) -> None:
    """`000017_0` is how Hive and Impala call their files."""
    folder = _folder(place)
    for number in range(MANY):
        more = {"late": 1} if number == 17 else {}
        WRITERS[kind](folder / name.format(number), id=number, **more)
    (folder / name.format(23)).write_bytes((folder / name.format(24)).read_bytes()[:20])
    ran = _scan(lumos)
    assert ran.code == 0, ran.err
    assert place.columns("orders") == ["id", "late"]
    assert place.document("orders")["storage"]["format"] == kind
    (bad,) = (line for line in ran.out.splitlines() if name.format(23) in line)
    assert bad.startswith(("truncated: ", "damaged: "))


@pytest.mark.parametrize("damage", [b"PAR1", b"PAR1 and no end", b"ORC", b"Obj\x01"])
def test_a_bad_file_is_named_by_every_scan(place: Place, lumos: Lumos, damage: bytes) -> None:
    """It is known from the first scan, and in no sample."""
    folder = _folder(place)
    for number in range(MANY):
        _parquet(folder / f"{number:06}_0", id=number)
    for number in range(MANY):
        (folder / f"{number:06}_1").write_bytes(damage)
    time.sleep(0.05)  # what is fresh may change again within a tick of the clock: it is read again
    first = _scan(lumos, "--json").json
    assert len(first["bad_files"]) == MANY
    second = _scan(lumos, "--json").json
    assert second["sources"][0]["looked_at"] == 0
    assert second["bad_files"] == first["bad_files"]


def test_an_empty_file_that_is_not_drawn_is_passed_over(place: Place, lumos: Lumos) -> None:
    folder = _folder(place)
    for number in range(MANY):
        (folder / f"{number:06}_0").write_text(f"id,name\n{number},a\n")
    (folder / "000017_0").write_bytes(b"")
    time.sleep(0.05)
    assert [_scan(lumos, "--json").json["bad_files"] for _ in range(2)] == [[], []]


@pytest.mark.parametrize("ending", ["_0", ".csv"])
def test_what_is_remembered_changes_no_result(place: Place, lumos: Lumos, ending: str) -> None:
    """Files join and leave the sample; one is no text, and some are damaged."""
    folder = _folder(place)
    for number in range(MANY):
        (folder / f"{number:06}{ending}").write_text(f"id,name\n{number},a\n")
    for number in range(3, MANY, 9):
        _parquet(folder / f"{number:06}{ending}", id=1, late=2)
        (folder / f"{number + 1:06}{ending}").write_bytes(b"PAR1 and no end")
        (folder / f"{number + 2:06}{ending}").write_bytes(b"\xff\x00\x01" * 50)
    time.sleep(0.05)
    for round_ in range(3):
        _scan(lumos)
        for number in range(round_, MANY, 5):
            (folder / f"{number + 100 * round_:06}{ending}").write_text("id,name\n1,a\n")
        time.sleep(0.05)
    kept = _scan(lumos, "--json").json
    place.forget()
    fresh = _scan(lumos, "--json").json
    assert kept["bad_files"] == fresh["bad_files"]


def test_text_is_still_sampled(place: Place, lumos: Lumos) -> None:
    folder = _folder(place)
    for number in range(MANY):
        (folder / f"{number:06}_0").write_text(f"id,name\n{number},a\n")
    report = _scan(lumos, "--json").json
    assert report["bad_files"] == []
    (dataset,) = report["datasets"]
    assert (dataset["files"], dataset["looked_at"]) == (MANY, 20)


def test_one_file_that_is_no_text_is_met_among_text(place: Place, lumos: Lumos) -> None:
    folder = _folder(place)
    for number in range(MANY):
        (folder / f"{number:06}_0").write_text(f"id,name\n{number},a\n")
    _parquet(folder / "000017_0", id=1, late=2)
    assert _scan(lumos).code == 0
    assert "late" in place.columns("orders")


def test_what_was_passed_over_is_known_and_read_where_it_is_drawn(
    place: Place, lumos: Lumos
) -> None:
    folder = _folder(place)
    for number in range(MANY):
        (folder / f"{number:06}_0").write_text(f"id,name\n{number},a\n")
    time.sleep(0.05)  # what is fresh may change again within a tick of the clock: it is read again
    assert _scan(lumos).code == 0
    before = place.snapshots()
    (source,) = _scan(lumos, "--json").json["sources"]
    assert source["looked_at"] == 0
    for number in range(MANY - 1):  # the rest of the sample goes, and others are drawn
        if number % 3:
            (folder / f"{number:06}_0").unlink()
    assert _scan(lumos).code == 0
    assert place.snapshots() == before
    place.forget()
    assert _scan(lumos).code == 0
    assert place.snapshots() == before


def test_the_snapshot_does_not_depend_on_times_of_files(place: Place, lumos: Lumos) -> None:
    folder = _folder(place)
    for number in range(MANY):
        _parquet(folder / f"{number:06}_0", **{"id": 1, f"c{number % 7}": 2})
    assert _scan(lumos).code == 0
    before = place.snapshots()
    for number in range(MANY):
        os.utime(folder / f"{number:06}_0", ns=(0, (number * 7919 % 100) * 10**9))
    place.forget()
    assert _scan(lumos).code == 0
    assert place.snapshots() == before
    fields = json.loads(before["file/lake/orders.json"])["schema"]["fields"]
    assert {one["name"] for one in fields} == {"id", *(f"c{number}" for number in range(7))}
