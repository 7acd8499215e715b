"""Catalogs behind other sessions: Hive's metastore over Thrift and embedded, and Spark Connect."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyspark
import pytest
from deltalake import write_deltalake
from hive_metastore.ttypes import FieldSchema, SerDeInfo, StorageDescriptor
from hive_metastore.ttypes import Table as HiveTable
from pyiceberg.catalog import load_catalog
from pyiceberg.catalog.hive import HiveCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform
from pyiceberg.types import LongType, NestedField, TimestamptzType, UUIDType

from lumos_snap.model.type_syntax import format_type
from lumos_snap.scan.formats.registry import SCHEMAS
from lumos_snap.scan.schemas.supertype import DatasetSchema
from tests.world.servers.clusters import connect_server
from tests.world.servers.hive import Metastore, metastore

pytestmark = pytest.mark.world

OFFLINE = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
TABLES = (
    "CREATE DATABASE shop COMMENT 'a shop'",
    (
        "CREATE TABLE shop.Orders (Id BIGINT COMMENT 'the number', code CHAR(3), note VARCHAR(9),"
        " lines ARRAY<STRUCT<Sku: STRING COMMENT 'inner', n: INT>>, at TIMESTAMP, day DATE)"
        " USING parquet PARTITIONED BY (day) COMMENT 'orders' TBLPROPERTIES ('team' = 'sales')"
    ),
    "INSERT INTO shop.orders SELECT 1, 'a', 'b', null, null, DATE '2026-01-15'",
    "CREATE VIEW shop.ids (n COMMENT 'of orders') AS SELECT id FROM shop.orders",
)
OF_HIVE = (
    (
        "CREATE TABLE shop.logs (A INT COMMENT 'c', m MAP<STRING, STRUCT<x: VARCHAR(4)>>)"
        " PARTITIONED BY (d DATE) STORED AS ORC TBLPROPERTIES ('orc.compress' = 'ZSTD')"
    ),
    "CREATE TABLE shop.texts (a INT) ROW FORMAT DELIMITED FIELDS TERMINATED BY ';'",
)


class Answer(NamedTuple):
    """What was found, by name, and what the session itself resolves."""

    found: Mapping[str, Mapping[str, Any]]
    resolved: Mapping[str, Mapping[str, Any]]
    troubles: Sequence[str] = ()

    def described(self, name: str) -> DatasetSchema:
        one = self.found[name]
        return SCHEMAS[one["format"]](json.loads(one["schema"]))


def ask(
    folder: Path,
    settings: Mapping[str, str],
    statements: Sequence[str],
    *,
    remote: str = "",
    address: str = "shop",
    within: str = "",
) -> Answer:
    asked, answer = folder / "asked.json", folder / "answer.json"
    told = {
        "settings": settings, "statements": statements, "remote": remote, "address": address,
        "within": within,
    }  # fmt: skip
    asked.write_text(json.dumps(told))
    done = subprocess.run(
        [sys.executable, "-m", "tests.world.catalogs.session_tables", asked, answer],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    said = json.loads(answer.read_text())
    ready = [one for one in said["found"] if "reason" not in one]
    troubles = [f"{one['path']}: {one['detail']}" for one in said["found"] if "reason" in one]
    assert within or not troubles, troubles
    return Answer({".".join(one["names"]): one for one in ready}, said["resolved"], troubles)


def over_thrift(server: Metastore) -> dict[str, str]:
    return {
        **OFFLINE,
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.hive.metastore.uris": server.uri,
        "spark.sql.warehouse.dir": str(server.warehouse),
    }


def as_resolved(answer: Answer) -> None:
    """The columns are those that the session resolves; it alone knows what earlier rows hold."""
    assert answer.found.keys() == answer.resolved.keys()
    for name, one in answer.found.items():
        assert json.loads(one["schema"])["fields"] == answer.resolved[name]["fields"], name


def told_in_full(answer: Answer) -> None:
    orders = answer.described("shop.orders")
    assert orders.description == "orders"
    assert orders.properties == {"team": "sales", "managed": True}
    assert orders.schema.fields[0].name == "Id"
    assert orders.schema.fields[0].description == "the number"
    assert [one.source for one in orders.partitioning or ()] == ["day"]
    assert orders.storage is not None
    assert orders.storage.format == "parquet"
    view = answer.described("shop.ids").storage
    assert view is not None
    assert view.definition == "SELECT id FROM shop.orders"


def test_tables_of_a_hive_metastore_over_thrift(tmp_path: Path) -> None:
    with metastore() as server:
        answer = ask(tmp_path, over_thrift(server), (*TABLES, *OF_HIVE))
        as_resolved(answer)
        told_in_full(answer)
        formats = {}
        for name in ("shop.logs", "shop.texts"):
            storage = answer.described(name).storage
            assert storage is not None
            formats[name] = storage.format
        assert formats == {"shop.logs": "orc", "shop.texts": "text"}
        assert answer.described("shop.logs").properties["orc.compress"] == "ZSTD"
        again = ask(tmp_path, over_thrift(server), ("INSERT INTO shop.texts VALUES (1)",))
        assert {name: one["tag"] for name, one in again.found.items()} == {
            name: one["tag"] for name, one in answer.found.items()
        }


ICE = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "at", TimestamptzType(), required=False),
    NestedField(3, "key", UUIDType(), required=False),
)
BY_DAY = PartitionSpec(PartitionField(2, 1000, DayTransform(), "at_day"))


def test_tables_with_a_log_in_a_hive_metastore(tmp_path: Path) -> None:
    """The session has neither Iceberg's package nor Delta's."""
    with metastore() as server:
        warehouse = f"file://{server.warehouse}"
        catalog = load_catalog("hive", type="hive", uri=server.uri, warehouse=warehouse)
        assert isinstance(catalog, HiveCatalog)
        catalog.create_namespace("shop")
        catalog.create_table("shop.ice", schema=ICE, partition_spec=BY_DAY)
        folder = server.warehouse / "a delta"
        write_deltalake(folder, pa.table({"id": pa.array([1], pa.int32()), "day": ["x"]}))
        _register_delta(catalog, f"file:{folder}".replace(" ", "%20"))
        answer = ask(tmp_path, over_thrift(server), ())
    ice, delta = answer.described("shop.ice"), answer.described("shop.lines")
    assert [answer.found[name]["format"] for name in ("shop.ice", "shop.lines")] == [
        "iceberg",
        "delta",
    ]
    assert [(one.id, one.nullable, format_type(one)) for one in ice.schema.fields] == [
        (1, False, "INT64"),
        (2, True, "TIMESTAMP(us, UTC)"),
        (3, True, "UUID"),
    ]
    assert [(one.source, one.transform) for one in ice.partitioning or ()] == [("at", "day")]
    assert "iceberg.schema" not in ice.properties
    assert "current-schema" not in ice.properties
    assert [format_type(one) for one in delta.schema.fields] == ["INT32", "STRING"]
    assert answer.found["shop.lines"]["rows"] == 1
    assert not answer.troubles


def _register_delta(catalog: HiveCatalog, location: str) -> None:
    """Write what Delta's package writes into a metastore: no columns but one that means nothing."""
    nothing = FieldSchema(name="col", type="array<string>", comment="from deserializer")
    table = HiveTable(
        dbName="shop",
        tableName="lines",
        tableType="EXTERNAL_TABLE",
        parameters={"spark.sql.sources.provider": "delta", "EXTERNAL": "TRUE"},
        sd=StorageDescriptor(
            cols=[nothing],
            location=location,
            inputFormat="org.apache.hadoop.mapred.SequenceFileInputFormat",
            outputFormat="org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat",
            serdeInfo=SerDeInfo(
                serializationLib="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
                parameters={"path": location},
            ),
        ),
    )
    with catalog._client as client:
        client.create_table(table)


