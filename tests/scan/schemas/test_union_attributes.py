"""What a column says of itself beside its type: every attribute is decided, none is inherited."""

from dataclasses import fields
from typing import Any

import pytest

from lumos_snap.model import Field, Schema
from lumos_snap.model.type_syntax import parse_type
from lumos_snap.model.types import Branch, DataType, Definition, Element, Kind, MapKey
from lumos_snap.scan.schemas.supertype import NO_PARAMETERS
from lumos_snap.scan.schemas.union import COMBINERS, union_schemas
from tests.scan.schemas.unions import schema

HOLDERS = (Field, Element, MapKey, Branch, Definition)


def test_every_parameter_of_a_type_is_known() -> None:
    assert {one.name for one in fields(DataType)} == set(NO_PARAMETERS)


def test_every_attribute_has_a_decision_and_every_decision_an_attribute() -> None:
    named = {one.name for holder in HOLDERS for one in fields(holder)}
    assert named - set(NO_PARAMETERS) == set(COMBINERS)


TABLE: list[tuple[str, Any, Any, Any]] = [
    ("nullable", False, False, False),
    ("nullable", False, True, True),
    ("id", 7, 7, 7),
    ("id", 7, 8, None),
    ("id", 7, None, None),
    ("physical_name", "col-1", "col-1", "col-1"),
    ("physical_name", "col-1", "col-2", None),
    ("physical_name", "col-1", None, None),
    ("generated", "a + 1", "a + 1", "a + 1"),
    ("generated", "a + 1", "a + 2", None),
    ("generated", "a + 1", None, None),
    ("properties", {"x": 1, "y": 2}, {"x": 1, "y": 3, "z": 4}, {"x": 1}),
    ("properties", {"x": None}, {}, {}),
    ("description", "first", "second", "first"),
    ("description", None, "second", "second"),
    ("default", "1", None, "1"),
    ("default", None, "2", "2"),
    ("write_default", None, "2", "2"),
    ("absent", True, False, True),
    ("newest_type", "INT8", None, "INT8"),
    ("aliases", ("b", "a"), ("c", "a"), ("a", "b", "c")),
]


@pytest.mark.parametrize(("name", "leading", "other", "expected"), TABLE)
def test_attributes(name: str, leading: Any, other: Any, expected: Any) -> None:
    def column(said: Any, text: str) -> Schema:
        own = {"nullable": False, name: said}
        return schema(parse_type(text), **own)

    found = union_schemas([column(leading, "INT8"), column(other, "INT16")], leading=True)
    assert getattr(found.schema.fields[0], name) == expected


def test_every_decision_is_tried() -> None:
    assert {name for name, *_ in TABLE} | {"name"} == set(COMBINERS)


def test_a_column_that_holds_nothing_in_some_files_may_be_null() -> None:
    found = union_schemas([schema("NULL", nullable=False), schema("INT8", nullable=False)])
    assert found.schema.fields[0].nullable


def test_elements_keys_and_branches_are_decided_as_well() -> None:
    def held(kind: Kind, number: int, about: str | None) -> Schema:
        element = Element(type=kind, nullable=False, id=1, description=about)
        key = MapKey(type=Kind.STRING, id=number)
        branches = (Branch(name="x", type=kind, id=3), Branch(name="y", type=kind, id=number))
        return Schema(
            fields=(
                Field(name="m", nullable=True, type=Kind.MAP, key=key, value=element),
                Field(name="u", nullable=True, type=Kind.UNION, branches=branches),
            )
        )

    found = union_schemas(
        [held(Kind.INT8, 8, None), held(Kind.INT16, 9, "what it is")]
    ).schema.fields
    assert found == (
        Field(
            name="m",
            nullable=True,
            type=Kind.MAP,
            key=MapKey(type=Kind.STRING),
            value=Element(type=Kind.INT16, nullable=False, id=1, description="what it is"),
        ),
        Field(
            name="u",
            nullable=True,
            type=Kind.UNION,
            branches=(
                Branch(name="x", type=Kind.INT16, id=3),
                Branch(name="y", type=Kind.INT16),
            ),
        ),
    )
