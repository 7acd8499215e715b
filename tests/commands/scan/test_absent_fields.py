"""A column that a producer stops writing: one changed line, a finding, and drift."""

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import csv, orc

from tests.cli.conftest import Lumos, Ran, lumos
from tests.commands.scan.place import Place
from tests.strategies import SHARE

__all__ = ["lumos"]


def _table(columns: str) -> pa.Table:
    return pa.table({name: pa.array([1, 2], pa.int64()) for name in columns})


def _avro(columns: str, path: Path) -> None:
    fields = [{"name": name, "type": ["null", "long"]} for name in columns]
    with path.open("wb") as file:
        schema = {"type": "record", "name": "R", "fields": fields}
        fastavro.writer(file, schema, [dict.fromkeys(columns, 1)])


WRITERS: dict[str, Callable[[str, Path], None]] = {
    "parquet": lambda columns, path: pq.write_table(_table(columns), path),
    "orc": lambda columns, path: orc.write_table(_table(columns), path),
    "avro": _avro,
    "csv": lambda columns, path: csv.write_csv(_table(columns), path),
}
LAYOUTS = {
    "hive": "dt=2026-01-{day:02}",
    "date folders": "2026/01/{day:02}",
    "parts": "year=2026/month=1/day={day}",
    "a key before": "country=DE/dt=2026-01-{day:02}",
    "a key after": "dt=2026-01-{day:02}/country={country}",
}


class Lake:
    """The partitions of one dataset."""

    def __init__(self, place: Place, kind: str = "parquet", layout: str = "hive") -> None:
        self.root = place.lake / "orders"
        self._write = WRITERS[kind]
        self._kind = kind
        self._layout = LAYOUTS[layout]

    def folder(self, day: int, country: str = "DE") -> Path:
        return self.root / self._layout.format(day=day, country=country)

    def write(self, day: int, columns: str, name: str = "part-0", country: str = "DE") -> None:
        folder = self.folder(day, country)
        folder.mkdir(parents=True, exist_ok=True)
        self._write(columns, folder / f"{name}.{self._kind}")


def _scan(lumos: Lumos, *words: str) -> Ran:
    return lumos("snap", "scan", "lake", "--engine", "local", *words)


def _absent(place: Place) -> list[str]:
    fields = place.document("orders")["schema"]["fields"]
    return [one["name"] for one in fields if one.get("absent")]


def _observed(place: Place) -> dict[str, Any]:
    path = place.root / "observations/file/lake/orders.json"
    fields = json.loads(path.read_text()).get("fields", ())
    return {one.pop("path"): one for one in fields}


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("kind", sorted(WRITERS))
def test_a_column_that_is_no_longer_written(
    place: Place, lumos: Lumos, kind: str, layout: str
) -> None:
    lake = Lake(place, kind, layout)
    lake.write(1, "abc")
    lake.write(2, "abc")
    _scan(lumos)
    place.commit("Two days")
    lake.write(3, "ac", country="FR")
    checked = _scan(lumos, "--check")
    assert checked.code == 1
    assert "b is absent from the newest partition, 2026-01-03" in checked.out
    _scan(lumos)
    changed = place.git("diff", "-U0", "snapshots").splitlines()
    assert [line[0] + line.strip("+-, ")[:11] for line in changed[5:]] == [
        '-{"name": "b',
        '+{"name": "b',
    ]
    assert _absent(place) == ["b"]
    assert _observed(place)["b"]["last_partition"] == "2026-01-02"
    compared = lumos("snap", "diff", "--base", "HEAD")
    assert compared.code == 1
    assert "SC029 field-absent: b is absent from new data" in compared.out
    comment = lumos("snap", "diff", "--base", "HEAD", "--output", "markdown").out
    assert "field-absent" in comment

    lake.write(4, "abc")
    _scan(lumos)
    assert _absent(place) == []
    assert "last_partition" not in _observed(place).get("b", {})
    assert lumos("snap", "diff", "--base", "HEAD").code == 0


