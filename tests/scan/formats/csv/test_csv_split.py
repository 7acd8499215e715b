"""It does not matter whether values stand in one file or in several: the types are the same."""

import itertools
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.model import Field, Schema
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import DataType
from lumos_snap.scan.formats.csv import schema as csv_schema
from lumos_snap.scan.formats.csv import value_kinds
from lumos_snap.scan.schemas.union import union_schemas
from tests.scan.formats.test_text_properties import CELLS, RECORDS, lines, table
from tests.scan.formats.text_descriptions import described, probed
from tests.scan.schemas.unions import in_any_order

KINDS = sorted(CELLS)
ALONE = (
    value_kinds.summarize_kinds((value_kinds.TEXT,)),
    value_kinds.summarize_kinds((value_kinds.BLANK,)),
)
_MIXED = [kind for kind in KINDS if kind not in (value_kinds.TEXT, value_kinds.BLANK)]
SUMMARIES = sorted(
    {*ALONE}
    | {
        value_kinds.summarize_kinds(kinds)
        for number in range(1, len(_MIXED) + 1)
        for kinds in itertools.combinations(_MIXED, number)
    }
)
"""Everything that the probe says of a column: all kinds but those that leave no other."""


@cache
def _typed(text: str) -> DataType:
    return next(
        DataType(**csv_schema.infer_column_type(kinds))
        for kinds in SUMMARIES
        if _type(kinds) == text
    )


def _type(kinds: tuple[str, ...]) -> str:
    return format_type(DataType(**csv_schema.infer_column_type(kinds)))


@cache
def _united(one: str, other: str) -> str:
    schemas = [Schema(inferred=True, fields=(_column(text),)) for text in (one, other)]
    return format_type(union_schemas(schemas).schema.fields[0])


def _column(text: str) -> Field:
    given = {name: getattr(_typed(text), name) for name in ("type", "unit", "timezone")}
    sizes = {name: getattr(_typed(text), name) for name in ("precision", "scale")}
    return Field(name="x", nullable=True, **given, **sizes)


def test_one_more_kind_in_the_same_file_is_as_one_more_file() -> None:
    # With the laws of the lattice this holds for any two sets of kinds: those of the one are
    # added to the other one by one.
    types = {kinds: _type(kinds) for kinds in SUMMARIES}
    for kinds, kind in itertools.product(SUMMARIES, KINDS):
        together = value_kinds.summarize_kinds({*kinds, kind})
        assert types[together] == _united(types[kinds], types[kind,]), (kinds, kind)


def test_types_that_two_files_give_are_types_that_one_gives() -> None:
    types = sorted({_type(kinds) for kinds in SUMMARIES})
    for first, second, third in itertools.product(types, repeat=3):
        both = _united(first, second)
        assert both in types
        assert _united(both, third) == _united(first, _united(second, third))


_kinds = st.frozensets(st.sampled_from(KINDS), min_size=1)


@given(_kinds, _kinds)
def test_two_sets_of_kinds(some: frozenset[str], others: frozenset[str]) -> None:
    one, other, both = (
        value_kinds.summarize_kinds(kinds) for kinds in (some, others, some | others)
    )
    assert _type(both) == _united(_type(one), _type(other))


ROWS = st.lists(st.tuples(*[st.sampled_from(sorted(CELLS.values()))] * 2), max_size=6)


@given(ROWS, ROWS)
def test_csv_rows_of_two_files_have_the_types_that_they_have_in_one(
    some: list[tuple[str, str]], others: list[tuple[str, str]]
) -> None:
    schemas = [described(probed(table(rows), "csv")).schema for rows in (some, others)]
    whole = described(probed(table(some + others), "csv")).schema
    assert union_schemas(schemas).schema == whole


@given(RECORDS, RECORDS)
def test_json_records_of_two_files_have_the_types_that_they_have_in_one(
    some: list[dict[str, object]], others: list[dict[str, object]]
) -> None:
    schemas = [described(probed(lines(records), "json")).schema for records in (some, others)]
    whole = described(probed(lines(some + others), "json")).schema
    found = {one.name: in_any_order(one) for one in union_schemas(schemas).schema.fields}
    assert found == {one.name: in_any_order(one) for one in whole.fields}
