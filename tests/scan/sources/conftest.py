"""Databases and catalogs for tests, gone after them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyiceberg.catalog
import pytest
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.utils.config import Config

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JDBC = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
SETTINGS = {
    "spark.sql.timeType.enabled": "true",
    "spark.sql.catalog.derby": JDBC,
    "spark.sql.catalog.derby.url": "jdbc:derby:memory:catalogs;create=true",
    "spark.sql.catalog.derby.driver": "org.apache.derby.iapi.jdbc.AutoloadedDriver",
}


@pytest.fixture
def session(spark: "SparkSession") -> "Iterator[SparkSession]":
    """The session, with a second catalog; what tests make in them is gone afterwards."""
    java = spark._jvm.java.lang.System  # type: ignore[union-attr]
    java.setProperty("derby.stream.error.file", os.devnull)  # not where the tests are started
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    yield spark
    for row in spark.sql("SHOW NAMESPACES IN spark_catalog").collect():
        if row[0] != "default":
            spark.sql(f"DROP DATABASE {row[0]} CASCADE")
    for row in spark.sql("SHOW TABLES IN spark_catalog.default").collect():
        if not row[2]:
            kind = "VIEW" if spark.catalog.getTable(row[1]).tableType == "VIEW" else "TABLE"
            spark.sql(f"DROP {kind} spark_catalog.default.{row[1]}")
    for name in SETTINGS:
        spark.conf.unset(name)


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalog]:
    """A catalog in SQLite, called `lake`, that pyiceberg finds by its own configuration."""
    configured(
        monkeypatch,
        tmp_path,
        "lake",
        {"type": "sql", "uri": f"sqlite:///{tmp_path}/lake.db", "warehouse": f"file://{tmp_path}"},
    )
    catalog = load_catalog("lake")
    yield catalog
    catalog.close()


def configured(
    monkeypatch: pytest.MonkeyPatch, home: Path, name: str, properties: dict[str, str]
) -> None:
    """Write pyiceberg's own configuration, and make it read that: it does so once, otherwise."""
    listed = "\n".join(f'    {key}: "{value}"' for key, value in properties.items())
    (home / ".pyiceberg.yaml").write_text(f"catalog:\n  {name}:\n{listed}\n")
    monkeypatch.setenv("PYICEBERG_HOME", str(home))
    monkeypatch.setattr(pyiceberg.catalog, "_ENV_CONFIG", Config())
