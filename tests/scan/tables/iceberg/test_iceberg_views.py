"""The metadata of Iceberg views: a folder that looks like a table, and has a query and no data."""

from pathlib import Path
from typing import Any

import pytest
from pyiceberg.view.metadata import ViewMetadata

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.schemas.supertype import TableFacts
from lumos_snap.scan.stores.store import BadFileError
from tests.scan.tables.iceberg.iceberg_tables import Held, field, held, query, stored, view
from tests.scan.tables.lake import columns, described, evidence, said, snapshot

NAME = "00001-5f3b.metadata.json"
FIELDS = (field(1, "id", required=True, doc="The order"), field(2, "total", "decimal(12,2)"))


def test_the_current_version_is_described(tmp_path: Path) -> None:
    stored(tmp_path, view(*FIELDS), NAME)
    assert columns(tmp_path) == ["id INT64 ! #1", "total DECIMAL(12,2) #2"]
    found = described(tmp_path)
    assert found.description == "Orders of this year"
    assert found.notes == ()
    assert found.table == TableFacts(version="2", is_view=True)
    assert said(tmp_path)[2:4] == (None, "iceberg view 1")


def test_the_snapshot_of_a_view(tmp_path: Path) -> None:
    stored(tmp_path, view(*FIELDS), NAME)
    made = snapshot(evidence(said(tmp_path)))
    assert made["kind"] == "VIEW"
    assert made["storage"] == {
        "format": "iceberg",
        "location": "file:lake/sales/orders",
        "id": "fa6506c3-7681-40c8-86dc-e36561f83385",
        "reader_version": 1,
        "description": "Orders of this year",
        "definition": "SELECT id FROM t",
        "properties": {"view_dialect": "spark", "view_names_in": "prod.sales.`eu north`"},
    }


def test_what_a_view_says_is_what_pyiceberg_reads(tmp_path: Path) -> None:
    content = view(*FIELDS)
    stored(tmp_path, content, NAME)
    theirs = ViewMetadata.model_validate(content)
    (current,) = (one for one in theirs.versions if one.version_id == theirs.current_version_id)
    (schema,) = (one for one in theirs.schemas if one.schema_id == current.schema_id)
    found = described(tmp_path)
    assert [one.name for one in found.schema.fields] == [one.name for one in schema.fields]
    assert found.storage is not None
    assert found.storage.definition == current.representations[0].root.sql
    assert found.storage.id == theirs.view_uuid


def test_a_view_that_has_become_a_table_is_no_view_any_more(tmp_path: Path) -> None:
    stored(tmp_path, view(*FIELDS), NAME)
    first = snapshot(evidence(said(tmp_path)))
    stored(tmp_path, held(field(1, "id")), "00002-5f3b.metadata.json")
    storage = snapshot(evidence(said(tmp_path)), first)["storage"]
    assert "definition" not in storage
    assert "properties" not in storage


def test_one_query_of_several_is_kept_and_the_others_are_told(tmp_path: Path) -> None:
    queries = [query("SELECT 1"), query('SELECT "1"', "trino"), {"type": "other"}]
    stored(tmp_path, view(*FIELDS, queries=queries), NAME)
    found = described(tmp_path)
    assert found.properties["view_dialect"] == "spark"
    assert found.notes == ("the view has a query for trino as well: it is left out",)


def test_a_view_without_a_query_is_a_view_all_the_same(tmp_path: Path) -> None:
    stored(tmp_path, view(*FIELDS, queries=[{"type": "other"}]), NAME)
    assert described(tmp_path).notes == (
        "the view states no SQL query: its definition is not known",
    )
    made = snapshot(evidence(said(tmp_path)))
    assert made["kind"] == "VIEW"
    assert "definition" not in made["storage"]


def test_a_materialized_view_names_the_table_of_its_rows(tmp_path: Path) -> None:
    table = {"namespace": ["sales"], "name": "v$storage"}
    stored(tmp_path, view(*FIELDS, table=table), NAME)
    assert described(tmp_path).properties["view_stored_in"] == "sales.`v$storage`"


def test_credentials_never_leave_a_query(tmp_path: Path) -> None:
    sql = "SELECT * FROM f('s3://me:k1@b/x?sig=k2&part=1', 'abfss://box@host/x')"
    stored(tmp_path, view(*FIELDS, queries=[query(sql)]), NAME)
    assert "k1" not in said(tmp_path).schema
    assert "k2" not in said(tmp_path).schema
    storage = described(tmp_path).storage
    assert storage is not None
    assert storage.definition == "SELECT * FROM f('s3://b/x?sig=…&part=1', 'abfss://box@host/x')"


DAMAGE: dict[str, tuple[Held, str]] = {
    "no version": ({"current-version-id": 9}, "it does not have the version that it calls current"),
    "no versions": ({"versions": None}, "it does not have the version that it calls current"),
    "no schema": ({"schemas": []}, "it has no schema 1"),
    "no format": ({"format-version": None}, "it has no format-version"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_what_is_wrong_with_a_view_is_said(name: str, tmp_path: Path) -> None:
    changed, words = DAMAGE[name]
    content: dict[str, Any] = {**view(*FIELDS), **changed}
    stored(tmp_path, content, NAME)
    with pytest.raises(BadFileError) as refusal:
        said(tmp_path)
    assert (refusal.value.reason, refusal.value.detail) == (
        error_codes.DAMAGED,
        f"{NAME}: {words}",
    )