def test_tables_of_an_embedded_hive_metastore(tmp_path: Path) -> None:
    settings = {
        **OFFLINE,
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={tmp_path}/derby",
    }
    answer = ask(tmp_path, settings, (*TABLES, *OF_HIVE))
    as_resolved(answer)
    told_in_full(answer)


def test_tables_over_spark_connect(tmp_path: Path) -> None:
    with connect_server() as address:
        answer = ask(tmp_path, {}, TABLES, remote=address)
        as_resolved(answer)
        told_in_full(answer)
        whole = ask(tmp_path, {}, (), remote=address, address="")
        assert whole.found == answer.found


def test_tables_of_a_catalog_that_is_plugged_in(tmp_path: Path) -> None:
    compiled(tmp_path / "classes", Path(__file__).with_name("Plugged.java"))
    settings = {
        **OFFLINE,
        "spark.driver.extraClassPath": str(tmp_path / "classes"),
        "spark.sql.catalog.plugged": "Plugged",
    }
    answer = ask(tmp_path, settings, (), address="plugged.*", within="plugged.")
    assert answer.troubles == [
        f"{path}: java.lang.RuntimeException: no access to https://host/x"
        for path in ("a/broken", "a/in.ner/broken")
    ]
    assert "hunter2" not in json.dumps(answer)
    assert [tuple(one["names"]) for one in answer.found.values()] == [
        ("a", "made"),
        ("a", "plain"),
        ("a", "in.ner", "made"),
        ("a", "in.ner", "plain"),
    ]
    as_resolved(answer)
    made, plain = answer.described("a.made"), answer.described("a.plain")
    assert [(one.source, one.transform, one.argument) for one in made.partitioning or ()] == [
        ("id", "bucket", 4),
        ("at", "day", None),
        ("`n.m`", "identity", None),
        ("in.`d``e`", "hour", None),
    ]
    assert made.notes == ("how it is partitioned is not all understood: bucket(3, id, at)",)
    assert [(one.source, one.transform) for one in plain.partitioning or ()] == [
        ("`n.m`", "identity"),
        ("in.`d``e`", "identity"),
    ]
    assert made.schema.fields[0].nullable is False
    assert made.description == "orders"
    assert made.options == {"fanout": "1"}
    assert made.properties == {"team": "a, b=c", "managed": True}
    assert answer.found["a.made"]["location"] == "s3://lake/orders"


def compiled(folder: Path, source: Path) -> None:
    """By the compiler that comes with Spark: a machine that runs Java need not have another."""
    folder.mkdir()
    jars = Path(pyspark.__file__).parent / "jars"
    listed = ":".join(map(str, sorted(jars.glob("*.jar"))))
    compiler = "org.codehaus.commons.compiler.samples.CompilerDemo"
    command = ["java", "-cp", f"{jars}/*", compiler, "-d", folder, "-classpath", listed, source]
    subprocess.run(list(map(str, command)), check=True, timeout=120)