def test_late_and_rewritten_partitions_change_no_mark(place: Place, lumos: Lumos) -> None:
    lake = Lake(place)
    lake.write(1, "abc")
    lake.write(5, "ac")
    _scan(lumos)
    assert _absent(place) == ["b"]
    lake.write(3, "abc")  # late data
    lake.write(1, "ab")  # a rewritten partition
    lake.write(2, "abc", name="backfill")
    _scan(lumos)
    assert _absent(place) == ["b"]
    lake.write(4, "a")
    _scan(lumos)
    assert _absent(place) == ["b"]


def test_compaction_changes_no_mark(place: Place, lumos: Lumos) -> None:
    lake = Lake(place)
    for number in range(4):
        lake.write(1, "abc", name=f"part-{number}")
        lake.write(2, "ac" if number else "a", name=f"part-{number}")
    _scan(lumos)
    before = place.snapshots()
    for day, columns in ((1, "abc"), (2, "ac")):
        shutil.rmtree(lake.folder(day))
        lake.write(day, columns, name="part-9")
    _scan(lumos)
    assert place.snapshots() == before
    assert _absent(place) == ["b"]


def test_one_file_of_the_newest_partition_is_enough(place: Place, lumos: Lumos) -> None:
    """Whatever other values its partition has."""
    lake = Lake(place, layout="a key after")
    lake.write(1, "abc")
    lake.write(2, "a", country="DE")
    lake.write(2, "ab", country="FR")
    _scan(lumos)
    assert _absent(place) == ["c"]


def test_several_partitions_must_lack_it(place: Place, lumos: Lumos) -> None:
    settings_file = place.root / "lumos.yaml"
    settings_file.write_text(settings_file.read_text() + "\nscan:\n  absent_after: 2\n")
    lake = Lake(place)
    found = []
    for day, columns in enumerate(("ab", "ab", "a", "a", "ab", "a"), 1):
        lake.write(day, columns)
        _scan(lumos)
        found.append(_absent(place))
    assert found == [[], [], [], ["b"], [], []]


@pytest.mark.parametrize("wrong", ["0", "101", "x"])
def test_a_wrong_number_of_partitions(place: Place, lumos: Lumos, wrong: str) -> None:
    settings_file = place.root / "lumos.yaml"
    settings_file.write_text(settings_file.read_text() + f"\nscan:\n  absent_after: {wrong}\n")
    Lake(place).write(1, "a")
    assert _scan(lumos).code == 2


def test_every_header_of_the_newest_partition_is_read(place: Place, lumos: Lumos) -> None:
    """A sample would miss the one file that has the column."""
    lake = Lake(place, "csv")
    for day in (1, 2):
        for number in range(60):
            has_b = day == 1 or number == 33
            lake.write(day, "ab" if has_b else "a", name=f"part-{number:05}")
    _scan(lumos)
    assert _absent(place) == []
    (lake.folder(2) / "part-00033.csv").unlink()
    _scan(lumos)
    assert _absent(place) == ["b"]


def test_a_type_that_only_new_data_has(place: Place, lumos: Lumos) -> None:
    place.parquet("orders/dt=2026-01-01/part-0.parquet", a=pa.array([1], pa.int64()))
    _scan(lumos)
    place.commit("One day")
    place.parquet("orders/dt=2026-01-02/part-0.parquet", a=pa.array([1], pa.int16()))
    assert _scan(lumos, "--check").code == 1
    _scan(lumos)
    (field,) = place.document("orders")["schema"]["fields"]
    assert field == {"name": "a", "type": "INT64", "nullable": True, "newest_type": "INT16"}
    assert "SC031 newest-type-differs" in lumos("snap", "diff", "--base", "HEAD").out


