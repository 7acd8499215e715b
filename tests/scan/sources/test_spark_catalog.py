"""Which tables of a session are met, whatever they are called, and what stops and what does not."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.scan.executors.error_codes import UNREADABLE, VANISHED
from lumos_snap.scan.sources import spark_catalog as catalogs
from lumos_snap.scan.sources.catalog import CatalogTable, LateError, Names
from lumos_snap.scan.sources.spark_catalog import SparkCatalog
from lumos_snap.scan.sources.spark_tables import parse_name, quote_name
from lumos_snap.scan.sources.urls import open_folder
from lumos_snap.scan.stores.store import Trouble

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

ODD = ("My Sch.x`q", "Odd T.é`")


def all_of(_names: Names) -> bool:
    return True


@pytest.fixture
def databases(session: "SparkSession") -> "SparkSession":
    for name in ("shop", "Wide_2"):
        session.sql(f"CREATE DATABASE {name}")
        session.sql(f"CREATE TABLE {name}.T (a INT) USING parquet")
    return session


@pytest.fixture
def odd(session: "SparkSession") -> "Iterator[SparkSession]":
    """A catalog of another kind, whose names may hold anything."""
    name = quote_name(("derby", *ODD))
    session.sql(f"CREATE TABLE {name} (`A.b` INT, c VARCHAR(7), d DECIMAL(9,2))")
    yield session
    session.sql(f"DROP TABLE {name}")


def names_of(spark: "SparkSession", address: str) -> list[Names]:
    """What is listed, but for what the system has, and what other tests leave in the session."""
    listed = (
        SparkCatalog.at(address)
        .on(spark, open_folder)
        .tables(lambda one: one[0] != "default" and not one[0].startswith("SYS"))
    )
    return [one.names for one in listed if isinstance(one, CatalogTable)]


def test_all_databases_of_the_current_catalog_are_met(databases: "SparkSession") -> None:
    assert names_of(databases, "") == [("shop", "t"), ("wide_2", "t")]


@pytest.mark.parametrize("address", ["shop", "spark_catalog.shop", "`shop`"])
def test_one_database_is_met(databases: "SparkSession", address: str) -> None:
    assert names_of(databases, address) == [("shop", "t")]


def test_a_whole_catalog_is_met(databases: "SparkSession") -> None:
    assert names_of(databases, "spark_catalog.*") == [("shop", "t"), ("wide_2", "t")]


def test_only_wanted_tables_are_described(databases: "SparkSession") -> None:
    listed = list(SparkCatalog().on(databases, open_folder).tables(lambda one: one[0] == "wide_2"))
    assert [one.names for one in listed if isinstance(one, CatalogTable)] == [("wide_2", "t")]


def test_temporary_views_are_no_datasets(databases: "SparkSession") -> None:
    databases.sql("CREATE TEMPORARY VIEW fleeting AS SELECT 1 AS a")
    databases.sql("CREATE GLOBAL TEMPORARY VIEW everywhere AS SELECT 1 AS a")
    try:
        assert names_of(databases, "") == [("shop", "t"), ("wide_2", "t")]
    finally:
        databases.catalog.dropTempView("fleeting")
        databases.catalog.dropGlobalTempView("everywhere")


def test_a_temporary_view_hides_no_table(databases: "SparkSession") -> None:
    databases.sql("CREATE TEMPORARY VIEW t AS SELECT 'x' AS other")
    try:
        (ready,) = SparkCatalog.at("shop").on(databases, open_folder).tables(all_of)
        assert isinstance(ready, CatalogTable)
        assert [one["name"] for one in json.loads(ready.schema)["fields"]] == ["a"]
    finally:
        databases.catalog.dropTempView("t")


@pytest.mark.parametrize("address", ["derby.*", "derby.`My Sch.x``q`"])
def test_odd_names_of_another_catalog_are_quoted(odd: "SparkSession", address: str) -> None:
    assert names_of(odd, address) == [ODD]


def test_another_catalog_tells_columns_as_the_session_resolves_them(odd: "SparkSession") -> None:
    (ready,) = SparkCatalog.at("derby.`My Sch.x``q`").on(odd, open_folder).tables(all_of)
    assert isinstance(ready, CatalogTable)
    told = json.loads(ready.schema)
    assert [(one["name"], one["type"]) for one in told["fields"]] == [
        ("A.b", "integer"),
        ("c", "string"),
        ("d", "decimal(9,2)"),
    ]
    assert told["fields"][1]["metadata"] == {"__CHAR_VARCHAR_TYPE_STRING": "varchar(7)"}


def test_a_table_that_cannot_be_described_is_one_trouble(
    databases: "SparkSession", tmp_path: Path
) -> None:
    catalog = SparkCatalog.at("shop").on(databases, open_folder)
    databases.sql("CREATE TABLE shop.gone (a INT) USING parquet")

    def drops(names: Names) -> bool:
        if names[-1] == "t":
            databases.sql("DROP TABLE shop.gone")
        return True

    gone, other = catalog.tables(drops)
    assert isinstance(gone, Trouble)
    assert (gone.path, gone.reason, gone.hides) == ("shop/gone", VANISHED, False)
    assert isinstance(other, CatalogTable)
    assert other.names == ("shop", "t")


def test_a_database_that_is_not_there_is_said_so(session: "SparkSession") -> None:
    with pytest.raises(OutsideError, match=r"spark_catalog\.nope.*cannot be found"):
        list(SparkCatalog.at("nope").on(session, open_folder).tables(all_of))


def test_a_catalog_that_is_not_there_is_said_so(session: "SparkSession") -> None:
    with pytest.raises(OutsideError, match=r"nope"):
        list(SparkCatalog.at("nope.*").on(session, open_folder).tables(all_of))


def test_a_catalog_that_does_not_answer_is_given_up(
    session: "SparkSession", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogs, "LISTING", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        name = "spark.sql.catalog.silent"
        kind = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
        session.conf.set(name, kind)
        session.conf.set(f"{name}.url", f"jdbc:derby://127.0.0.1:{port}/x;user=u;password=hunter2")
        session.conf.set(f"{name}.driver", "org.apache.derby.client.ClientAutoloadedDriver")
        begin = time.monotonic()
        with pytest.raises(OutsideError) as caught:
            list(SparkCatalog.at("silent.*").on(session, open_folder).tables(all_of))
        assert time.monotonic() - begin < 10
        assert "hunter2" not in caught.value.message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ("a",)),
        ("a.b", ("a", "b")),
        ("`a.b`.c", ("a.b", "c")),
        ("a.`b``c`", ("a", "b`c")),
        ("é x.y", ("é x", "y")),
    ],
)
def test_names_are_read_as_spark_writes_them(text: str, parts: Names) -> None:
    assert parse_name(text) == parts
    assert parse_name(quote_name(parts)) == parts


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", "`a", "a`b`", "``"])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(LumosError, match="no name in Spark"):
        parse_name(text)


def test_unreadable_is_the_reason_where_a_catalog_refuses() -> None:
    assert catalogs.table_trouble(("a", "b"), LateError(3)).reason == UNREADABLE
