"""Tables that delta-rs writes are described as delta-rs itself sees them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, Field, write_deltalake
from deltalake.schema import PrimitiveType
from hypothesis import given, settings
from hypothesis import strategies as st

from lumos_snap.scan.schemas.supertype import TableFacts
from tests.scan.tables.delta.delta_tables import as_spark, by_delta_rs
from tests.scan.tables.lake import described, said

ROWS = pa.table({"id": [1, 2, 3], "day": ["a", "b", "b"]})
WIDER = pa.table({"id": [4], "day": ["c"], "price": [1.5]})
EVERYTHING = pa.table(
    {
        "flag": pa.array([True], pa.bool_()),
        "i8": pa.array([1], pa.int8()),
        "i16": pa.array([1], pa.int16()),
        "i32": pa.array([1], pa.int32()),
        "i64": pa.array([1], pa.int64()),
        "f32": pa.array([1], pa.float32()),
        "f64": pa.array([1], pa.float64()),
        "text": pa.array(["a"], pa.string()),
        "raw": pa.array([b"a"], pa.binary()),
        "day": pa.array([0], pa.date32()),
        "at": pa.array([0], pa.timestamp("us", "UTC")),
        "wall": pa.array([0], pa.timestamp("us")),
        "price": pa.array([1], pa.decimal128(12, 2)),
        "list": pa.array([[1]], pa.list_(pa.field("element", pa.int64(), nullable=False))),
        "map": pa.array([[("a", 1.0)]], pa.map_(pa.string(), pa.float64())),
        "deep": pa.array(
            [{"a": [{"b": 1}]}],
            pa.struct({"a": pa.list_(pa.struct([pa.field("b", pa.int32(), nullable=False)]))}),
        ),
    },
)


def created(place: str) -> None:
    write_deltalake(place, ROWS, partition_by=["day"])


def appended(place: str) -> None:
    created(place)
    write_deltalake(place, ROWS, mode="append")


def widened(place: str) -> None:
    appended(place)
    write_deltalake(place, WIDER, mode="append", schema_mode="merge")


def checkpointed(place: str) -> None:
    widened(place)
    DeltaTable(place).create_checkpoint()
    write_deltalake(place, WIDER, mode="append")
    DeltaTable(place).delete("id = 2")


def cleaned(place: str) -> None:
    """Old commits are gone: the checkpoint is all that knows of them."""
    checkpointed(place)
    DeltaTable(place).create_checkpoint()
    for commit in (Path(place) / "_delta_log").glob("*[0-9].json"):
        if int(commit.stem) < DeltaTable(place).version():
            commit.unlink()


def overwritten(place: str) -> None:
    widened(place)
    write_deltalake(place, EVERYTHING, mode="overwrite", schema_mode="overwrite")


def compacted(place: str) -> None:
    widened(place)
    DeltaTable(place).optimize.compact()
    DeltaTable(place).vacuum(0, dry_run=False, enforce_retention_duration=False)


def altered(place: str) -> None:
    appended(place)
    table = DeltaTable(place)
    table.alter.add_columns([Field("added", PrimitiveType("short"))])
    table.alter.add_constraint({"id_is_positive": "id > 0"})
    table.alter.set_table_name("orders")
    table.alter.set_table_description("What was sold")


def empty(place: str) -> None:
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("x", pa.string())])
    DeltaTable.create(place, schema)


MADE: Mapping[str, Callable[[str], None]] = {
    one.__name__: one
    for one in (
        created, appended, widened, checkpointed, cleaned, overwritten, compacted, altered, empty,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_a_table_is_described_as_its_writer_sees_it(name: str, tmp_path: Path) -> None:
    MADE[name](str(tmp_path))
    table = DeltaTable(str(tmp_path))
    found = described(tmp_path)
    assert as_spark(found.schema.fields) == by_delta_rs(table)
    assert [one.name for one in found.partitioning or ()] == table.metadata().partition_columns
    actions = pa.table(table.get_add_actions(flatten=True))
    assert found.table == TableFacts(
        version=str(table.version()),
        files=actions.num_rows,
        bytes=sum(actions.column("size_bytes").to_pylist()),
    )
    assert said(tmp_path).rows == table.count()
    assert found.notes == ()


def test_nothing_that_lies_beside_the_log_has_a_say(tmp_path: Path) -> None:
    widened(str(tmp_path))
    before = said(tmp_path)
    pq.write_table(pa.table({"stray": [1]}), tmp_path / "stray.parquet")
    (tmp_path / "day=b" / "stray.csv").write_text("a,b\n1,2\n")
    assert said(tmp_path) == before


def test_an_old_version_is_what_the_log_up_to_there_says(tmp_path: Path) -> None:
    widened(str(tmp_path))
    for version in (2, 1, 0):
        table = DeltaTable(str(tmp_path), version=version)
        assert as_spark(described(tmp_path).schema.fields) == by_delta_rs(table)
        (tmp_path / "_delta_log" / f"{version:020}.json").unlink()


def test_words_and_conditions_of_a_table_are_kept(tmp_path: Path) -> None:
    altered(str(tmp_path))
    found = described(tmp_path)
    assert found.description == "What was sold"
    assert found.properties == {"name": "orders"}
    assert [(one.name, one.expression) for one in found.schema.constraints] == [
        ("id_is_positive", "id > 0")
    ]
    assert found.storage is not None
    table = DeltaTable(str(tmp_path))
    assert found.storage.id == str(table.metadata().id)
    assert found.storage.file_format == "parquet"
    assert found.storage.reader_version == table.protocol().min_reader_version
    assert found.storage.writer_version == table.protocol().min_writer_version
    assert set(found.storage.features) == set(table.protocol().writer_features or ())


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from(("append", "delete", "checkpoint", "overwrite")), max_size=8))
def test_whatever_is_done_to_a_table_it_is_counted_right(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    place = tmp_path_factory.mktemp("table")
    created(str(place))
    for number, step in enumerate(steps):
        rows = pa.table({"id": [number, number + 1], "day": ["a", "c"]})
        match step:
            case "append" | "overwrite":
                write_deltalake(str(place), rows, mode=step)
            case "delete":
                DeltaTable(str(place)).delete(f"id = {number}")
            case _:
                DeltaTable(str(place)).create_checkpoint()
    table = DeltaTable(str(place))
    actions = pa.table(table.get_add_actions(flatten=True))
    found, facts = said(place), described(place).table
    assert facts is not None
    assert (found.rows, facts.files) == (table.count(), actions.num_rows)
    assert facts.bytes == sum(actions.column("size_bytes").to_pylist())
    assert facts.version == str(table.version())
