"""The same small table, as independent programs write it in each format."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path

import duckdb
import fastavro
import pandas
import polars
import pyarrow as pa
from pyarrow import csv, feather, orc
from pyarrow import parquet as pq
from pyspark.sql import SparkSession

Write = Callable[[Path], None]

AT = datetime(2026, 1, 15, 10, 30, tzinfo=UTC)
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("small", pa.int16()),
        pa.field("ratio", pa.float32()),
        pa.field("price", pa.decimal128(12, 2)),
        pa.field("name", pa.string(), metadata={"description": "what people call it"}),
        pa.field("raw", pa.binary()),
        pa.field("day", pa.date32()),
        pa.field("at", pa.timestamp("us", "UTC")),
        pa.field("local", pa.timestamp("us")),
        pa.field("flag", pa.bool_()),
        pa.field("tags", pa.list_(pa.string())),
        pa.field("place", pa.struct([("city", pa.string()), ("zip", pa.int32())])),
    ]
)
ROW = {
    "id": 1,
    "small": 2,
    "ratio": 0.5,
    "price": Decimal("19.90"),
    "name": "Jane",
    "raw": b"\0\1",
    "day": date(2026, 1, 15),
    "at": AT,
    "local": AT.replace(tzinfo=None),
    "flag": True,
    "tags": ["a", "b"],
    "place": {"city": "Rome", "zip": 184},
}
TABLE = pa.Table.from_pylist([ROW, {**ROW, "id": 2, "small": None}], schema=SCHEMA)
FLAT = TABLE.drop_columns(["raw", "tags", "place"])
POORER = FLAT.drop_columns(["price", "small", "at"])  # what polars can write as Avro
TEXTUAL = TABLE.drop_columns(["raw"])


def _polars(table: pa.Table) -> polars.DataFrame:
    frame = polars.from_arrow(table)
    assert isinstance(frame, polars.DataFrame)
    return frame


def _duckdb(query: str, path: Path, options: str) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"COPY ({query}) TO '{path}' ({options})")


_QUERY = """
    SELECT 1::BIGINT AS id, 2::SMALLINT AS small, 0.5::FLOAT AS ratio,
    19.90::DECIMAL(12, 2) AS price, 'Jane' AS name, DATE '2026-01-15' AS day,
    TIMESTAMPTZ '2026-01-15 10:30:00+00' AS at, TIMESTAMP '2026-01-15 10:30:00' AS local,
    TIME '10:30:00' AS clock, true AS flag, uuid() AS key,
    128::UTINYINT AS byte, ['a'] AS tags, {'city': 'Rome', 'zip': 184} AS place,
    MAP {'a': 1} AS counts, INTERVAL 3 DAYS AS span, 'x'::ENUM('x', 'y') AS kind
"""


def _avro(path: Path) -> None:
    fields: list[dict[str, object]] = [
        {"name": "id", "type": "long", "doc": "never used twice"},
        {"name": "name", "type": ["null", "string"], "default": None, "aliases": ["label"]},
        {
            "name": "price",
            "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2},
        },
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "clock", "type": {"type": "int", "logicalType": "time-millis"}},
        {
            "name": "kind",
            "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"], "default": "A"},
        },
        {"name": "either", "type": ["int", "string"]},
        {"name": "tree", "type": ["null", "node"], "default": None},
    ]
    node = {
        "type": "record",
        "name": "node",
        "fields": [
            {"name": "value", "type": "int"},
            {"name": "next", "type": ["null", "node"], "default": None},
        ],
    }
    fields[-1]["type"] = ["null", node]
    schema = {"type": "record", "name": "thing", "doc": "A thing", "fields": fields}
    row = {
        "id": 1, "name": None, "price": Decimal("1.00"), "at": AT, "clock": time(10, 30),
        "kind": "B", "either": "x", "tree": {"value": 1, "next": None},
    }  # fmt: skip
    with path.open("wb") as file:
        fastavro.writer(file, schema, [row])


def _spark(spark: SparkSession, file_format: str) -> Write:
    query = """
        SELECT 1L AS id, 2S AS small, 0.5F AS ratio, CAST(19.90 AS DECIMAL(12, 2)) AS price,
        'Jane' AS name, X'0001' AS raw, DATE '2026-01-15' AS day,
        TIMESTAMP '2026-01-15 10:30:00' AS at, TIMESTAMP_NTZ '2026-01-15 10:30:00' AS local,
        true AS flag, array('a') AS tags,
        named_struct('city', 'Rome', 'zip', 184) AS place, map('a', 1) AS counts
    """

    def write(path: Path) -> None:
        spark.sql(query).coalesce(1).write.mode("append").format(file_format).save(str(path.parent))

    return write


def _json_lines(path: Path) -> None:
    rows = [
        {**ROW, "raw": None, "price": 19.9, "day": "2026-01-15", "at": "x", "local": 1},
        {"id": 2},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def writers(spark: SparkSession) -> Mapping[str, Write]:
    """Who writes what: the names are those of the datasets, format first."""
    return {
        "parquet/pyarrow": lambda path: pq.write_table(TABLE, path),
        "parquet/pandas": lambda path: TABLE.to_pandas().set_index("id").to_parquet(path),
        "parquet/polars": lambda path: _polars(TABLE).write_parquet(path),
        "parquet/duckdb": lambda path: _duckdb(_QUERY, path, "FORMAT parquet"),
        "parquet/spark": _spark(spark, "parquet"),
        "orc/pyarrow": lambda path: orc.write_table(TABLE, path),
        "orc/pandas": lambda path: FLAT.to_pandas().to_orc(path),
        "orc/spark": _spark(spark, "orc"),
        "avro/fastavro": _avro,
        "avro/polars": lambda path: _polars(POORER).write_avro(path),
        "arrow/pyarrow": lambda path: feather.write_feather(TABLE, path),
        "arrow/polars": lambda path: _polars(TABLE).write_ipc(path),
        "csv/pandas": lambda path: FLAT.to_pandas().to_csv(path, index=False),
        "csv/polars": lambda path: _polars(FLAT).write_csv(path, separator=";"),
        "csv/pyarrow": lambda path: csv.write_csv(FLAT, path),
        "csv/duckdb": lambda path: _duckdb(_QUERY, path, "FORMAT csv, DELIMITER '\t'"),
        "csv/spark": lambda path: spark.sql("SELECT 1 AS id, 'a' AS name, 0.5 AS ratio")
        .coalesce(1).write.mode("append").option("header", True).option("compression", "gzip")
        .csv(str(path.parent)),
        "json/pandas": lambda path: pandas.DataFrame({"id": [1], "tags": [["a"]]}).to_json(
            path, orient="records", lines=True
        ),
        "json/polars": lambda path: _polars(TEXTUAL).write_ndjson(path),
        "json/duckdb": lambda path: _duckdb(_QUERY, path, "FORMAT json, ARRAY true"),
        "json/python": _json_lines,
    }  # fmt: skip
