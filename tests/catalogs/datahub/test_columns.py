"""Columns: exact types, and those that other sources wrote."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.catalogs.datahub.columns import CLASSES, our_columns, their_columns
from lumos_snap.catalogs.datahub.field_paths import ROOT, ROOT_OF_KEY
from lumos_snap.model.types import Field, Kind
from lumos_snap.schema import document_of
from tests.strategies import LAW
from tests.strategies.types import types

ROOTS = (None, ROOT, ROOT_OF_KEY)


def test_every_kind_has_a_class_there() -> None:
    assert CLASSES.keys() == set(Kind)


@LAW
@given(st.lists(types(Field, 3), max_size=4), st.sampled_from(ROOTS))
def test_every_type_comes_back(columns: list[Field], root: str | None) -> None:
    plain = [document_of(one) for one in columns]
    assert our_columns(their_columns(plain, root=root, keys=frozenset())) == plain


def test_a_member_has_a_row_of_its_own_and_needs_no_memory() -> None:
    column = {
        "name": "page",
        "type": "STRUCT",
        "nullable": True,
        "fields": [
            {"name": "url", "type": "STRING", "nullable": False, "description": "where it is"}
        ],
    }
    rows = their_columns([column], root=None, keys=frozenset())
    assert [one["fieldPath"] for one in rows] == ["page", "page.url"]
    assert rows[1]["description"] == "where it is"
    assert not rows[1]["nullable"]
    assert "jsonProps" not in rows[0]


def test_what_somebody_changes_there_counts_more_than_what_we_remember() -> None:
    column = {"name": "a", "type": "INT32", "nullable": True, "id": 7, "description": "old"}
    (row,) = their_columns([column], root=None, keys=frozenset())
    (found,) = our_columns([{**row, "description": "new"}])
    assert found == {"name": "a", "type": "INT32", "nullable": True, "description": "new"}


def _theirs(path: str, kind: str, native: str, **more: Any) -> dict[str, Any]:
    return {
        "fieldPath": path,
        "type": {"type": {f"com.linkedin.schema.{kind}": {}}},
        "nativeDataType": native,
        **more,
    }


@pytest.mark.parametrize(
    ("kind", "native", "ours"),
    [
        ("StringType", "varchar(20)", {"type": "VARCHAR", "length": 20, "native": "varchar(20)"}),
        ("NumberType", "bigint", {"type": "INT64", "native": "bigint"}),
        ("NumberType", "decimal(10, 2)", {
            "type": "DECIMAL", "precision": 10, "scale": 2, "native": "decimal(10, 2)"}),
        ("NumberType", "money", {"type": "UNKNOWN", "native": "money"}),
        ("TimeType", "timestamp", {"type": "TIMESTAMP", "native": "timestamp"}),
        ("StringType", "", {"type": "STRING"}),
        ("NumberType", "", {"type": "UNKNOWN", "native": "unknown"}),
        ("StringType", "INT64", {"type": "STRING", "native": "INT64"}),
        ("RecordType", "variant", {"type": "VARIANT", "native": "variant"}),
        ("ArrayType", "list", {"type": "ARRAY", "native": "list", "element": {
            "type": "UNKNOWN", "native": "unknown", "nullable": True}}),
    ],
)  # fmt: skip
def test_types_of_other_sources_are_read(kind: str, native: str, ours: dict[str, Any]) -> None:
    (found,) = our_columns([_theirs("a", kind, native)])
    assert found == {"name": "a", **ours, "nullable": False}


def test_columns_of_other_sources_nest_by_their_paths() -> None:
    rows = [
        _theirs("page", "RecordType", "struct"),
        _theirs("page.url", "StringType", "STRING", nullable=True),
        _theirs("items", "ArrayType", "list"),
        _theirs("items.id", "StringType", "STRING"),
    ]
    page, items = our_columns(rows)
    assert page["fields"] == [{"name": "url", "type": "STRING", "nullable": True}]
    assert items["element"]["fields"] == [{"name": "id", "type": "STRING", "nullable": False}]


@pytest.mark.parametrize("props", ["{", "[]", '"x"', '{"lumos": 1}', '{"lumos": {"name": "a"}}'])
def test_properties_of_a_column_that_somebody_spoilt_say_nothing(props: str) -> None:
    row = _theirs("a", "StringType", "STRING", jsonProps=props)
    assert our_columns([row]) == [{"name": "a", "type": "STRING", "nullable": False}]


def test_a_number_that_no_dataset_reaches_is_not_counted_up_to() -> None:
    props = '{"lumos": {"name": "a", "type": "STRING", "nullable": false}}'
    row = _theirs("a#999999999999", "StringType", "STRING", jsonProps=props)
    assert our_columns([row]) == [{"name": "a", "type": "STRING", "nullable": False}]
