"""How each engine is set up in Spark, and what it is asked about a table."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.errors.exceptions.captured import UnsupportedOperationException
from pyspark.sql import SparkSession

from tests.components.lakehouse.api_tables import OF_DELTA, OF_ICEBERG, jvm
from tests.components.lakehouse.script import Table

Said = dict[str, Any]


@dataclass(frozen=True)
class Dialect:
    """An engine as a part of Spark."""

    settings: Callable[[Path], Mapping[str, str]]
    called: Callable[[str], tuple[str, str]]
    """The catalog of a table, and its name in it."""
    ask: Callable[[SparkSession, Table], Said]
    functions: Mapping[str, Callable[[SparkSession, str], None]] = field(default_factory=dict)


def _by_spark(spark: SparkSession, name: str) -> Said:
    """What any table tells through Spark itself; a reason where Spark does not know its types."""
    try:
        frame = spark.table(name)
    except UnsupportedOperationException as exc:
        return {"refused": str(exc).strip().splitlines()[0]}
    return {"spark": json.loads(frame.schema.json()), "rows": frame.count()}


def _plainly(name: str) -> tuple[str, str]:
    return "spark_catalog.default", name


def _delta_settings(_folder: Path) -> Mapping[str, str]:
    return {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "2",  # 50 tasks for each question else
    }


_DETAILS = (
    "id", "name", "description", "partitionColumns", "clusteringColumns", "numFiles", "sizeInBytes",
    "properties", "minReaderVersion", "minWriterVersion", "tableFeatures",
)  # fmt: skip


def _ask_delta(spark: SparkSession, table: Table) -> Said:
    name = f"spark_catalog.default.{table.name}"
    (detail,) = spark.sql(f"DESCRIBE DETAIL {name}").collect()
    location = detail["location"].removeprefix("file:")
    delta = jvm(spark).org.apache.spark.sql.delta.DeltaLog
    snapshot = delta.forTable(spark._jsparkSession, location).update(
        False, _none(spark), _none(spark)
    )
    return {
        **_by_spark(spark, name),
        "log": json.loads(snapshot.schema().json()),
        "version": snapshot.version(),
        "detail": {one: detail[one] for one in _DETAILS},
    }


def _none(spark: SparkSession) -> Any:
    return jvm(spark).scala.Option.empty()


def _iceberg_settings(folder: Path) -> Mapping[str, str]:
    catalog = "org.apache.iceberg.spark.SparkCatalog"
    name = "spark.sql.catalog"
    return {
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
        f"{name}.hadoop": catalog,
        f"{name}.hadoop.type": "hadoop",
        f"{name}.hadoop.warehouse": str(folder),
        f"{name}.hadoop.cache-enabled": "false",
        f"{name}.jdbc": catalog,
        f"{name}.jdbc.type": "jdbc",
        f"{name}.jdbc.uri": f"jdbc:sqlite:{folder}/catalog.db",
        f"{name}.jdbc.jdbc.schema-version": "V1",
        f"{name}.jdbc.warehouse": str(folder),
        f"{name}.jdbc.cache-enabled": "false",
    }


def _iceberg_called(name: str) -> tuple[str, str]:
    """The namespace has the name of the catalog, so that all folders stand in one."""
    catalog, _, table = name.partition("/")
    return catalog, f"{catalog}.{table}"


def _ask_iceberg(spark: SparkSession, table: Table) -> Said:
    name = ".".join(_iceberg_called(table.name))
    if table.kind == "view":
        return {"kind": "view", **_by_spark(spark, name)}
    iceberg = jvm(spark).org.apache.iceberg
    held = iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, name)
    current = held.currentSnapshot()
    shown = _by_spark(spark, name)
    files = []  # nothing was written where Spark does not know the types
    if "refused" not in shown:
        files = spark.table(f"{name}.files").collect()
    return {
        **shown,
        "log": json.loads(iceberg.SchemaParser.toJson(held.schema())),
        "spec": json.loads(iceberg.PartitionSpecParser.toJson(held.spec())),
        "order": json.loads(iceberg.SortOrderParser.toJson(held.sortOrder())),
        "format": held.operations().current().formatVersion(),
        "uuid": str(held.uuid()),
        "snapshot": None if current is None else str(current.snapshotId()),
        "refs": {one: held.refs()[one].type().name() for one in held.refs()},
        "properties": dict(held.properties()),
        "files": sum(not one["content"] for one in files),
        "bytes": sum(_size(one) for one in files),
    }


def _size(file: Any) -> int:
    """Of a deletion vector, not of the file that has it and others."""
    return int(file["content_size_in_bytes"] or file["file_size_in_bytes"])


def _hudi_settings(_folder: Path) -> Mapping[str, str]:
    return {
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
    }


def _ask_hudi(spark: SparkSession, table: Table) -> Said:
    name = f"spark_catalog.default.{table.name}"
    hudi = jvm(spark).org.apache.hudi
    conf = hudi.hadoop.fs.HadoopFSUtils.getStorageConf(spark._jsc.hadoopConfiguration())
    folder = f"{spark.conf.get('spark.sql.warehouse.dir')}/{table.name}"
    client = hudi.common.table.HoodieTableMetaClient.builder().setConf(conf)
    held = client.setBasePath(folder).build()
    config = held.getTableConfig()
    last = held.getCommitsTimeline().filterCompletedInstants().lastInstant()
    return {
        **_by_spark(spark, name),
        "version": config.getTableVersion().versionCode(),
        "instant": last.get().requestedTime() if last.isPresent() else None,
        "type": config.getTableType().name(),
        "keys": _listed(config.getRecordKeyFields()),
        "partitions": _listed(config.getPartitionFields()),
        "hive_style": config.getHiveStylePartitioningEnable() == "true",
        "log": json.loads(str(hudi.common.table.TableSchemaResolver(held).getTableSchema())),
    }


def _listed(option: Any) -> list[str]:
    return list(option.get()) if option.isPresent() else []


DIALECTS: Mapping[str, Dialect] = {
    "delta": Dialect(_delta_settings, _plainly, _ask_delta, OF_DELTA),
    "iceberg": Dialect(_iceberg_settings, _iceberg_called, _ask_iceberg, OF_ICEBERG),
    "hudi": Dialect(_hudi_settings, _plainly, _ask_hudi),
}
