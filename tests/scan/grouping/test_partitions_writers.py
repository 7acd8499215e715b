"""What the writers that are installed here really make of awkward partition values."""

from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from lumos_snap.model.types import Kind
from lumos_snap.scan.grouping.assign import Layout, place_file
from lumos_snap.scan.grouping.include_exclude import ignore_reason
from lumos_snap.scan.grouping.partitions import Partitions

TEXTS = ["a b", "é/=%:", "c*", None]
TABLE = pa.table(
    {
        "x": [1, 2, 3, 4],
        "key": TEXTS,
        "at": [datetime.fromisoformat("2024-01-15T10:30:00")] * 4,
        "day": [date(2024, 1, 15), date(2024, 1, 16), None, None],
        "number": [7, 8, 9, 10],
    }
)
COLUMNS = ["key", "at", "day", "number"]
UNWRITTEN = "__HIVE_DEFAULT_PARTITION__"


def _with_arrow(folder: Path) -> None:
    from pyarrow import dataset  # noqa: PLC0415 - only this test writes with it

    parts = dataset.partitioning(TABLE.select(COLUMNS).schema, flavor="hive")
    dataset.write_dataset(TABLE, folder, format="parquet", partitioning=parts)


def _with_parquet(folder: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415 - only this test writes with it

    parquet.write_to_dataset(TABLE, folder, partition_cols=COLUMNS)


def _with_duckdb(folder: Path) -> None:
    import duckdb  # noqa: PLC0415 - only this test writes with it

    with duckdb.connect() as connection:
        connection.register("given", TABLE)
        columns = ", ".join(f'"{column}"' for column in COLUMNS)
        connection.sql(f"COPY given TO '{folder}' (FORMAT parquet, PARTITION_BY ({columns}))")


def _with_polars(folder: Path) -> None:
    import polars  # noqa: PLC0415 - only this test writes with it

    frame = polars.from_arrow(TABLE)
    assert isinstance(frame, polars.DataFrame)
    frame.write_parquet(f"{folder}/", partition_by=COLUMNS)


@pytest.mark.parametrize(
    "write",
    [_with_arrow, _with_parquet, _with_duckdb, _with_polars],
    ids=lambda write: write.__name__.removeprefix("_with_"),
)
def test_partitions_are_read_as_they_were_meant(write, tmp_path: Path) -> None:
    write(tmp_path / "clicks")
    _check(tmp_path)


@pytest.mark.slow
def test_partitions_of_spark_are_read_as_they_were_meant(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = [tuple(row[name] for name in TABLE.column_names) for row in TABLE.to_pylist()]
    frame = spark.createDataFrame(rows, "x int, key string, at timestamp_ntz, day date, number int")
    frame.write.partitionBy(*COLUMNS).parquet(str(tmp_path / "clicks"))
    _check(tmp_path)


def _check(tmp_path: Path) -> None:
    paths = [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()]
    placed = [place_file(path, Layout()) for path in paths if ignore_reason(path) is None]
    assert len(placed) == 4
    assert {(p.names, p.folder, p.files) for p in placed} == {(("clicks",), "clicks", None)}
    values = {v.value for p in placed for v in p.partitions if v.name == "key"}
    assert values == {UNWRITTEN if text is None else text for text in TEXTS}
    gathered = Partitions()
    for one in placed:
        gathered.add(one.partitions)
    typed = [(p.name, p.type) for p in gathered.partitioning()]
    kinds = [Kind.STRING, Kind.TIMESTAMP, Kind.DATE, Kind.INT32]
    assert typed == list(zip(COLUMNS, kinds, strict=True))
