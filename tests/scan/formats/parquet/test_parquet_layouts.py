"""Nested columns in every layout, with Arrow and Spark as independent readers."""

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from lumos_snap.model.types import MAX_LEVELS, Kind
from tests.scan.formats.parquet.descriptions import described, fields, types
from tests.scan.formats.parquet.footers import (
    INT32,
    LIST,
    MAP,
    REPEATED,
    REQUIRED,
    Column,
    Long,
    built,
    framed,
    group,
    leaf,
    struct,
)
from tests.scan.formats.parquet.layouts import LAYOUTS, Layout

NAMED = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)


@NAMED
def test_each_layout_is_read_by_the_rules(layout: Layout) -> None:
    found = described(built(layout.column))
    assert types(built(layout.column)) == {"c": layout.expected}
    assert found.notes == ((layout.note,) if layout.note else ())


@pytest.mark.parametrize(
    "layout", [one for one in LAYOUTS if one.arrow], ids=lambda layout: layout.name
)
def test_arrow_reads_the_layout_likewise(layout: Layout) -> None:
    column = pq.read_schema(io.BytesIO(built(layout.column))).field("c")
    said = " NOT NULL" if not column.nullable else ""
    assert _of_arrow(column.type) + said == layout.expected


def _of_arrow(given: pa.DataType) -> str:
    def inside(field: pa.Field) -> str:
        return _of_arrow(field.type) + ("" if field.nullable else " NOT NULL")

    if pa.types.is_list(given):
        return f"ARRAY<{inside(given.value_field)}>"
    if pa.types.is_map(given):
        return f"MAP<{_of_arrow(given.key_type)}, {inside(given.item_field)}>"
    if pa.types.is_struct(given):
        return f"STRUCT<{', '.join(f'{f.name}: {inside(f)}' for f in given)}>"
    return str(given).upper()


@pytest.mark.slow
def test_spark_reads_the_layouts_likewise(spark: SparkSession, tmp_path: Path) -> None:
    told = {one.name: one.spark for one in LAYOUTS if one.spark}
    found = {}
    for number, layout in enumerate(one for one in LAYOUTS if one.spark):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(built(layout.column))
        found[layout.name] = spark.read.parquet(str(path)).schema["c"].dataType.simpleString()
    assert found == told


def test_ids_are_kept_wherever_they_stand() -> None:
    pairs = group("key_value", leaf("key", id=5), leaf("value", id=6), repetition=REPEATED)
    data = built(
        group("l", group("list", leaf("element", id=3), repetition=REPEATED), converted=LIST, id=2),
        group("m", pairs, converted=MAP, id=4),
        group("s", leaf("x", id=8), id=7),
        group("two", leaf("array", INT32, REPEATED, id=10), converted=LIST, id=9),
        leaf("none", id=-1),
    )
    found = fields(data)
    in_list, in_map, in_two = found["l"].element, found["m"], found["two"].element
    assert in_list is not None
    assert in_two is not None
    assert in_map.key is not None
    assert in_map.value is not None
    assert (found["l"].id, in_list.id) == (2, 3)
    assert (in_map.id, in_map.key.id, in_map.value.id) == (4, 5, 6)
    assert (found["s"].id, found["s"].fields[0].id) == (7, 8)
    assert (found["two"].id, in_two.id) == (9, 10)
    assert found["none"].id is None


def test_columns_of_one_name_survive() -> None:
    found = described(built(leaf("a"), leaf("a", INT32, REQUIRED), leaf("A"))).schema.fields
    assert [(one.name, one.nullable) for one in found] == [("a", True), ("a", False), ("A", True)]


def test_no_columns_are_a_schema_too() -> None:
    assert described(built()).schema.fields == ()


def test_a_group_that_holds_nothing_is_an_empty_struct() -> None:
    assert types(built(group("c"))) == {"c": "STRUCT<>"}


def _deep(levels: int) -> Column:
    column = leaf("x")
    for _ in range(levels - 1):
        column = group("x", column)
    return column


def test_what_nests_too_deep_is_unknown_and_noted() -> None:
    fits, deep = described(built(_deep(MAX_LEVELS))), described(built(_deep(MAX_LEVELS + 1)))
    assert fits.notes == ()
    assert deep.notes == ("types nest over 64 levels deep: what is below is left out",)
    assert _deepest(fits.schema.fields[0]) == (MAX_LEVELS, Kind.INT32)
    assert _deepest(deep.schema.fields[0]) == (MAX_LEVELS, Kind.UNKNOWN)


def _deepest(one, level=1):
    return _deepest(one.fields[0], level + 1) if one.fields else (level, one.type)


def test_a_nesting_of_many_thousand_levels_ends() -> None:
    assert described(_chain(30_000)).notes == (
        "types nest over 64 levels deep: what is below is left out",
    )


def _chain(levels: int) -> bytes:
    one = struct({3: 1, 4: "x", 5: 1})
    last = struct({1: INT32, 3: 1, 4: "x"})
    root = struct({4: "schema", 5: 1})
    return framed(struct({1: 1, 2: [root, *[one] * levels, last], 3: Long(0), 4: []}))
