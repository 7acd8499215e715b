"""Spark as a witness: files that it wrote, and what its own reader makes of any file's schema."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    YearMonthIntervalType,
)

from lumos_snap.model import types as model
from lumos_snap.model.types import Kind, Unit
from tests.scan.formats.parquet.descriptions import described, fields, line, probed, types
from tests.scan.formats.parquet.footers import built
from tests.scan.formats.parquet.test_parquet_types import FITTING

pytestmark = pytest.mark.slow

_SCALARS: Mapping[Kind, str] = {
    Kind.BOOLEAN: "boolean",
    Kind.INT8: "tinyint",
    Kind.INT16: "smallint",
    Kind.INT32: "int",
    Kind.INT64: "bigint",
    Kind.UINT8: "smallint",
    Kind.UINT16: "int",
    Kind.UINT32: "bigint",
    Kind.UINT64: "decimal(20,0)",
    Kind.FLOAT32: "float",
    Kind.FLOAT64: "double",
    Kind.STRING: "string",
    Kind.ENUM: "string",
    Kind.JSON: "string",
    Kind.BINARY: "binary",
    Kind.FIXED: "binary",
    Kind.DATE: "date",
    Kind.VARIANT: "variant",
}
_INTERVALS = {Unit.YEAR_MONTH: "interval year to month", Unit.DAY_TIME: "interval day to second"}


def ddl(one: model.DataType) -> str:
    """The type that Spark has for a portable one."""
    return _nested(one) or _scalar(one)


def _nested(one: model.DataType) -> str:
    if one.element is not None:
        return f"array<{ddl(one.element)}>"
    if one.key is not None and one.value is not None:
        return f"map<{ddl(one.key)},{ddl(one.value)}>"
    if one.type is Kind.STRUCT:
        return f"struct<{','.join(f'{f.name}:{ddl(f)}' for f in one.fields)}>"
    return ""


def _scalar(one: model.DataType) -> str:
    match one.type:
        case Kind.DECIMAL:
            return f"decimal({one.precision},{one.scale})"
        case Kind.TIMESTAMP:
            # Spark takes INT96 for instants, whoever wrote it.
            is_instant = one.timezone is not None or one.physical == "INT96"
            return "timestamp" if is_instant else "timestamp_ntz"
        case Kind.INTERVAL:
            assert one.unit is not None
            return one.native or _INTERVALS.get(one.unit, "bigint")
        case kind:
            # Spark knows no words of Arrow's: what those say beyond Parquet is not for it.
            return "tinyint" if one.physical == "INT8" else _SCALARS[kind]


def as_spark(columns: Sequence[model.Field]) -> str:
    return f"struct<{','.join(f'{one.name}:{ddl(one)}' for one in columns)}>"


ARROW_SCALARS: tuple[pa.DataType, ...] = (
    pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(),
    pa.uint32(), pa.uint64(), pa.float32(), pa.float64(), pa.string(), pa.large_string(),
    pa.binary(), pa.binary(5), pa.date32(), pa.timestamp("ms"), pa.timestamp("us"),
    pa.timestamp("us", "Europe/Berlin"), pa.timestamp("s", "UTC"), pa.decimal128(9, 2),
    pa.decimal128(38, 10), pa.decimal32(4, 0), pa.dictionary(pa.int8(), pa.string()),
    pa.duration("us"), pa.json_(), pa.bool8(),
)  # fmt: skip
SPARK_SCALARS: tuple[DataType, ...] = (
    BooleanType(), ByteType(), ShortType(), IntegerType(), LongType(), FloatType(), DoubleType(),
    StringType(), BinaryType(), DateType(), TimestampType(), TimestampNTZType(), DecimalType(9, 2),
    DecimalType(18, 0), DecimalType(38, 37), YearMonthIntervalType(), YearMonthIntervalType(0, 0),
    DayTimeIntervalType(), DayTimeIntervalType(0, 1),
)  # fmt: skip
NAMES = st.sampled_from(["a", "b", "key", "value", "list", "element", "array"])


def of_arrow(inner: st.SearchStrategy[pa.DataType]) -> st.SearchStrategy[pa.DataType]:
    member = st.builds(pa.field, NAMES, inner, st.booleans())
    return st.one_of(
        member.map(pa.list_),
        st.builds(pa.map_, st.just(pa.string()), member),
        st.lists(member, min_size=1, max_size=3, unique_by=lambda one: one.name).map(pa.struct),
    )


def of_spark(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
    member = st.builds(StructField, NAMES, inner, st.booleans())
    return st.one_of(
        st.builds(ArrayType, inner, st.booleans()),
        st.builds(MapType, st.just(StringType()), inner, st.booleans()),
        st.lists(member, min_size=1, max_size=3, unique_by=lambda one: one.name).map(StructType),
    )


ARROW = st.recursive(st.sampled_from(ARROW_SCALARS), of_arrow, max_leaves=5)
SPARK = st.recursive(st.sampled_from(SPARK_SCALARS), of_spark, max_leaves=5)
MANY = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)


@MANY
@given(listed=st.lists(st.tuples(ARROW, st.booleans()), min_size=1, max_size=6))
def test_spark_reads_arrows_files_as_we_do(
    listed: list[tuple[pa.DataType, bool]], spark: SparkSession, tmp_path_factory: Any
) -> None:
    columns = [pa.field(f"c{n}", held, null) for n, (held, null) in enumerate(listed)]
    path = tmp_path_factory.mktemp("arrow") / "x.parquet"
    pq.ParquetWriter(path, pa.schema(columns)).close()
    found = described(path.read_bytes())
    assert as_spark(found.schema.fields) == spark.read.parquet(str(path)).schema.simpleString()
    assert found.notes == ()
    assert [one.nullable for one in found.schema.fields] == [one.nullable for one in columns]


@MANY
@given(listed=st.lists(st.tuples(SPARK, st.booleans()), min_size=1, max_size=6))
def test_spark_reads_its_own_files_as_we_do(
    listed: list[tuple[DataType, bool]], spark: SparkSession, tmp_path_factory: Any
) -> None:
    schema = StructType([StructField(f"c{n}", held, null) for n, (held, null) in enumerate(listed)])
    folder = tmp_path_factory.mktemp("spark") / "x"
    data = write(spark, folder, schema)
    found = described(data)
    assert as_spark(found.schema.fields) == spark.read.parquet(str(folder)).schema.simpleString()
    assert found.notes == ()
    assert [_nulls(one) for one in found.schema.fields] == [_spark_nulls(one) for one in schema]


def write(spark: SparkSession, folder: Path, schema: StructType) -> bytes:
    spark.createDataFrame([], schema).coalesce(1).write.parquet(str(folder))
    (path,) = folder.glob("*.parquet")
    return path.read_bytes()


def _nulls(one: model.Field | model.Element) -> object:
    """Whether it may be null, and likewise what is inside."""
    inside: list[object] = [_nulls(held) for held in (one.element, one.value) if held is not None]
    return one.nullable, inside + [_nulls(held) for held in one.fields]


def _spark_nulls(one: StructField) -> object:
    def inside(held: DataType) -> list[object]:
        match held:
            case ArrayType():
                return [(held.containsNull, inside(held.elementType))]
            case MapType():
                return [(held.valueContainsNull, inside(held.valueType))]
            case StructType():
                return [(field.nullable, inside(field.dataType)) for field in held]
            case _:
                return []

    return one.nullable, inside(one.dataType)


NOT_OF_SPARK = (
    "(ns)", "(ns, UTC)", "TIME(", "FLOAT16", "UUID", "geo", "INTERVAL", "90", "BSON", "NULL",
)  # fmt: skip


def test_spark_reads_scalar_types_as_we_do(spark: SparkSession, tmp_path: Path) -> None:
    told, read = [], []
    for number, (expected, column) in enumerate(FITTING):
        if any(word in expected for word in NOT_OF_SPARK):
            continue
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(built(column))
        told.append((expected, ddl(fields(path.read_bytes())["c"])))
        read.append((expected, spark.read.parquet(str(path)).schema["c"].dataType.simpleString()))
    assert told == read
    assert len(told) > 20


QUERY = """
SELECT 'x' COLLATE unicode_ci b, timestamp'2020-01-01' ts, timestamp_ntz'2020-01-01' tn,
    interval '1' year y, interval '1-1' year to month ym, interval '1 1' day to hour dh,
    interval '1 1:1:1' day to second dt, parse_json('{}') v, date'2020-01-01' d, 1.5bd n,
    array(named_struct('x', 1y, 'y', binary('s'))) l, map('a', interval '1' year) m
