"""Spark does what its profile says: real files, two readers, every pair of sample types."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from lumos_snap.engines import profile
from tests.engines.proof import compare_golden, disagreements, unreadable, wrong_witnesses
from tests.engines.samples import SAMPLES
from tests.engines.spark_reader import READERS, Witness, measure

pytestmark = pytest.mark.slow

ALL = tuple(SAMPLES.values())
UNREADABLE = {
    "FLOAT16", "TIME(ms)", "TIME(us)", "TIME(ns)", "TIMESTAMP(ns)", "TIMESTAMP(ns,UTC)",
    "INTERVAL(ms)", "INTERVAL(us)", "INTERVAL(ns)",
}  # fmt: skip


# One test: the measurement takes most of a minute, and parallel workers share nothing.
def test_spark_does_what_its_profile_says(
    spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    matrix = measure(spark, tmp_path, ALL)
    compare_golden("spark-4", matrix, ALL, rewrite=request.config.getoption("--rewrite-golden"))
    assert list(disagreements("spark-4", matrix, ALL)) == []
    assert unreadable(matrix) == UNREADABLE
    assert {one.name for one in ALL if profile("spark-4").cannot_read(one.type)} == UNREADABLE
    error = Witness(spark, tmp_path).error
    assert list(wrong_witnesses("spark-4", matrix, ALL, error)) == []


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ("A int", {"A": 1}),
        ("other int", {"other": None}),
        ("a int, b int NOT NULL DEFAULT 7", {"a": 1, "b": 7}),
        ("a int, b int NOT NULL", {"a": 1, "b": None}),
        ("s struct<x:int>", {"s": {"x": 5}}),
        ("s struct<X:int>", {"s": {"X": 5}}),
        ("s struct<renamed:int>", {"s": {"renamed": None}}),
        ("s struct<x:int,added:int>", {"s": {"x": 5, "added": None}}),
    ],
)
def test_spark_finds_columns_by_name_and_fills_defaults(
    spark: SparkSession, tmp_path: Path, reader: str, columns: str, row: dict[str, object]
) -> None:
    assert rows(spark, tmp_path, reader, columns)[0] == row
    traits = profile("spark-4").traits
    assert traits.fills_nulls
    assert (traits.finds_fields, traits.ignores_case, traits.fills_defaults) == (
        "name",
        True,
        True,
    )


@pytest.mark.parametrize("reader", READERS)
def test_spark_returns_null_from_a_column_that_is_told_to_have_none(
    spark: SparkSession, tmp_path: Path, reader: str
) -> None:
    assert rows(spark, tmp_path, reader, "a int NOT NULL") == [{"a": 1}, {"a": None}]


def rows(spark: SparkSession, folder: Path, reader: str, columns: str) -> list[dict[str, object]]:
    """What a table with these columns has, over one file with an int and a struct."""
    member = pa.struct([("x", pa.int32())])
    table = {"a": pa.array([1, None], pa.int32()), "s": pa.array([{"x": 5}, {"x": 6}], member)}
    pq.write_table(pa.table(table), folder / "one.parquet")
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", READERS[reader])
    spark.sql("DROP TABLE IF EXISTS traits")
    spark.sql(f"CREATE TABLE traits ({columns}) USING parquet LOCATION '{folder}'")
    return [row.asDict(recursive=True) for row in spark.table("traits").collect()]
