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
from pyiceberg.catalog import load_catalog

from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.tables.spark.schema import schema_of
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
        return schema_of(json.loads(self.found[name]["schema"]))


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


def test_a_table_of_icebergs_in_a_hive_metastore_is_called_so(tmp_path: Path) -> None:
    with metastore() as server:
        warehouse = f"file://{server.warehouse}"
        catalog = load_catalog("hive", type="hive", uri=server.uri, warehouse=warehouse)
        catalog.create_namespace("shop")
        catalog.create_table("shop.ice", schema=pa.schema([("a", pa.int64())]))
        answer = ask(tmp_path, over_thrift(server), ())
    ice = answer.described("shop.ice")
    assert ice.storage is not None
    assert ice.storage.format == "iceberg"
    assert [one.name for one in ice.schema.fields] == ["a"]


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
