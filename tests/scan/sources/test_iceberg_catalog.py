"""Iceberg tables as their catalog points to them, over a real catalog in SQLite."""

import gzip
import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform
from pyiceberg.types import LongType, NestedField, TimestampType

from lumos_snap.errors import Exit, LumosError, OutsideError
from lumos_snap.scan.executors.error_codes import DAMAGED, VANISHED
from lumos_snap.scan.sources.catalog import CatalogTable, Names
from lumos_snap.scan.sources.iceberg_catalog import IcebergCatalog
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.stores.store import Trouble
from lumos_snap.scan.tables.iceberg.log import probe
from tests.scan.sources.conftest import configured
from tests.scan.sources.rest_catalog import Answer, serving
from tests.scan.sources.rest_catalog import catalog as rest

ORDERS = Schema(
    NestedField(1, "id", LongType(), required=True, doc="the number"),
    NestedField(2, "at", TimestampType(), required=False),
)
BY_DAY = PartitionSpec(
    PartitionField(source_id=2, field_id=1000, transform=DayTransform(), name="day")
)


def all_of(_names: Names) -> bool:
    return True


def found(wants: Callable[[Names], bool] = all_of) -> list[CatalogTable | Trouble]:
    return list(IcebergCatalog("lake").tables(wants))


def made(lake: Catalog, *names: str) -> Any:
    for depth in range(1, len(names)):
        lake.create_namespace_if_not_exists(names[:depth])
    return lake.create_table(names, ORDERS, partition_spec=BY_DAY)


def metadata_of(table: Any) -> Path:
    return Path(table.metadata_location.removeprefix("file://"))


def test_tables_of_all_namespaces_are_met(lake: Catalog) -> None:
    for names in (("sales", "orders"), ("sales", "eu", "orders"), ("a", "b", "c", "d")):
        made(lake, *names)
    lake.create_namespace("empty")
    assert [one.names for one in found() if isinstance(one, CatalogTable)] == [
        ("a", "b", "c", "d"),
        ("sales", "orders"),
        ("sales", "eu", "orders"),
    ]


def test_only_wanted_tables_are_loaded(lake: Catalog) -> None:
    metadata_of(made(lake, "a", "broken")).unlink()
    made(lake, "a", "fine")
    (ready,) = found(lambda names: names[-1] == "fine")
    assert isinstance(ready, CatalogTable)


def test_the_description_is_that_of_the_metadata_file(lake: Catalog) -> None:
    table = made(lake, "sales", "orders")
    (ready,) = found()
    assert isinstance(ready, CatalogTable)
    path = metadata_of(table)
    reader = LocalStore(str(path.parent)).reader()
    from_file = probe(reader, "", [path.name])
    assert (ready.format, json.loads(ready.schema)) == ("iceberg", json.loads(from_file.schema))
    assert (ready.rows, ready.version) == (from_file.rows, from_file.version)
    assert ready.location == table.metadata.location
    assert ready.tag == table.metadata_location


def test_rows_are_counted_and_the_tag_changes_with_each_commit(lake: Catalog) -> None:
    lake.create_namespace("sales")
    table = lake.create_table(("sales", "orders"), ORDERS)
    (empty,) = found()
    rows = pa.table(
        {"id": [1, 2], "at": [None, None]},
        schema=pa.schema([pa.field("id", pa.int64(), nullable=False), ("at", pa.timestamp("us"))]),
    )
    table.append(rows)
    (full,) = found()
    assert isinstance(empty, CatalogTable)
    assert isinstance(full, CatalogTable)
    assert (empty.rows, full.rows) == (0, 2)
    assert empty.tag != full.tag


def test_an_unchanged_catalog_says_the_same_twice(lake: Catalog) -> None:
    for number in range(20):
        made(lake, "many", f"t{number:02}")
    assert found() == found()
    assert len(found()) == 20


def test_a_table_whose_metadata_is_gone_is_one_trouble(lake: Catalog) -> None:
    metadata_of(made(lake, "a", "gone")).unlink()
    made(lake, "a", "here")
    gone, here = found()
    assert isinstance(gone, Trouble)
    assert (gone.path, gone.reason, gone.hides) == ("a/gone", VANISHED, False)
    assert isinstance(here, CatalogTable)


