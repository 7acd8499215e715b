"""What Spark and Avro for Java write, whose schemas Java has parsed and written again."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.scan.formats.avro.avro_files import column, described, header, probed, record, written
from tests.scan.formats.avro.test_avro_types import TYPES
from tests.scan.formats.orc.descriptions import columns, field

pytestmark = pytest.mark.slow


def java_file(spark: SparkSession, path: Path, schema: Any, codec: str = "null") -> bytes:
    """A file without rows, as Java writes it."""
    jvm: Any = spark._jvm
    avro = jvm.org.apache.avro
    told = getattr(avro, "Schema$Parser")().parse(json.dumps(schema))
    writer = avro.file.DataFileWriter(avro.generic.GenericDatumWriter(told))
    writer.setCodec(avro.file.CodecFactory.fromString(codec))
    writer.setMeta("own", "what a job says")
    writer.create(told, jvm.java.io.File(str(path))).close()
    return path.read_bytes()


@pytest.mark.parametrize(("kind", "expected"), TYPES, ids=str)
def test_types_that_java_writes(
    spark: SparkSession, tmp_path: Path, kind: Any, expected: str
) -> None:
    data = java_file(spark, tmp_path / "f.avro", column(kind))
    assert columns(described(data)) == {"c": expected}


NODE = record(
    {"name": "label", "type": "string", "doc": "a word", "aliases": ["l"], "default": "é"},
    {"name": "next", "type": ["null", "Node"], "default": None},
    {"name": "far", "type": {"type": "map", "values": {**record("n.Node"), "name": "o.Far"}}},
    {"name": "own", "type": {"type": "int", "connect.version": 1}, "pii": True},
    name="Node",
    namespace="n",
    doc="of the whole",
)


def test_java_and_fastavro_say_the_same_of_named_types(spark: SparkSession, tmp_path: Path) -> None:
    found = described(java_file(spark, tmp_path / "f.avro", NODE))
    assert found == described(header(NODE))
    assert columns(found) == columns(described(written(NODE)))
    assert len(found.schema.definitions) == 2
    assert dict(field(found, "own").properties) == {"connect.version": 1, "pii": True}


@pytest.mark.parametrize("codec", ["deflate", "snappy", "bzip2", "xz", "zstandard"])
def test_codecs_that_java_writes(spark: SparkSession, tmp_path: Path, codec: str) -> None:
    found = probed(java_file(spark, tmp_path / "f.avro", column("int"), codec))
    assert found.codecs == (codec,)


SPARK = {
    "boolean": "BOOLEAN",
    "int": "INT32",
    "bigint": "INT64",
    "float": "FLOAT32",
    "double": "FLOAT64",
    "string": "STRING",
    "binary": "BINARY",
    "date": "DATE",
    "timestamp": "TIMESTAMP(us, UTC)",
    "timestamp_ntz": "TIMESTAMP(us)",
    "decimal(12,2)": "DECIMAL(12,2)",
    "interval year to month": "INTERVAL(year-month)",
    "interval day to second": "INTERVAL(day-time)",
    "array<int>": "ARRAY<INT32>",
    "map<string,date>": "MAP<STRING, DATE>",
    "struct<a:struct<b:int>>": "STRUCT<a: STRUCT<b: INT32>>",
}


def test_types_that_spark_writes(spark: SparkSession, tmp_path: Path) -> None:
    ddl = ", ".join(f"c{index} {kind}" for index, kind in enumerate(SPARK))
    rows = spark.createDataFrame([], ddl).coalesce(1)
    rows.write.format("org.apache.spark.sql.avro.AvroFileFormat").save(str(tmp_path / "t"))
    (path,) = (tmp_path / "t").glob("*.avro")
    found = described(path.read_bytes())
    assert list(columns(found).values()) == list(SPARK.values())
    assert not any(one.properties for one in found.schema.fields)
