"""What files that disagree about a column agree on, type by type."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.model.type_syntax import format_type, parse_type
from lumos_snap.model.types import DataType, Kind
from lumos_snap.scan.schemas.supertype import MOST_PIECES, union_scalars
from lumos_snap.scan.schemas.union import union_schemas
from tests.scan.schemas.unions import in_any_order, joined, schema, spoken, texts_united
from tests.strategies import SMALL
from tests.strategies.types import FLAT, of_kind, types

DECLARED = [
    ("INT8 | INT32", "INT32"),
    ("UINT8 | UINT16", "UINT16"),
    ("UINT8 | INT8", "INT16"),
    ("UINT16 | INT64", "INT64"),
    ("UINT32 | INT8", "INT64"),
    ("UINT64 | INT8", "DECIMAL(20,0)"),
    ("INT32 | FLOAT32", "FLOAT64"),
    ("FLOAT16 | FLOAT32", "FLOAT32"),
    ("DECIMAL(10,2) | DECIMAL(12,4)", "DECIMAL(12,4)"),
    ("DECIMAL(10,2) | DECIMAL(5,4)", "DECIMAL(12,4)"),
    ("DECIMAL(5,2) | INT32", "DECIMAL(12,2)"),
    ("DECIMAL(5,2) | FLOAT32", "FLOAT64"),
    ("DECIMAL | DECIMAL(5,2)", "DECIMAL"),
    ("DECIMAL(1000,-1000) | DECIMAL(1000,1000)", "DECIMAL"),
    ("CHAR(3) | VARCHAR(7)", "VARCHAR(7)"),
    ("CHAR(3) | CHAR(7)", "VARCHAR(7)"),
    ("CHAR(3) COLLATE de | VARCHAR(7) COLLATE de", "VARCHAR(7) COLLATE de"),
    ("CHAR(3) | STRING", "STRING"),
    ("VARCHAR(3) COLLATE de | STRING COLLATE de", "STRING COLLATE de"),
    ("STRING COLLATE de | STRING COLLATE fr", "STRING"),
    ("STRING COLLATE de | STRING", "STRING"),
    ("ENUM('a','b') | ENUM('a','b','c')", "ENUM('a','b','c')"),
    ("ENUM('a') | STRING", "STRING"),
    ("UUID | STRING", "STRING"),
    ("JSON | STRING", "STRING"),
    ("FIXED(4) | FIXED(8)", "BINARY"),
    ("DATE | TIMESTAMP(us)", "TIMESTAMP(us)"),
    ("DATE | TIMESTAMP(us, UTC)", "UNKNOWN('DATE | TIMESTAMP(us, UTC)')"),
    ("TIMESTAMP(ms, UTC) | TIMESTAMP(ns, UTC)", "TIMESTAMP(ns, UTC)"),
    ("TIMESTAMP(us, UTC) | TIMESTAMP(us, Europe/Rome)", "TIMESTAMP(us, UTC)"),
    ("TIMESTAMP(us) | TIMESTAMP(us, UTC)", "UNKNOWN('TIMESTAMP(us) | TIMESTAMP(us, UTC)')"),
    ("TIMESTAMP | TIMESTAMP(us)", "TIMESTAMP"),
    ("TIME(ms) | TIME(us)", "TIME(us)"),
    ("INTERVAL(day-time) | INTERVAL(us)", "UNKNOWN('INTERVAL(day-time) | INTERVAL(us)')"),
    ("INT64 | STRING", "UNKNOWN('INT64 | STRING')"),
    ("BOOLEAN | INT64 | STRING", "UNKNOWN('BOOLEAN | INT64 | STRING')"),
    ("NULL | INT64", "INT64"),
    ("ARRAY<INT8> | ARRAY<INT32>", "ARRAY<INT32>"),
    ("ARRAY<INT8>(3) | ARRAY<INT8>(4)", "ARRAY<INT8>"),
    ("ARRAY<INT8> | INT8", "UNKNOWN('ARRAY<INT8> | INT8')"),
    ("MAP<STRING, INT8> | MAP<STRING, INT64>", "MAP<STRING, INT64>"),
    ("STRUCT<a: INT8, b: INT8> | STRUCT<b: INT16, c: DATE>", "STRUCT<a: INT8, b: INT16, c: DATE>"),
    ("REF(node) | REF(leaf)", "UNKNOWN('REF(leaf) | REF(node)')"),
    ("REF(node) | STRUCT<a: INT8>", "UNKNOWN('REF(node) | STRUCT<a: INT8>')"),
]
INFERRED = [
    ("INT64 | FLOAT64", "FLOAT64"),
    ("INT64 | STRING", "STRING"),
    ("BOOLEAN | INT64", "STRING"),
    ("DATE | TIMESTAMP(us)", "TIMESTAMP(us)"),
    ("DATE | TIMESTAMP(us, UTC)", "STRING"),
    ("TIMESTAMP(us) | TIMESTAMP(us, UTC)", "STRING"),
    ("NULL | ARRAY<NULL>", "ARRAY<NULL>"),
    ("ARRAY<NULL> | ARRAY<STRING>", "ARRAY<STRING>"),
    ("STRUCT<a: INT64> | INT64", "JSON"),
    ("STRUCT<a: INT64> | STRING", "JSON"),
    ("JSON | STRING", "JSON"),
    ("JSON | INT64", "JSON"),
    ("ARRAY<INT64> | MAP<STRING, INT64>", "JSON"),
    ("STRUCT<a: INT64, b: FLOAT64> | MAP<STRING, INT64>", "MAP<STRING, FLOAT64>"),
]


@pytest.mark.parametrize(("listed", "expected"), DECLARED)
def test_declared_types(listed: str, expected: str) -> None:
    assert texts_united(listed, inferred=False) == expected


@pytest.mark.parametrize(("listed", "expected"), INFERRED)
def test_guessed_types(listed: str, expected: str) -> None:
    assert texts_united(listed, inferred=True) == expected


@pytest.mark.parametrize(
    "listed", [listed for listed, _ in DECLARED if not listed.startswith(("NULL", "STRUCT"))]
)
def test_who_says_what_is_told(listed: str) -> None:
    found = union_schemas([schema(text) for text in listed.split(" | ")])
    assert any(len(says) == len(listed.split(" | ")) for says in spoken(found).values())


@SMALL
@given(
    st.sampled_from(FLAT).flatmap(lambda kind: of_kind(kind, DataType, 0)),
    st.booleans(),
    st.booleans(),
)
def test_a_type_that_only_its_source_calls_otherwise_stays(
    one: DataType, same_name: bool, inferred: bool
) -> None:
    if one.type is not Kind.UNKNOWN:
        one = replace(one, native="its name")
    other = replace(one, physical="INT96", native=one.native if same_name else "another name")
    if one.type is Kind.UNKNOWN:
        other = replace(other, native=one.native)
    found = union_schemas([schema(one, inferred=inferred), schema(other, inferred=inferred)])
    column = found.schema.fields[0]
    assert format_type(column) == format_type(one)
    assert column.native == (one.native if one.native == other.native else None)
    assert column.physical == (one.physical if one.physical == other.physical else None)
    assert found.disagreements == ()


@pytest.mark.parametrize("kind", FLAT)
def test_two_of_one_kind_and_parameters_are_no_conflict(kind: Kind) -> None:
    sized: dict[str, Any] = {"length": 5} if kind in (Kind.CHAR, Kind.VARCHAR, Kind.FIXED) else {}
    one = DataType(type=kind, native="a", **sized)
    other = one if kind is Kind.UNKNOWN else replace(one, native="b")
    for inferred in (False, True):
        assert DataType(**union_scalars([one, other], inferred=inferred)).type is kind


CONFLICTS = [
    "INT64 | STRING",
    "TIMESTAMP(us) | TIMESTAMP(us, UTC)",
    "ARRAY<INT8> | INT8",
    "BOOLEAN | INT64 | STRING",
]


@pytest.mark.parametrize("listed", CONFLICTS)
def test_a_conflict_that_meets_one_of_its_parts_again_stays(listed: str) -> None:
    parts = [parse_type(text) for text in listed.split(" | ")]
    conflict = joined(*parts, inferred=False)
    for part in parts:
        assert format_type(joined(conflict, part, inferred=False)) == f"UNKNOWN('{listed}')"
    assert joined(conflict, *parts, conflict, inferred=False) == conflict


def test_conflicts_that_meet_list_the_parts_of_both() -> None:
    numbers, dates = (
        DataType(type=Kind.UNKNOWN, native=native) for native in ("INT64 | STRING", "DATE | INT64")
    )
    assert joined(numbers, dates, inferred=False).native == "DATE | INT64 | STRING"


def test_parts_are_told_from_signs_inside_names() -> None:
    odd = "ENUM('a | b','c') | INT64 | STRUCT<`x | y`: INT8>"
    one = DataType(type=Kind.UNKNOWN, native=odd)
    assert joined(one, parse_type("INT64"), inferred=False).native == odd


@pytest.mark.parametrize(
    "native", ["a | b", "INT64 | b", "int64 | INT64", " | ", " | ".join(["STRUCT<"] * 9_999)]
)
def test_what_a_source_calls_its_type_is_not_taken_apart(native: str) -> None:
    one = DataType(type=Kind.UNKNOWN, native=native)
    found = joined(one, parse_type("DATE"), inferred=False)
    assert found.native == " | ".join(sorted(["DATE", format_type(one)]))
    assert native.count(" | ") < MOST_PIECES or native.startswith("STRUCT<")


def test_types_that_one_name_hides_are_a_conflict_of_types() -> None:
    same: dict[str, Any] = {"native": "thing", "physical": "INT96"}
    one, other = (DataType(type=kind, **same) for kind in (Kind.BOOLEAN, Kind.INT64))
    found = joined(one, other, inferred=False)
    assert (found.type, found.native) == (Kind.UNKNOWN, "BOOLEAN | INT64")


@SMALL
@given(types(DataType, 2), types(DataType, 2), st.booleans())
def test_what_was_united_holds_what_it_came_from(
    one: DataType, other: DataType, inferred: bool
) -> None:
    both = joined(one, other, inferred=inferred)
    assert in_any_order(joined(both, one, inferred=inferred)) == in_any_order(both)
    assert in_any_order(joined(both, other, inferred=inferred)) == in_any_order(both)
