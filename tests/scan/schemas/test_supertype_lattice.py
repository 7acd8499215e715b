"""Guessed types form a lattice: what was united once stays, whatever is scanned next."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.model import Field, Schema
from lumos_snap.model.type_syntax import format_type, parse_type
from lumos_snap.model.types import DataType, Element, Kind, MapKey
from lumos_snap.scan.schemas.supertype import NO_PARAMETERS, union_scalars
from lumos_snap.scan.schemas.union import union_schemas
from tests.scan.schemas.unions import in_any_order, joined, schema
from tests.strategies import SMALL

SCALARS = [
    "NULL", "BOOLEAN", "INT64", "FLOAT64", "DECIMAL(38,0)", "STRING", "DATE", "TIMESTAMP(us)",
    "TIMESTAMP(ns)", "TIMESTAMP(us, UTC)", "TIMESTAMP(ns, UTC)", "JSON",
]  # fmt: skip


def _parameters(one: DataType) -> dict[str, Any]:
    return {name: getattr(one, name) for name in NO_PARAMETERS}


def _nested(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
    elements = inner.map(lambda one: Element(nullable=True, **_parameters(one)))
    members = st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    return st.one_of(
        elements.map(lambda one: DataType(type=Kind.ARRAY, element=one)),
        elements.map(lambda one: DataType(type=Kind.MAP, key=MapKey(type=Kind.STRING), value=one)),
        members.map(
            lambda held: DataType(
                type=Kind.STRUCT,
                fields=tuple(
                    Field(name=name, nullable=True, **_parameters(one))
                    for name, one in held.items()
                ),
            )
        ),
    )


guessed = st.recursive(st.sampled_from(SCALARS).map(parse_type), _nested, max_leaves=6)


def _join(*types: DataType) -> str:
    return in_any_order(joined(*types, inferred=True))


@SMALL
@given(guessed, guessed)
def test_what_was_united_holds_what_it_came_from(one: DataType, other: DataType) -> None:
    both = joined(one, other, inferred=True)
    assert _join(both, other) == in_any_order(both)
    assert _join(both, one) == in_any_order(both)
    assert _join(other, one) == in_any_order(both)


@SMALL
@given(guessed, guessed, guessed)
def test_it_does_not_matter_which_are_united_first(
    first: DataType, second: DataType, third: DataType
) -> None:
    left = _join(joined(first, second, inferred=True), third)
    right = _join(first, joined(second, third, inferred=True))
    assert left == right == _join(first, second, third)


@pytest.mark.parametrize("one", SCALARS)
def test_the_laws_hold_for_all_scalars(one: str) -> None:
    first = parse_type(one)
    for second, third in itertools.product(map(parse_type, SCALARS), repeat=2):
        whole = _join(first, second, third)
        assert _join(joined(first, second, inferred=True), third) == whole
        assert _join(joined(second, third, inferred=True), first) == whole
        scalar = DataType(**union_scalars([first, second, third], inferred=True))
        assert format_type(scalar) == whole


@SMALL
@given(st.lists(guessed, min_size=1, max_size=8))
def test_scans_that_follow_each_other_only_widen(scans: list[DataType]) -> None:
    known = schema(scans[0], inferred=True)
    for now in scans:
        known = union_schemas((known, schema(now, inferred=True)), leading=True).schema
    settled = known
    for now in scans:
        settled = union_schemas((settled, schema(now, inferred=True)), leading=True).schema
    assert settled == known


def test_a_column_that_is_a_number_here_and_an_object_there_settles() -> None:
    number, empty = (schema(text, inferred=True) for text in ("INT64", "STRUCT<>"))
    known = number
    seen = []
    for now in (empty, number, empty, number):
        known = union_schemas((known, now), leading=True).schema
        seen.append(format_type(known.fields[0]))
    assert seen == ["JSON"] * 4


def test_a_guess_that_meets_a_type_that_nobody_knows_is_json() -> None:
    deep, text = parse_type("UNKNOWN('object')"), parse_type("STRING")
    assert _join(deep, deep) == "UNKNOWN('object')"
    assert _join(deep, text) == _join(deep, parse_type("UNKNOWN('array')")) == "JSON"


def test_names_that_are_data_stay_so_whatever_the_keys_are() -> None:
    held = Schema(inferred=True, fields=schema("MAP<INT64, INT64>").fields)
    found = union_schemas([held, schema("STRUCT<a: FLOAT64>", inferred=True)]).schema.fields[0]
    assert format_type(found) == "MAP<STRING, FLOAT64>"
