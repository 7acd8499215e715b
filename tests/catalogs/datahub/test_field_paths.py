"""Field paths in both of DataHub's versions."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.catalogs.datahub.aspect import Scope
from lumos_snap.catalogs.datahub.field_paths import members, of_v1, of_v2, read, to_v1
from lumos_snap.catalogs.datahub.settings import NamingSettings, PathStyle
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.model.field_path import FieldPath, Step, format_path, parse_path, walk
from lumos_snap.model.types import Field
from lumos_snap.schema import document_of, value_of
from tests.strategies import LAW, SMALL
from tests.strategies.types import types
from tests.strategies.urns import field_paths

STRING = {"type": "STRING", "nullable": True}
STRUCT = {"type": "STRUCT", "nullable": True, "fields": [{"name": "url", **STRING}]}
COLUMNS: list[dict[str, Any]] = [
    {"name": "id", "type": "INT64", "nullable": False},
    {"name": "page", **STRUCT},
    {"name": "items", "type": "ARRAY", "nullable": True, "element": STRUCT},
    {"name": "attrs", "type": "MAP", "nullable": True, "key": {"type": "STRING"}, "value": STRUCT},
    {"name": "by", "type": "MAP", "nullable": True, "key": STRUCT, "value": STRING},
    {"name": "odd.name", **STRING},
    {
        "name": "load",
        "type": "UNION",
        "nullable": True,
        "branches": [{"type": "STRUCT", "name": "Click", "fields": [{"name": "x", **STRING}]}],
    },
]
V2 = {
    "id": "[version=2.0].[type=struct].[type=long].id",
    "page": "[version=2.0].[type=struct].[type=struct].page",
    "page.url": "[version=2.0].[type=struct].[type=struct].page.[type=string].url",
    "items": "[version=2.0].[type=struct].[type=array].[type=struct].items",
    "items[].url": (
        "[version=2.0].[type=struct].[type=array].[type=struct].items.[type=string].url"
    ),
    "attrs": "[version=2.0].[type=struct].[type=map].[type=struct].attrs",
    "attrs{}.url": ("[version=2.0].[type=struct].[type=map].[type=struct].attrs.[type=string].url"),
    "by": "[version=2.0].[type=struct].[type=map].[type=string].by",
    "by{key}.url": (
        "[version=2.0].[type=struct].[type=map].[key=True].[type=struct].by.[type=string].url"
    ),
    "`odd.name`": "[version=2.0].[type=struct].[type=string].`odd.name`",
    "load": "[version=2.0].[type=struct].[type=union].load",
    "load<Click>.x": (
        "[version=2.0].[type=struct].[type=union].[type=Click].[type=struct].load.[type=string].x"
    ),
}


def test_version_2_says_the_types_on_the_way() -> None:
    assert {format_path(path): v2 for path, v2, _ in members(COLUMNS)} == V2


@pytest.mark.parametrize("ours", V2)
def test_version_2_is_read_without_the_schema(ours: str) -> None:
    assert format_path(read(V2[ours])) == ours


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("a.b.c", "a.b.c"),
        ("my column", "`my column`"),
        ("a..b", "`a..b`"),
        ("my column.b", "`my column`.b"),
        ("items[].url", "items[].url"),
        ("[odd].b", "`[odd].b`"),
        ("", "``"),
        ("[version=2.0].[type=Bar].[type=union].[type=string].a", "a"),
        ("[version=2.0].[key=True].[type=Id].[type=int].id", "id"),
        ("[version=2.0].[type=R].[type=array].[type=array].[type=R].a.[type=int].b", "a[][].b"),
        ("[version=2.0]", "`[version=2.0]`"),
    ],
)
def test_paths_of_other_sources_are_read(theirs: str, ours: str) -> None:
    assert format_path(read(theirs)) == ours


@SMALL
@given(field_paths)
def test_every_path_comes_back_from_version_1(path: FieldPath) -> None:
    assert of_v1(to_v1(path)) == path
    assert read(to_v1(path)) == path


@SMALL
@given(st.text(max_size=12))
def test_every_text_is_some_path(text: str) -> None:
    assert parse_path(format_path(read(text))) == read(text)
    assert of_v2(text)


@LAW
@given(st.lists(types(Field, 3), max_size=4))
def test_every_member_comes_back_from_version_2(columns: list[Field]) -> None:
    plain = [document_of(one) for one in columns]
    scope = Scope(UrnMapper(NamingSettings(field_paths=PathStyle.V2)), "urn").with_columns(plain)
    named = [
        format_path(path)
        for path, _ in walk([value_of(one, Field) for one in plain])
        if path[-1].step is Step.MEMBER
    ]
    assert [format_path(path) for path, _, _ in members(plain)] == named
    assert all(map(scope.can_say, named))
    assert len({scope.field(path) for path in named}) == len(named)
