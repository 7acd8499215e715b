"""Files of real writers: what each type of theirs becomes."""

import io
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.scan.formats.parquet.descriptions import described, fields, probed, types

ARROW: tuple[tuple[pa.DataType, str], ...] = (
    (pa.bool_(), "BOOLEAN"),
    (pa.int8(), "INT8"),
    (pa.int16(), "INT16"),
    (pa.int32(), "INT32"),
    (pa.int64(), "INT64"),
    (pa.uint8(), "UINT8"),
    (pa.uint16(), "UINT16"),
    (pa.uint32(), "UINT32"),
    (pa.uint64(), "UINT64"),
    (pa.float16(), "FLOAT16"),
    (pa.float32(), "FLOAT32"),
    (pa.float64(), "FLOAT64"),
    (pa.decimal32(5, 2), "DECIMAL(5,2)"),
    (pa.decimal128(38, 0), "DECIMAL(38,0)"),
    (pa.decimal256(60, 2), "DECIMAL(60,2)"),
    (pa.string(), "STRING"),
    (pa.large_string(), "STRING"),
    (pa.string_view(), "STRING"),
    (pa.binary(), "BINARY"),
    (pa.binary(7), "FIXED(7)"),
    (pa.date32(), "DATE"),
    (pa.date64(), "DATE"),
    (pa.time32("s"), "TIME(ms)"),
    (pa.time64("us"), "TIME(us)"),
    (pa.time64("ns"), "TIME(ns)"),
    (pa.timestamp("s"), "TIMESTAMP(ms)"),
    (pa.timestamp("ms", "UTC"), "TIMESTAMP(ms, UTC)"),
    (pa.timestamp("us"), "TIMESTAMP(us)"),
    (
        pa.timestamp("ns", "Europe/Berlin"),
        "TIMESTAMP(ns, UTC) native timestamp[ns, tz=Europe/Berlin]",
    ),
    (pa.duration("ms"), "INTERVAL(ms)"),
    (pa.null(), "NULL"),
    (pa.dictionary(pa.int8(), pa.string()), "STRING"),
    (pa.uuid(), "UUID"),
    (pa.json_(), "JSON"),
    (pa.bool8(), "BOOLEAN as INT8"),
    (pa.opaque(pa.int32(), "x", "y"), "INT32 native arrow.opaque"),
    (pa.list_(pa.int8()), "ARRAY<INT8>"),
    (pa.list_(pa.int8(), 3), "ARRAY<INT8>(3)"),
    (pa.large_list(pa.field("e", pa.duration("s"), nullable=False)), "ARRAY<INTERVAL(s) NOT NULL>"),
    (pa.map_(pa.string(), pa.field("v", pa.int8(), nullable=False)), "MAP<STRING, INT8 NOT NULL>"),
    (pa.struct([pa.field("x", pa.list_(pa.uuid()))]), "STRUCT<x: ARRAY<UUID>>"),
)


def written(schema: pa.Schema, **options: Any) -> bytes:
    target = io.BytesIO()
    pq.ParquetWriter(target, schema, **options).close()
    return target.getvalue()


@pytest.mark.parametrize(("given", "expected"), ARROW, ids=lambda one: str(one)[:40])
def test_types_of_arrow(given: pa.DataType, expected: str) -> None:
    assert types(written(pa.schema([("c", given)]))) == {"c": expected}


def test_arrow_types_without_arrows_own_words() -> None:
    schema = pa.schema([("d", pa.duration("ms")), ("l", pa.list_(pa.int8(), 3))])
    assert types(written(schema, store_schema=False)) == {"d": "INT64", "l": "ARRAY<INT8>"}


def test_arrow_without_null_and_with_ids_and_descriptions() -> None:
    inner = pa.field("x", pa.int8(), metadata={"description": "inside", "PARQUET:field_id": "7"})
    schema = pa.schema(
        [
            pa.field("a", pa.int8(), nullable=False, metadata={"comment": "first"}),
            pa.field("s", pa.struct([inner]), metadata={"PARQUET:field_id": "3"}),
        ]
    )
    found = fields(written(schema))
    assert (found["a"].nullable, found["a"].description) == (False, "first")
    assert found["s"].id == 3
    assert found["s"].fields[0].id == 7
    assert found["s"].fields[0].description == "inside"


def test_int96_is_an_instant_only_where_the_writer_says_so() -> None:
    schema = pa.schema([("local", pa.timestamp("us")), ("instant", pa.timestamp("us", "UTC"))])
    assert types(written(schema, use_deprecated_int96_timestamps=True)) == {
        "local": "TIMESTAMP(ns) as INT96",
        "instant": "TIMESTAMP(ns, UTC) as INT96",
    }


