"""Unions, and types that are defined once and referred to."""

import pytest

from lumos_snap.model import Field, Schema
from lumos_snap.model.type_syntax import format_type, parse_type
from lumos_snap.model.types import Definition, Kind
from lumos_snap.scan.schemas.supertype import parameters_of
from lumos_snap.scan.schemas.union import union_schemas
from tests.scan.schemas.unions import schema, spoken, texts_united

UNIONS = [
    ("UNION<INT8, STRING> | UNION<INT8, STRING, DATE>", "UNION<INT8, STRING, DATE>"),
    ("UNION<INT8, STRING> | UNION<STRING, INT8>", "UNION<INT8, STRING>"),
    ("UNION<a: INT8, b: DATE> | UNION<a: INT32, b: DATE>", "UNION<a: INT32, b: DATE>"),
    (
        "UNION<r: STRUCT<a: INT8>, STRING> | UNION<r: STRUCT<a: INT8, b: INT8>, STRING>",
        "UNION<r: STRUCT<a: INT8, b: INT8>, STRING>",
    ),
    (
        "UNION<STRUCT<a: INT8>, STRING> | UNION<STRUCT<a: INT8, b: INT8>, STRING>",
        "UNION<STRUCT<a: INT8, b: INT8>, STRING>",
    ),
    ("UNION<ARRAY<INT8>, STRING> | UNION<ARRAY<INT16>>", "UNION<ARRAY<INT16>, STRING>"),
    (
        "UNION<STRUCT<a: INT8>, STRUCT<b: INT8>> | UNION<STRUCT<a: INT8>>",
        "UNION<STRUCT<a: INT8>, STRUCT<b: INT8>>",
    ),
    (
        "UNION<STRUCT<a: INT8>, STRUCT<b: INT8>> | UNION<STRUCT<b: INT8>>",
        "UNION<STRUCT<a: INT8>, STRUCT<b: INT8>>",
    ),
    ("UNION<INT8, INT8> | UNION<INT8, INT8, DATE>", "UNION<INT8, INT8, DATE>"),
    ("UNION<a: INT8, a: DATE> | UNION<a: INT16>", "UNION<a: INT16, a: DATE>"),
    ("UNION<a: INT8> | UNION<INT8>", "UNION<a: INT8, INT8>"),
    ("UNION<INT8> | INT8", "UNKNOWN('INT8 | UNION<INT8>')"),
]


@pytest.mark.parametrize(("listed", "expected"), UNIONS)
def test_unions(listed: str, expected: str) -> None:
    found = parse_type(texts_united(listed, inferred=False))
    wanted = parse_type(expected)
    assert sorted(map(repr, _members(found))) == sorted(map(repr, _members(wanted)))
    assert found.type is wanted.type


def _members(one: object) -> list[object]:
    branches: tuple[object, ...] = getattr(one, "branches", ())
    return list(branches) or [one]


def test_a_record_that_grew_is_told_at_its_member_alone() -> None:
    found = union_schemas(
        [schema("UNION<r: STRUCT<a: INT8>>"), schema("UNION<r: STRUCT<a: INT16>>")]
    )
    assert spoken(found) == {"x<r>.a": ["INT16", "INT8"]}


def test_an_alternative_that_some_lack_is_told() -> None:
    found = union_schemas([schema("UNION<INT8>"), schema("UNION<INT8, DATE>")])
    assert spoken(found) == {"x": ["UNION<INT8, DATE>", "UNION<INT8>"]}
    assert format_type(found.disagreements[0].became or parse_type("NULL")) == "UNION<INT8, DATE>"


def _defined(inside: str, column: str) -> Schema:
    one = Definition(name="node", **parameters_of(parse_type(inside)))
    return Schema(fields=schema(column).fields, definitions=(one,))


def test_definitions_of_one_name_are_united_by_their_members() -> None:
    small = _defined("STRUCT<next: REF(node)>", "REF(node)")
    large = _defined("STRUCT<next: REF(node), value: INT8>", "REF(node)")
    found = union_schemas([small, large])
    assert [format_type(one) for one in found.schema.definitions] == [
        "STRUCT<next: REF(node), value: INT8>"
    ]
    assert format_type(found.schema.fields[0]) == "REF(node)"
    assert found.lacking == {(0,): ("REF(node).value",)}


def test_what_is_written_out_here_and_referred_to_there_is_a_conflict() -> None:
    there = _defined("STRUCT<a: INT8>", "REF(node)")
    found = union_schemas([there, schema("STRUCT<a: INT8>")])
    assert format_type(found.schema.fields[0]) == "UNKNOWN('REF(node) | STRUCT<a: INT8>')"
    assert [one.name for one in found.schema.definitions] == ["node"]


def test_a_guessed_column_that_others_refer_from_is_json() -> None:
    there = _defined("STRUCT<a: INT8>", "REF(node)")
    column = Field(name="x", nullable=True, type=Kind.STRING)
    found = union_schemas([there, Schema(inferred=True, fields=(column,))])
    assert found.schema.fields[0].type is Kind.JSON
