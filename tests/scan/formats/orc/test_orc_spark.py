"""What Spark and ORC for Java write, and what Spark itself sees in a file."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import orc as pyarrow_orc
from pyspark.sql import SparkSession

from lumos_snap.model.types import DataType, Kind, Unit
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.orc import probe as orc_probe
from lumos_snap.scan.formats.orc.schema import schema_of
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.stores.store import BadFileError
from tests.scan.formats.orc.descriptions import columns, field, file_of
from tests.scan.formats.orc.test_orc_types import LEAVES, nested

pytestmark = pytest.mark.slow

TYPES = {
    "boolean": "BOOLEAN",
    "tinyint": "INT8",
    "smallint": "INT16",
    "int": "INT32",
    "bigint": "INT64",
    "float": "FLOAT32",
    "double": "FLOAT64",
    "string": "STRING",
    "binary": "BINARY",
    "date": "DATE",
    "timestamp": "TIMESTAMP(ns)",
    "timestamp_ntz": "TIMESTAMP(us)",
    "decimal(10,2)": "DECIMAL(10,2)",
    "decimal(38,38)": "DECIMAL(38,38)",
    "interval year to month": "INTERVAL(year-month)",
    "interval month": "INTERVAL(year-month)",
    "interval day to second": "INTERVAL(day-time)",
    "interval hour to minute": "INTERVAL(day-time)",
    "array<timestamp_ntz>": "ARRAY<TIMESTAMP(us)>",
    "map<string,interval day to second>": "MAP<STRING, INTERVAL(day-time)>",
    "struct<a:timestamp_ntz,`b.c d`:tinyint>": "STRUCT<a: TIMESTAMP(us), `b.c d`: INT8>",
}


def only_file(folder: Path) -> bytes:
    (path,) = folder.glob("*.orc")
    return path.read_bytes()


def probed(data: bytes) -> ProbeResult:
    return orc_probe.probe(file_of(data))


def described(data: bytes) -> DatasetSchema:
    return schema_of(json.loads(probed(data).schema))


def write(spark: SparkSession, folder: Path, kinds: list[str], **options: str) -> bytes:
    ddl = ", ".join(f"c{index} {kind}" for index, kind in enumerate(kinds))
    rows = spark.createDataFrame([], ddl).coalesce(1)
    rows.write.mode("overwrite").options(**options).orc(str(folder))
    return only_file(folder)


def test_types_that_spark_writes(spark: SparkSession, tmp_path: Path) -> None:
    found = described(write(spark, tmp_path / "t", list(TYPES)))
    assert list(columns(found).values()) == list(TYPES.values())
    assert not any(one.properties for one in found.schema.fields)


@pytest.mark.parametrize("codec", ["none", "zlib", "snappy", "lz4", "zstd", "lzo"])
def test_codecs_that_spark_writes(spark: SparkSession, tmp_path: Path, codec: str) -> None:
    rows = spark.range(7).coalesce(1)
    rows.write.option("compression", codec).orc(str(tmp_path / "t"))
    found = probed(only_file(tmp_path / "t"))
    assert (found.rows, found.version) == (7, "0.12")
    assert found.codecs == ("uncompressed" if codec == "none" else codec,)
    assert columns(schema_of(json.loads(found.schema))) == {"id": "INT64"}


@pytest.mark.parametrize("codec", ["zlib", "snappy", "lz4", "zstd"])
def test_wide_tables_of_every_codec(spark: SparkSession, tmp_path: Path, codec: str) -> None:
    found = described(write(spark, tmp_path / "t", ["int", "string"] * 400, compression=codec))
    assert list(columns(found).values()) == ["INT32", "STRING"] * 400


class Java:
    """ORC for Java, in the Java that Spark has started."""

    def __init__(self, spark: SparkSession) -> None:
        self.jvm: Any = spark._jvm
        self.conf = spark._jsc.hadoopConfiguration()

    def write(self, path: Path, schema: str, **options: Any) -> bytes:
        """A file without rows, of a schema in ORC's own notation."""
        orc_jvm = self.jvm.org.apache.orc
        told = orc_jvm.TypeDescription.fromString(schema)
        made = orc_jvm.OrcFile.writerOptions(self.conf).setSchema(told).overwrite(True)
        for name, held in options.items():
            made = getattr(made, name)(held)
        orc_jvm.OrcFile.createWriter(self.jvm.org.apache.hadoop.fs.Path(str(path)), made).close()
        return path.read_bytes()


JAVA = {
    "char(5)": "CHAR(5)",
    "varchar(70000)": "VARCHAR(70000)",
    "string": "STRING",
    "timestamp": "TIMESTAMP(ns)",
    "timestamp with local time zone": "TIMESTAMP(ns, UTC)",
    "uniontype<int,string,array<char(2)>>": "UNION<INT32, STRING, ARRAY<CHAR(2)>>",
    "decimal(20,5)": "DECIMAL(20,5)",
    "map<varchar(3),struct<>>": "MAP<VARCHAR(3), STRUCT<>>",
    "boolean": "BOOLEAN",
    "tinyint": "INT8",
    "smallint": "INT16",
    "int": "INT32",
    "bigint": "INT64",
    "float": "FLOAT32",
    "double": "FLOAT64",
    "binary": "BINARY",
    "date": "DATE",
}


