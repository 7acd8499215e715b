"""What a session's catalog says of its tables is what the session itself says of them."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from lumos_snap.model.snapshot import Bucketing, SortKey
from lumos_snap.model.type_syntax import format_type
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.sources.catalog import CatalogTable, Names
from lumos_snap.scan.sources.spark_catalog import SparkCatalog
from lumos_snap.scan.sources.urls import open_folder
from lumos_snap.scan.stores.store import Trouble
from lumos_snap.scan.tables.spark.schema import schema_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

EVERY_TYPE = """
CREATE TABLE shop.every (
  `a.b` INT COMMENT 'it''s', bo BOOLEAN, ti TINYINT, sm SMALLINT, bi BIGINT, fl FLOAT, db DOUBLE,
  c CHAR(5), v VARCHAR(7), d DECIMAL(12,3), s STRING, cs STRING COLLATE UNICODE_CI, b BINARY,
  dt DATE, ts TIMESTAMP, tn TIMESTAMP_NTZ, tm TIME(3), tm6 TIME, iv INTERVAL DAY TO SECOND,
  iy INTERVAL YEAR TO MONTH, id INTERVAL DAY, im INTERVAL MONTH, vr VARIANT, arr ARRAY<INT>,
  m MAP<CHAR(3), ARRAY<STRUCT<z: VARCHAR(4) COMMENT 'deep', w: STRING COLLATE UTF8_LCASE>>>,
  u ARRAY<STRING COLLATE UNICODE>, q INT DEFAULT 5, x STRING DEFAULT 'it''s',
  e TIMESTAMP DEFAULT current_timestamp(),
  st STRUCT<X: INT COMMENT 'inner', `y:z``q>,<`: MAP<STRING, ARRAY<BIGINT>>> COMMENT 'struct',
  `p.q` STRING COMMENT 'part'
) USING parquet PARTITIONED BY (`p.q`)
"""
PORTABLE = {
    "a.b": "INT32", "bo": "BOOLEAN", "ti": "INT8", "sm": "INT16", "bi": "INT64", "fl": "FLOAT32",
    "db": "FLOAT64", "c": "CHAR(5)", "v": "VARCHAR(7)", "d": "DECIMAL(12,3)", "s": "STRING",
    "cs": "STRING COLLATE icu.UNICODE_CI", "b": "BINARY", "dt": "DATE",
    "ts": "TIMESTAMP(us, UTC)", "tn": "TIMESTAMP(us)", "tm": "TIME(us)", "tm6": "TIME(us)",
    "iv": "INTERVAL(day-time)", "iy": "INTERVAL(year-month)", "id": "INTERVAL(day-time)",
    "im": "INTERVAL(year-month)", "vr": "VARIANT", "arr": "ARRAY<INT32>",
    "m": "MAP<CHAR(3), ARRAY<STRUCT<z: VARCHAR(4), w: STRING COLLATE spark.UTF8_LCASE>>>",
    "u": "ARRAY<STRING COLLATE icu.UNICODE>", "q": "INT32", "x": "STRING",
    "e": "TIMESTAMP(us, UTC)",
    "st": "STRUCT<X: INT32, `y:z``q>,<`: MAP<STRING, ARRAY<INT64>>>", "p.q": "STRING",
}  # fmt: skip


@pytest.fixture
def shop(session: "SparkSession") -> "Callable[..., None]":
    session.sql("CREATE DATABASE shop")

    def make(*statements: str) -> None:
        for one in statements:
            session.sql(one)

    return make


def found(
    spark: "SparkSession", address: str = "shop", wants: Callable[[Names], bool] = bool
) -> dict[Names, CatalogTable]:
    listed = list(SparkCatalog.at(address).on(spark, open_folder).tables(wants))
    assert not [one for one in listed if isinstance(one, Trouble)]
    return {one.names: one for one in listed if isinstance(one, CatalogTable)}


def described(ready: CatalogTable) -> DatasetSchema:
    return schema_of(json.loads(ready.schema))


def fields_of(spark: "SparkSession", name: str) -> list[dict[str, Any]]:
    """The columns as Spark resolves them; it alone knows what earlier rows hold."""
    fields: list[dict[str, Any]] = json.loads(spark.table(name).schema.json())["fields"]
    for one in fields:
        one["metadata"].pop("EXISTS_DEFAULT", None)
    return fields


def test_every_type_is_told_as_spark_resolves_it(
    session: "SparkSession", shop: Callable[..., None]
) -> None:
    shop(EVERY_TYPE)
    (ready,) = found(session).values()
    assert json.loads(ready.schema)["fields"] == fields_of(session, "shop.every")


def test_every_type_has_a_portable_form(session: "SparkSession", shop: Callable[..., None]) -> None:
    shop(EVERY_TYPE)
    says = described(found(session)["shop", "every"])
    fields = {one.name: one for one in says.schema.fields}
    assert {name: format_type(one) for name, one in fields.items()} == PORTABLE
    assert fields["a.b"].description == "it's"
    assert fields["st"].fields[0].description == "inner"
    assert fields["id"].native == "interval day"
    assert fields["tm"].native == "time(3)"
    assert fields["tm6"].native is None
    assert fields["q"].write_default == "5"
    assert fields["x"].write_default == '"it\'s"'
    assert fields["e"].properties == {"CURRENT_DEFAULT": "current_timestamp()"}
    assert says.notes == ()


def test_bounds_of_texts_are_found_in_structs_that_spark_would_cut(
    session: "SparkSession", shop: Callable[..., None]
) -> None:
    many = ", ".join(f"f{number}: CHAR({number + 1})" for number in range(40))
    shop(f"CREATE TABLE shop.wide (s STRUCT<{many}>) USING parquet")
    (field,) = described(found(session)["shop", "wide"]).schema.fields
    assert [one.length for one in field.fields] == list(range(1, 41))


def test_partitions_are_columns_that_divide(
    session: "SparkSession", shop: Callable[..., None]
) -> None:
    shop(EVERY_TYPE)
    (partition,) = described(found(session)["shop", "every"]).partitioning or ()
    assert (partition.name, partition.source, partition.transform) == ("p.q", "`p.q`", "identity")
    assert format_type(partition) == "STRING"


def test_buckets_sorting_comment_and_properties_are_told(
    session: "SparkSession", shop: Callable[..., None]
) -> None:
    shop(
        "CREATE TABLE shop.t (a INT, `b.c` STRING) USING orc CLUSTERED BY (a, `b.c`) SORTED BY (a)"
        " INTO 4 BUCKETS COMMENT 'the table' TBLPROPERTIES ('team' = 'sales')"
    )
    says = described(found(session)["shop", "t"])
    assert says.description == "the table"
    assert says.properties == {"team": "sales", "managed": True}
    assert says.storage is not None
    assert says.storage.format == "orc"
    assert says.storage.bucketing == Bucketing(count=4, columns=("a", "`b.c`"))
    assert says.storage.sorting == (SortKey(field="a", direction="ASC"),)


def test_clustering_is_a_property(session: "SparkSession", shop: Callable[..., None]) -> None:
    shop("CREATE TABLE shop.t (a INT, c STRUCT<d: INT>) USING parquet CLUSTER BY (a, c.d)")
    assert described(found(session)["shop", "t"]).properties["clustering"] == ["a", "c.d"]


def test_options_are_told_and_the_place(
    session: "SparkSession", shop: Callable[..., None], tmp_path: Any
) -> None:
    shop(
        "CREATE TABLE shop.t (a INT) USING csv OPTIONS (header 'true', delimiter ';')"
        f" LOCATION '{tmp_path}'"
    )
    ready = found(session)["shop", "t"]
    assert described(ready).options == {"header": "true", "delimiter": ";"}
    assert described(ready).properties == {"managed": False}
    assert ready.location == f"file:{tmp_path}"


def test_a_view_is_told_with_its_query(session: "SparkSession", shop: Callable[..., None]) -> None:
    shop(
        "CREATE TABLE shop.t (a INT) USING parquet",
        "CREATE VIEW shop.v (x COMMENT 'of t') COMMENT 'a view' AS SELECT a FROM shop.t",
    )
    ready = found(session)["shop", "v"]
    says = described(ready)
    assert says.storage is not None
    assert says.storage.definition == "SELECT a FROM shop.t"
    assert says.storage.format is None
    assert says.description == "a view"
    assert says.properties == {"view_names_in": "spark_catalog.default"}
    assert [(one.name, one.description) for one in says.schema.fields] == [("x", "of t")]
    assert ready.location is None


def test_a_view_whose_table_is_gone_is_told_all_the_same(
    session: "SparkSession", shop: Callable[..., None]
) -> None:
    shop(
        "CREATE TABLE shop.t (a INT) USING parquet",
        "CREATE VIEW shop.v AS SELECT a FROM shop.t",
        "DROP TABLE shop.t",
    )
    assert list(found(session)) == [("shop", "v")]


def test_secrets_and_what_changes_with_the_data_are_left_out(
    session: "SparkSession", shop: Callable[..., None]
) -> None:
    shop(
        "CREATE TABLE shop.t (a INT) USING parquet TBLPROPERTIES ('fs.s3a.secret.key' = 'hunter2',"
        " 'conn' = 'jdbc:x;password=hunter2', 'fs.azure.account.key.x' = 'hunter2',"
        " 'numRows' = '3', 'transient_lastDdlTime' = '17', 'link' = 'https://u:hunter2@host/x')"
    )
    ready = found(session)["shop", "t"]
    assert "hunter2" not in ready.schema
    assert described(ready).properties == {"link": "https://host/x", "managed": True}


def test_the_tag_changes_with_the_description_and_not_with_the_data(
    session: "SparkSession", shop: Callable[..., None]
) -> None:
    shop("CREATE TABLE shop.t (a INT) USING parquet")
    first = found(session)["shop", "t"].tag
    shop("INSERT INTO shop.t VALUES (1)", "ANALYZE TABLE shop.t COMPUTE STATISTICS")
    assert found(session)["shop", "t"].tag == first
    shop("ALTER TABLE shop.t ADD COLUMN b INT")
    assert found(session)["shop", "t"].tag != first