"""


@pytest.mark.parametrize("legacy", ["false", "true"])
@pytest.mark.parametrize("stamps", ["INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS"])
def test_types_of_spark(spark: SparkSession, tmp_path: Path, legacy: str, stamps: str) -> None:
    settings = {
        "spark.sql.parquet.outputTimestampType": stamps,
        "spark.sql.parquet.writeLegacyFormat": legacy,
    }
    for name, setting in settings.items():
        spark.conf.set(name, setting)
    try:
        spark.sql(QUERY).write.parquet(str(tmp_path / "x"))
    finally:
        for name in settings:
            spark.conf.unset(name)
    (path,) = (tmp_path / "x").glob("*.parquet")
    found = types(path.read_bytes())
    assert found == {
        "b": "STRING COLLATE icu.UNICODE_CI NOT NULL",
        "ts": {
            "INT96": "TIMESTAMP(ns, UTC) NOT NULL as INT96",
            "TIMESTAMP_MICROS": "TIMESTAMP(us, UTC) NOT NULL",
            "TIMESTAMP_MILLIS": "TIMESTAMP(ms, UTC) NOT NULL",
        }[stamps],
        "tn": "TIMESTAMP(us) NOT NULL",
        "y": "INTERVAL(year-month) NOT NULL native interval year",
        "ym": "INTERVAL(year-month) NOT NULL",
        "dh": "INTERVAL(day-time) NOT NULL native interval day to hour",
        "dt": "INTERVAL(day-time) NOT NULL",
        "v": "VARIANT NOT NULL",
        "d": "DATE NOT NULL",
        "n": "DECIMAL(2,1) NOT NULL",
        "l": "ARRAY<STRUCT<x: INT8 NOT NULL, y: BINARY NOT NULL> NOT NULL> NOT NULL",
        "m": "MAP<STRING, INTERVAL(year-month) NOT NULL> NOT NULL",
    }


def test_comments_and_bounded_texts_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    schema = StructType(
        [
            StructField("a", IntegerType(), True, {"comment": "the a"}),
            StructField("c", StringType(), True, {"__CHAR_VARCHAR_TYPE_STRING": "char(3)"}),
            StructField("v", StringType(), True, {"__CHAR_VARCHAR_TYPE_STRING": "varchar(4)"}),
            StructField("s", StructType([StructField("x", DateType(), True, {"comment": "in"})])),
        ]
    )
    found = fields(write(spark, tmp_path / "x", schema))
    assert [line(one) for one in found.values()] == [
        "INT32",
        "CHAR(3)",
        "VARCHAR(4)",
        "STRUCT<x: DATE>",
    ]
    assert found["a"].description == "the a"
    assert found["s"].fields[0].description == "in"


def test_evidence_of_spark_does_not_follow_the_data(spark: SparkSession, tmp_path: Path) -> None:
    said: list[tuple[str, int | None]] = []
    for rows in (1, 5000):
        folder = tmp_path / str(rows)
        spark.range(rows).selectExpr("id", "concat('a value ', id) s", "array(id) l").coalesce(
            1
        ).write.parquet(str(folder))
        (path,) = folder.glob("*.parquet")
        found = probed(path.read_bytes())
        said.append((found.schema, found.rows))
    assert said[0][0] == said[1][0]
    assert [rows for _, rows in said] == [1, 5000]
    assert "a value" not in said[1][0]