def test_types_that_java_writes(spark: SparkSession, tmp_path: Path) -> None:
    members = ",".join(f"c{index}:{kind}" for index, kind in enumerate(JAVA))
    found = described(Java(spark).write(tmp_path / "f.orc", f"struct<{members}>"))
    assert list(columns(found).values()) == list(JAVA.values())


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("int", "INT32"),
        ("array<char(3)>", "ARRAY<CHAR(3)>"),
        ("uniontype<int,date>", "UNION<INT32, DATE>"),
    ],
)
def test_roots_that_are_no_structs(
    spark: SparkSession, tmp_path: Path, schema: str, expected: str
) -> None:
    assert columns(described(Java(spark).write(tmp_path / "f.orc", schema))) == {"value": expected}


def test_files_of_other_versions(spark: SparkSession, tmp_path: Path) -> None:
    java = Java(spark)
    version = getattr(java.jvm.org.apache.orc, "OrcFile$Version").V_0_11
    found = probed(java.write(tmp_path / "f.orc", "struct<a:int>", version=version))
    assert found.version == "0.11"


def test_encrypted_columns_say_their_types(spark: SparkSession, tmp_path: Path) -> None:
    java = Java(spark)
    orc_jvm = java.jvm.org.apache.orc
    keys = orc_jvm.InMemoryKeystore(java.jvm.java.util.Random(1))
    keys = keys.addKey("pii", orc_jvm.EncryptionAlgorithm.AES_CTR_128, bytearray(16))
    schema = "struct<a:int,ssn:string>"
    data = java.write(
        tmp_path / "f.orc", schema, setKeyProvider=keys, encrypt="pii:ssn", masks="nullify:ssn"
    )
    found = described(data)
    assert columns(found) == {"a": "INT32", "ssn": "STRING"}
    assert dict(field(found, "ssn").properties) == {"encrypt": "pii", "mask": "nullify"}
    assert "encrypted" in found.notes[0]


def test_a_footer_in_lzo_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(BadFileError) as refusal:
        probed(write(spark, tmp_path / "t", ["int"] * 50, compression="lzo"))
    assert refusal.value.reason == error_codes.UNREADABLE
    assert "lzo" in refusal.value.detail


SPARK = {
    Kind.BOOLEAN: "boolean",
    Kind.INT8: "tinyint",
    Kind.INT16: "smallint",
    Kind.INT32: "int",
    Kind.INT64: "bigint",
    Kind.FLOAT32: "float",
    Kind.FLOAT64: "double",
    Kind.STRING: "string",
    Kind.BINARY: "binary",
    Kind.DATE: "date",
}


def in_spark(one: DataType | None) -> str:
    """The name that Spark has for a portable type, as a file of ORC holds it."""
    assert one is not None
    match one.type:
        case Kind.DECIMAL:
            return f"decimal({one.precision},{one.scale})"
        case Kind.TIMESTAMP:
            is_local = one.unit is Unit.MICROSECOND and one.timezone is None
            return "timestamp_ntz" if is_local else "timestamp"
        case Kind.INTERVAL:
            whole = "year to month" if one.unit is Unit.YEAR_MONTH else "day to second"
            return one.native or f"interval {whole}"
        case kind:
            return SPARK[kind] if kind in SPARK else nested_in_spark(one)


def nested_in_spark(one: DataType) -> str:
    if one.type is Kind.ARRAY:
        return f"array<{in_spark(one.element)}>"
    if one.type is Kind.MAP:
        return f"map<{in_spark(one.key)},{in_spark(one.value)}>"
    members = (f"{member.name}:{in_spark(member)}" for member in one.fields)
    return f"struct<{','.join(members)}>"


def seen_by_spark(spark: SparkSession, path: Path) -> list[str]:
    return [one.dataType.simpleString() for one in spark.read.orc(str(path)).schema.fields]


FLAT = st.sampled_from([kind for kind in TYPES if "<" not in kind]) | st.builds(
    lambda precision, scale: f"decimal({precision},{min(precision, scale)})",
    st.integers(1, 38),
    st.integers(0, 38),
)


def nested_ddl(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return (
        inner.map("array<{}>".format)
        | st.builds("map<{},{}>".format, FLAT, inner)
        | st.lists(inner, min_size=1, max_size=4).map(
            lambda held: f"struct<{','.join(f'f{i}:{kind}' for i, kind in enumerate(held))}>"
        )
    )


QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
MANY = 40


@settings(deadline=None, max_examples=10, suppress_health_check=QUIET)
@given(
    st.lists(st.recursive(FLAT, nested_ddl, max_leaves=8), min_size=MANY, max_size=MANY),
    st.sampled_from(["none", "zlib", "snappy", "lz4", "zstd"]),
)
def test_spark_sees_the_same_in_what_spark_writes(
    spark: SparkSession, tmp_path: Path, kinds: list[str], codec: str
) -> None:
    folder = tmp_path / "spark"
    found = described(write(spark, folder, kinds, compression=codec))
    assert [in_spark(one) for one in found.schema.fields] == seen_by_spark(spark, folder) == kinds


@settings(deadline=None, max_examples=30, suppress_health_check=QUIET)
@given(st.lists(st.recursive(LEAVES, nested, max_leaves=8), min_size=MANY, max_size=MANY))
def test_spark_sees_the_same_in_what_arrow_writes(
    spark: SparkSession, tmp_path: Path, members: list[tuple[Any, str]]
) -> None:
    path = tmp_path / "arrow.orc"
    told = pa.schema([(f"c{index}", arrow) for index, (arrow, _) in enumerate(members)])
    pyarrow_orc.write_table(told.empty_table(), str(path))
    found = described(path.read_bytes())
    assert [in_spark(one) for one in found.schema.fields] == seen_by_spark(spark, path)
