"""What files that disagree about a column agree on, type by type."""

import pytest

from lumos_snap.model import Field, Schema
from lumos_snap.model.notation import format_type
from lumos_snap.model.type_reader import parse_type
from lumos_snap.scan.schemas.types import NO_PARAMETERS
from lumos_snap.scan.schemas.uniting import united

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
    ("CHAR(3) | VARCHAR(7)", "VARCHAR(7)"),
    ("CHAR(3) | STRING", "STRING"),
    ("ENUM('a','b') | ENUM('a','b','c')", "ENUM('a','b','c')"),
    ("ENUM('a') | STRING", "STRING"),
    ("FIXED(4) | FIXED(8)", "BINARY"),
    ("DATE | TIMESTAMP(us)", "TIMESTAMP(us)"),
    ("TIMESTAMP(ms, UTC) | TIMESTAMP(ns, UTC)", "TIMESTAMP(ns, UTC)"),
    ("TIMESTAMP(us, UTC) | TIMESTAMP(us, Europe/Rome)", "TIMESTAMP(us, UTC)"),
    ("TIMESTAMP(us) | TIMESTAMP(us, UTC)", "UNKNOWN('TIMESTAMP(us) | TIMESTAMP(us, UTC)')"),
    ("TIME(ms) | TIME(us)", "TIME(us)"),
    ("INT64 | STRING", "UNKNOWN('INT64 | STRING')"),
    ("BOOLEAN | INT64 | STRING", "UNKNOWN('BOOLEAN | INT64 | STRING')"),
    ("NULL | INT64", "INT64"),
    ("ARRAY<INT8> | ARRAY<INT32>", "ARRAY<INT32>"),
    ("ARRAY<INT8> | INT8", "UNKNOWN('ARRAY<INT8> | INT8')"),
    ("MAP<STRING, INT8> | MAP<STRING, INT64>", "MAP<STRING, INT64>"),
    ("STRUCT<a: INT8, b: INT8> | STRUCT<b: INT16, c: DATE>", "STRUCT<a: INT8, b: INT16, c: DATE>"),
    ("UNION<INT8, STRING> | UNION<INT8, STRING, DATE>", "UNION<INT8, STRING, DATE>"),
]
INFERRED = [
    ("INT64 | FLOAT64", "FLOAT64"),
    ("INT64 | STRING", "STRING"),
    ("BOOLEAN | INT64", "STRING"),
    ("DATE | TIMESTAMP(us)", "TIMESTAMP(us)"),
    ("TIMESTAMP(us) | TIMESTAMP(us, UTC)", "STRING"),
    ("NULL | ARRAY<NULL>", "ARRAY<NULL>"),
    ("ARRAY<NULL> | ARRAY<STRING>", "ARRAY<STRING>"),
    ("STRUCT<a: INT64> | INT64", "JSON"),
    ("STRUCT<a: INT64, b: FLOAT64> | MAP<STRING, INT64>", "MAP<STRING, FLOAT64>"),
]


@pytest.mark.parametrize(("types", "expected"), DECLARED)
def test_declared_types(types: str, expected: str) -> None:
    assert _united(types, inferred=False) == expected


@pytest.mark.parametrize(("types", "expected"), INFERRED)
def test_guessed_types(types: str, expected: str) -> None:
    assert _united(types, inferred=True) == expected


def _united(types: str, *, inferred: bool) -> str:
    schemas = [_schema(parse_type(text), inferred=inferred) for text in types.split(" | ")]
    found = united(schemas)
    assert found.disagreements or len({format_type(s.fields[0]) for s in schemas}) > 1
    return format_type(found.schema.fields[0])


def _schema(given: object, *, inferred: bool) -> Schema:
    parameters = {name: getattr(given, name) for name in NO_PARAMETERS}
    return Schema(inferred=inferred, fields=(Field(name="x", nullable=True, **parameters),))


def _columns(*names: str, ids: tuple[int, ...] = ()) -> Schema:
    parameters = {name: getattr(parse_type("INT64"), name) for name in ("type",)}
    numbers = ids or (None,) * len(names)
    fields = (
        Field(name=name, nullable=False, id=number, **parameters)
        for name, number in zip(names, numbers, strict=True)
    )
    return Schema(fields=tuple(fields))


@pytest.mark.parametrize(
    ("listings", "expected"),
    [
        ([("a", "b"), ("a", "b", "c")], ["a", "b", "c"]),
        ([("a", "c", "d"), ("a", "b", "c")], ["a", "b", "c", "d"]),
        ([("b",), ("a", "c")], ["b", "a", "c"]),
        ([("b", "z", "y"), ("x", "b")], ["x", "b", "z", "y"]),
        ([("a", "A"), ("A",)], ["a", "A"]),
        ([("a", "a"), ("a",)], ["a", "a"]),
    ],
)
def test_columns_keep_the_order_of_the_widest(
    listings: list[tuple[str, ...]], expected: list[str]
) -> None:
    found = united([_columns(*names) for names in listings]).schema.fields
    assert [one.name for one in found] == expected


def test_a_column_that_some_files_lack_is_nullable_and_named() -> None:
    found = united([_columns("a", "b"), _columns("a")])
    assert [one.nullable for one in found.schema.fields] == [False, True]
    assert [one.path for one in found.disagreements] == ["b"]


def test_columns_of_one_id_are_one_column_whatever_they_are_called() -> None:
    found = united([_columns("a", "b", ids=(1, 2)), _columns("a", "renamed", ids=(1, 2))])
    assert len(found.schema.fields) == 2


def test_columns_of_other_ids_and_one_name_are_two() -> None:
    found = united([_columns("a", ids=(1,)), _columns("a", ids=(2,))])
    assert {one.id for one in found.schema.fields} == {1, 2}
