"""Tables that pyiceberg writes are described as pyiceberg itself sees them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.sorting import NullOrder, SortDirection, SortField, SortOrder
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    TruncateTransform,
    YearTransform,
)
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from lumos_snap.model.type_syntax import format_type
from tests.scan.tables.iceberg.iceberg_tables import as_iceberg, by_pyiceberg, catalog
from tests.scan.tables.lake import described, said

ROWS = pa.table({"id": pa.array([1, 2], pa.int64()), "s": ["a", "b"]})

SCALARS = (
    BooleanType(), IntegerType(), LongType(), FloatType(), DoubleType(), DecimalType(9, 2),
    DateType(), TimeType(), TimestampType(), TimestamptzType(), StringType(), UUIDType(),
    FixedType(4), BinaryType(),
)  # fmt: skip
EVERYTHING = Schema(
    *(
        NestedField(number, f"c{number}", kind, required=number % 2 == 0, doc=f"The {kind}")
        for number, kind in enumerate(SCALARS, 1)
    ),
    NestedField(
        20, "deep",
        StructType(
            NestedField(21, "list", ListType(22, LongType(), element_required=False)),
            NestedField(23, "map", MapType(24, StringType(), 25, DoubleType())),
        ),
    ),
)  # fmt: skip


def plain(made: SqlCatalog) -> Table:
    table = made.create_table("n.t", ROWS.schema)
    table.append(ROWS)
    table.append(ROWS)
    return table


def everything(made: SqlCatalog) -> Table:
    return made.create_table("n.t", EVERYTHING)


def first_format(made: SqlCatalog) -> Table:
    table = made.create_table("n.t", ROWS.schema, properties={"format-version": "1"})
    table.append(ROWS)
    return table


def evolved(made: SqlCatalog) -> Table:
    table = plain(made)
    with table.update_schema() as update:
        update.add_column("x", DoubleType(), doc="New")
        update.rename_column("s", "text")
        update.move_first("x")
    table.append(pa.table({"x": [1.5], "id": pa.array([3], pa.int64()), "text": ["c"]}))
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.delete_column("id")
    return table


def deleted(made: SqlCatalog) -> Table:
    table = plain(made)
    table.delete("id = 1")
    return table


def overwritten(made: SqlCatalog) -> Table:
    table = plain(made)
    table.overwrite(ROWS.slice(1))
    return table


MADE: Mapping[str, Callable[[SqlCatalog], Table]] = {
    one.__name__: one for one in (plain, everything, first_format, evolved, deleted, overwritten)
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.filterwarnings("ignore")  # pyiceberg's own
def test_a_table_is_described_as_its_writer_sees_it(name: str, tmp_path: Path) -> None:
    with catalog(tmp_path) as made:
        table = MADE[name](made)
        found = described(tmp_path)
        assert as_iceberg(found.schema.fields) == by_pyiceberg(table.schema())
        snapshot = table.current_snapshot()
        facts = found.table
        assert facts is not None
        assert facts.version == (None if snapshot is None else str(snapshot.snapshot_id))
        sizes = table.inspect.files().column("file_size_in_bytes").to_pylist() if snapshot else []
        assert (facts.files, facts.bytes) == (len(sizes), sum(sizes))
        assert said(tmp_path).rows == table.scan().to_arrow().num_rows
        assert found.storage is not None
        assert found.storage.reader_version == table.format_version
        assert found.storage.id == str(table.metadata.table_uuid)
        assert found.notes == ()


TIMES = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "at", TimestamptzType(), required=True),
    NestedField(3, "s", StructType(NestedField(4, "name", StringType()))),
    NestedField(5, "day", DateType()),
    identifier_field_ids=[1, 2],
)
SPEC = PartitionSpec(
    PartitionField(1, 1000, BucketTransform(16), "id_bucket"),
    PartitionField(2, 1001, YearTransform(), "at_year"),
    PartitionField(2, 1002, MonthTransform(), "at_month"),
    PartitionField(2, 1003, DayTransform(), "at_day"),
    PartitionField(2, 1004, HourTransform(), "at_hour"),
    PartitionField(4, 1005, TruncateTransform(3), "name_trunc"),
    PartitionField(5, 1006, IdentityTransform(), "day"),
)
ORDER = SortOrder(
    SortField(2, DayTransform(), SortDirection.DESC, NullOrder.NULLS_LAST),
    SortField(1, IdentityTransform()),
    SortField(1, BucketTransform(4)),
)


def test_transforms_of_partitions_and_what_files_are_sorted_by(tmp_path: Path) -> None:
    with catalog(tmp_path) as made:
        made.create_table("n.t", TIMES, partition_spec=SPEC, sort_order=ORDER)
        found = described(tmp_path)
    assert [
        (one.name, one.source, one.transform, one.argument, one.id, format_type(one))
        for one in found.partitioning or ()
    ] == [
        ("id_bucket", "id", "bucket", 16, 1000, "INT32"),
        ("at_year", "at", "year", None, 1001, "INT32"),
        ("at_month", "at", "month", None, 1002, "INT32"),
        ("at_day", "at", "day", None, 1003, "DATE"),
        ("at_hour", "at", "hour", None, 1004, "INT32"),
        ("name_trunc", "s.name", "truncate", 3, 1005, "STRING"),
        ("day", "day", "identity", None, 1006, "DATE"),
    ]
    assert found.storage is not None
    assert [
        (one.field, one.transform, one.direction, one.nulls) for one in found.storage.sorting
    ] == [
        ("at", "day", "DESC", "LAST"),
        ("id", None, "ASC", "FIRST"),
        ("id", "bucket[4]", "ASC", "FIRST"),
    ]
    assert found.schema.primary_key == ("id", "at")


def test_branches_and_tags_are_measured(tmp_path: Path) -> None:
    with catalog(tmp_path) as made:
        table = plain(made)
        snapshot = table.current_snapshot()
        assert snapshot is not None
        table.manage_snapshots().create_tag(snapshot.snapshot_id, "released").commit()
        table.manage_snapshots().create_branch(snapshot.snapshot_id, "audit").commit()
        facts = described(tmp_path).table
    assert facts is not None
    assert facts.properties == {"iceberg.branches": ["audit"], "iceberg.tags": ["released"]}


def test_nothing_that_lies_beside_the_metadata_has_a_say(tmp_path: Path) -> None:
    with catalog(tmp_path) as made:
        plain(made)
        before = said(tmp_path)
        (data,) = {one.parent for one in tmp_path.rglob("*.parquet")}
        pq.write_table(pa.table({"stray": [1]}), data / "stray.parquet")
        pq.write_table(pa.table({"stray": [1]}), data.parent / "metadata" / "stray.parquet")
        assert said(tmp_path) == before


def test_a_table_that_was_copied_elsewhere_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with catalog(tmp_path / "a") as made:
        plain(made)
        before = said(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    assert said(tmp_path) == before