@pytest.mark.parametrize("content", ["", "{", '{"format-version": 2}', "[]", "\x00\x01", "{}"])
def test_a_table_whose_metadata_is_broken_is_one_trouble(lake: Catalog, content: str) -> None:
    metadata_of(made(lake, "a", "broken")).write_text(content)
    made(lake, "a", "here")
    broken, here = found()
    assert isinstance(broken, Trouble)
    assert (broken.path, broken.reason) == ("a/broken", DAMAGED)
    assert isinstance(here, CatalogTable)


NEW_TYPES = ("variant", "geography(srid:4326, karney)", "unknown", "timestamp_ns")


def with_new_types(metadata: dict[str, Any]) -> dict[str, Any]:
    """Version 3 of a table, with types that pyiceberg may not know."""
    fields = [
        {"id": 10 + number, "name": f"n{number}", "required": False, "type": kind}
        for number, kind in enumerate(NEW_TYPES)
    ]
    schema = metadata["schemas"][0]
    longer = {**schema, "fields": [*schema["fields"], *fields]}
    return {**metadata, "format-version": 3, "schemas": [longer], "next-row-id": 0}


@pytest.mark.parametrize("is_compressed", [False, True])
def test_types_that_pyiceberg_cannot_parse_are_read(lake: Catalog, is_compressed: bool) -> None:
    table = made(lake, "a", "new")
    path = metadata_of(table)
    content = json.dumps(with_new_types(json.loads(path.read_text()))).encode()
    if is_compressed:
        place = path.with_name(path.name.replace(".metadata.json", ".gz.metadata.json"))
        place.write_bytes(gzip.compress(content))
        with closing(sqlite3.connect(path.parents[3] / "lake.db")) as connection:
            connection.execute(
                "UPDATE iceberg_tables SET metadata_location = ?", (f"file://{place}",)
            )
            connection.commit()
    else:
        path.write_bytes(content)
    (ready,) = found()
    assert isinstance(ready, CatalogTable), ready
    fields = json.loads(ready.schema)["schema"]["fields"]
    assert [one["type"] for one in fields[2:]] == list(NEW_TYPES)
    assert ready.location == table.metadata.location
    assert ready.tag.endswith(".metadata.json")


def test_types_of_a_rest_catalog_that_pyiceberg_cannot_parse_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(path: str, query: str) -> Answer | None:
        status, document = rest(path, query)
        if "metadata" in document:
            document = {**document, "metadata": with_new_types(document["metadata"])}
        return status, document

    with serving(answer) as address:
        configured(monkeypatch, tmp_path, "lake", {"type": "rest", "uri": address})
        ready = [one for one in found() if isinstance(one, CatalogTable)]
    assert [one.names for one in ready] == [("sales", name) for name in "abc"]
    assert {one.tag for one in ready} == {"s3://lake/t/metadata/1.json"}
    assert "variant" in ready[0].schema
    assert "hunter2" not in str(ready)


def test_nothing_is_written_where_there_is_no_catalog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE own (a)")
        configured(monkeypatch, tmp_path, "other", {"type": "sql", "uri": f"sqlite:///{path}"})
        with pytest.raises(OutsideError, match=r"'other' cannot be read.*no such table"):
            list(IcebergCatalog("other").tables(all_of))
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("own",)]


def test_a_catalog_that_is_configured_nowhere_is_said_so(lake: Catalog) -> None:
    assert lake.name == "lake"
    with pytest.raises(LumosError, match="'nope': URI missing") as caught:
        list(IcebergCatalog("nope").tables(all_of))
    assert caught.value.exit_code == Exit.USAGE
    assert "PYICEBERG_CATALOG__NOPE__URI" in caught.value.hint


def test_a_catalog_whose_client_is_not_installed_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "postgresql+psycopg2://u:hunter2@127.0.0.1:1/x"
    configured(monkeypatch, tmp_path, "pg", {"type": "sql", "uri": address})
    with pytest.raises(LumosError, match="'pg' needs a package") as caught:
        list(IcebergCatalog("pg").tables(all_of))
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_without_pyiceberg_the_extra_is_named(
    lake: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyiceberg.catalog", None)
    with pytest.raises(LumosError, match="'lake' needs a package") as caught:
        list(IcebergCatalog(lake.name).tables(all_of))
    assert caught.value.hint == "pip install 'lumos-snap[iceberg]'"