def test_a_bad_file_leaves_the_marks(place: Place, lumos: Lumos) -> None:
    """It may have the column; older bad files play no part."""
    lake = Lake(place)
    lake.write(1, "ab")
    lake.write(2, "a")
    place.text("orders/dt=2026-01-01/part-1.parquet", b"PAR1 and no end")
    _scan(lumos)
    assert _absent(place) == ["b"]
    lake.write(3, "a")
    place.text("orders/dt=2026-01-03/part-1.parquet", b"PAR1 and no end")
    _scan(lumos)
    assert _absent(place) == ["b"]
    lake.write(4, "ab")
    place.text("orders/dt=2026-01-04/part-1.parquet", b"PAR1 and no end")
    _scan(lumos)
    assert _absent(place) == []
    lake.write(5, "a")
    place.text("orders/dt=2026-01-05/part-1.parquet", b"PAR1 and no end")
    said = _scan(lumos).out
    assert _absent(place) == []
    assert "b may be absent from the newest partition, 2026-01-05" in said


def test_objects_leave_out_what_they_like(place: Place, lumos: Lumos) -> None:
    place.text("orders/dt=2026-01-01/part-0.json", '{"a": 1, "b": 2}\n')
    place.text("orders/dt=2026-01-02/part-0.json", '{"a": 1}\n')
    said = _scan(lumos).out
    assert _absent(place) == []
    assert "b is absent from the newest partition, 2026-01-02" in said
    assert _observed(place) == {"b": {"last_partition": "2026-01-01"}}


def test_without_partitions_nothing_is_newest(place: Place, lumos: Lumos) -> None:
    place.parquet("orders/part-0.parquet", a=[1], b=[2])
    place.parquet("orders/part-1.parquet", a=[1])
    said = _scan(lumos).out
    assert _absent(place) == []
    assert "b is missing in orders/part-1.parquet" in said
    assert _observed(place) == {"b": {"missing_files": 1}}


def test_partitions_without_a_time_have_no_newest(place: Place, lumos: Lumos) -> None:
    place.parquet("orders/batch=1/part-0.parquet", a=[1], b=[2])
    place.parquet("orders/batch=2/part-0.parquet", a=[1])
    _scan(lumos)
    assert _absent(place) == []


def _touched(place: Place) -> None:
    """Give all files other times, as a copy has them."""
    chance = random.Random(7)
    for path in sorted(place.lake.rglob("*")):
        if path.is_file():
            moment = chance.randrange(1_500_000_000, 1_700_000_000)
            os.utime(path, (moment, moment))


STEPS = st.lists(
    st.tuples(
        st.integers(1, 6),
        st.sampled_from(["abc", "ab", "a", "bc", "c"]),
        st.sampled_from(["part-0", "part-1"]),
        st.sampled_from(["DE", "FR"]),
    ),
    min_size=1,
    max_size=8,
)


@pytest.fixture
def emptied(place: Place) -> Callable[[], None]:
    def empty() -> None:
        place.forget()
        shutil.rmtree(place.lake)
        place.lake.mkdir()

    return empty


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_the_marks_are_a_function_of_the_data(
    place: Place, lumos: Lumos, emptied: Callable[[], None], kind: str
) -> None:
    """However the data came, and whatever was scanned in between."""

    @settings(
        max_examples=24 // SHARE,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(STEPS, st.sets(st.integers(0, 7)))
    def holds(steps: list[tuple[int, str, str, str]], scans: set[int]) -> None:
        emptied()
        lake = Lake(place, kind, "a key after")
        for number, (day, columns, name, country) in enumerate(steps):
            lake.write(day, columns, name, country)
            if number in scans:
                _scan(lumos)
        _scan(lumos)
        marks, columns_found = _absent(place), set(place.columns("orders"))
        files = {(day, name, country): columns for day, columns, name, country in steps}
        newest = max(day for day, _, _ in files)
        there = {c for (day, _, _), columns in files.items() if day == newest for c in columns}
        assert set(marks) == columns_found - there
        kept = place.snapshots()
        place.forget()
        _touched(place)
        _scan(lumos)
        assert place.snapshots() == kept

    holds()