@pytest.mark.parametrize("version", ["1.0", "2.6"])
def test_the_version_and_the_codecs_are_the_files(version: str) -> None:
    table = pa.table({"a": [1], "b": ["x"], "c": [1.5]})
    target = io.BytesIO()
    codecs = {"a": "zstd", "b": "gzip", "c": "none"}
    pq.write_table(table, target, version=version, compression=codecs)
    found = probed(target.getvalue())
    assert found.codecs == ("gzip", "uncompressed", "zstd")
    assert (found.format, found.rows, found.version) == ("parquet", 1, version[0])


def test_types_of_duckdb(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    duckdb.sql(f"""
        COPY (SELECT NULL::tinyint a, NULL::uinteger b, NULL::hugeint h, NULL::varchar s,
            NULL::enum('a', 'b') e, NULL::json j, NULL::uuid u, NULL::interval i, NULL::date d,
            NULL::time t, NULL::timestamp ts, NULL::timestamptz tz, NULL::timestamp_ns tn,
            NULL::timestamp_ms tm, NULL::integer[][] l, NULL::map(varchar, double) m,
            NULL::struct(x float, y blob) st, NULL::decimal(4, 1) d4, NULL::decimal(18, 3) d18,
            NULL::decimal(38, 3) d38
        ) TO '{path}' (FORMAT parquet)
    """)
    assert types(path.read_bytes()) == {
        "a": "INT8",
        "b": "UINT32",
        "h": "FLOAT64",
        "s": "STRING",
        "e": "STRING",
        "j": "JSON",
        "u": "UUID",
        "i": "INTERVAL",
        "d": "DATE",
        "t": "TIME(us)",
        "ts": "TIMESTAMP(us)",
        "tz": "TIMESTAMP(us, UTC)",
        "tn": "TIMESTAMP(ns)",
        "tm": "TIMESTAMP(ms)",
        "l": "ARRAY<ARRAY<INT32>>",
        "m": "MAP<STRING, FLOAT64>",
        "st": "STRUCT<x: FLOAT32, y: BINARY>",
        "d4": "DECIMAL(4,1)",
        "d18": "DECIMAL(18,3)",
        "d38": "DECIMAL(38,3)",
    }


def test_types_of_polars() -> None:
    frame = pl.DataFrame(
        {
            "i": pl.Series([1], dtype=pl.Int16),
            "u": pl.Series([1], dtype=pl.UInt64),
            "c": pl.Series(["a"], dtype=pl.Categorical),
            "e": pl.Series(["a"], dtype=pl.Enum(["a", "b"])),
            "l": pl.Series([[1.5]], dtype=pl.List(pl.Float32)),
            "a": pl.Series([[1, 2]], dtype=pl.Array(pl.Int8, 2)),
            "s": pl.Series([{"x": True}]),
            "t": pl.Series([1], dtype=pl.Time),
            "d": pl.Series([timedelta(1)], dtype=pl.Duration("us")),
            "m": pl.Series([1], dtype=pl.Datetime("ns", "Europe/Berlin")),
            "n": pl.Series([None]),
            "p": pl.Series([Decimal("1.5")], dtype=pl.Decimal(10, 2)),
            "b": pl.Series([b"x"]),
        }
    )
    target = io.BytesIO()
    frame.write_parquet(target)
    assert types(target.getvalue()) == {
        "i": "INT16",
        "u": "UINT64",
        "c": "STRING",
        "e": "STRING",
        "l": "ARRAY<FLOAT32>",
        "a": "ARRAY<INT8>(2)",
        "s": "STRUCT<x: BOOLEAN>",
        "t": "TIME(ns)",
        "d": "INTERVAL(us)",
        "m": "TIMESTAMP(ns, UTC) native timestamp[ns, tz=Europe/Berlin]",
        "n": "NULL",
        "p": "DECIMAL(10,2)",
        "b": "BINARY",
    }
    assert described(target.getvalue()).notes == ()


def test_types_of_pandas_and_its_index() -> None:
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None], "Int8"),
            "s": ["x", None],
            "c": pd.Categorical(["x", "y"]),
            "p": pd.period_range("2020", periods=2, freq="D"),
            "t": pd.to_datetime(["2020-01-01", None]),
        },
        index=pd.Index(["q", "r"], name="key"),
    )
    target = io.BytesIO()
    frame.to_parquet(target)
    found = fields(target.getvalue())
    assert types(target.getvalue()) == {
        "i": "INT8",
        "s": "STRING",
        "c": "STRING",
        "p": "INT64 native pandas.period",
        "t": "TIMESTAMP(ns)",
        "key": "STRING",
    }
    assert [name for name, one in found.items() if one.properties] == ["key"]
    assert found["key"].properties == {"pandas_index": True}
