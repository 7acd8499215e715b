"""The type notation, as people write it and as it is printed."""

import string
from dataclasses import fields

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lumos_snap.model.type_syntax import format_type, parse_type
from lumos_snap.model.types import (
    MAX_LEVELS,
    Branch,
    DataType,
    Element,
    Field,
    Kind,
    MapKey,
    Unit,
)
from tests.strategies import LAW, SMALL
from tests.strategies.texts import odd_texts
from tests.strategies.types import of_kind, types

_SPOKEN = {
    "name", "type", "ref", "precision", "scale", "length", "unit", "timezone", "symbols",
    "symbol_default", "collation", "nullable", "key", "element", "value", "fields", "branches",
}  # fmt: skip

PAIRS = [
    ("INT64", DataType(type=Kind.INT64)),
    ("DECIMAL(12,2)", DataType(type=Kind.DECIMAL, precision=12, scale=2)),
    ("DECIMAL(3,-2)", DataType(type=Kind.DECIMAL, precision=3, scale=-2)),
    ("DECIMAL", DataType(type=Kind.DECIMAL)),
    ("BINARY", DataType(type=Kind.BINARY)),
    ("BINARY(16)", DataType(type=Kind.BINARY, length=16)),
    ("STRING COLLATE de_DE", DataType(type=Kind.STRING, collation="de_DE")),
    ("VARCHAR(20)", DataType(type=Kind.VARCHAR, length=20)),
    ("CHAR(2) COLLATE 'a b'", DataType(type=Kind.CHAR, length=2, collation="a b")),
    ("FIXED(16)", DataType(type=Kind.FIXED, length=16)),
    ("TIME", DataType(type=Kind.TIME)),
    ("TIME(ms)", DataType(type=Kind.TIME, unit=Unit.MILLISECOND)),
    ("TIMESTAMP(us)", DataType(type=Kind.TIMESTAMP, unit=Unit.MICROSECOND)),
    (
        "TIMESTAMP(us, UTC)",
        DataType(type=Kind.TIMESTAMP, unit=Unit.MICROSECOND, timezone="UTC"),
    ),
    ("TIMESTAMP(+02:00)", DataType(type=Kind.TIMESTAMP, timezone="+02:00")),
    ("TIMESTAMP('us')", DataType(type=Kind.TIMESTAMP, timezone="us")),
    ("INTERVAL(day-time)", DataType(type=Kind.INTERVAL, unit=Unit.DAY_TIME)),
    ("ENUM('a','it''s')", DataType(type=Kind.ENUM, symbols=("a", "it's"))),
    ("ENUM('a') DEFAULT 'a'", DataType(type=Kind.ENUM, symbols=("a",), symbol_default="a")),
    ("REF(node)", DataType(type=Kind.REF, ref="node")),
    ("UNKNOWN('geometry')", DataType(type=Kind.UNKNOWN, native="geometry")),
    (
        "ARRAY<FLOAT32>(768)",
        DataType(type=Kind.ARRAY, element=Element(type=Kind.FLOAT32, nullable=True), length=768),
    ),
    (
        "MAP<STRING, INT64 NOT NULL>",
        DataType(
            type=Kind.MAP,
            key=MapKey(type=Kind.STRING),
            value=Element(type=Kind.INT64, nullable=False),
        ),
    ),
    (
        "STRUCT<a: INT64, `b c`: STRING NOT NULL>",
        DataType(
            type=Kind.STRUCT,
            fields=(
                Field(name="a", type=Kind.INT64, nullable=True),
                Field(name="b c", type=Kind.STRING, nullable=False),
            ),
        ),
    ),
    ("STRUCT<>", DataType(type=Kind.STRUCT)),
    (
        "UNION<INT64, name: STRING>",
        DataType(
            type=Kind.UNION,
            branches=(Branch(type=Kind.INT64), Branch(name="name", type=Kind.STRING)),
        ),
    ),
]

READ_AS = [
    ("int64", "INT64"),
    ("  Decimal ( 12 , 2 ) ", "DECIMAL(12,2)"),
    ("array<\n  struct<a:int64>\n>", "ARRAY<STRUCT<a: INT64>>"),
    ("map<string,int64 not\tnull>", "MAP<STRING, INT64 NOT NULL>"),
    ("TIMESTAMP(us,'UTC')", "TIMESTAMP(us, UTC)"),
    ("string collate 'utf8'", "STRING COLLATE utf8"),
    ("ENUM('b', 'a')", "ENUM('b','a')"),
    ("ENUM()", "ENUM"),
    ("STRUCT", "STRUCT<>"),
    ("STRUCT<`a`: REF(`b`)>", "STRUCT<a: REF(b)>"),
    ("STRUCT<int64: INT64>", "STRUCT<int64: INT64>"),
    ("STRUCT<``: NULL NOT NULL>", "STRUCT<``: NULL NOT NULL>"),
]

REFUSED = [
    ("", 1, "a type such as INT64 or ARRAY<STRING>, found the end"),
    ("   ", 4, "a type such as INT64 or ARRAY<STRING>, found the end"),
    ("INT65", 1, "a type such as INT64 or ARRAY<STRING>, found `INT65`"),
    ("İNT64", 1, "a type such as"),
    ("INT64 NOT NULL", 7, "the end, found `NOT NULL`"),
    ("ARRAY", 6, "`<`, found the end"),
    ("ARRAY<INT64", 12, "`>`, found the end"),
    ("ARRAY<INT64>>", 13, "the end, found `>`"),
    ("MAP<STRING>", 11, "`,`, found `>`"),
    ("MAP<STRING NOT NULL, INT64>", 12, "`,`, found `NOT NULL, IN…`"),
    ("STRUCT<INT64>", 8, "a name and `:`, found `INT64>`"),
    ("STRUCT<a: INT64 b: INT64>", 17, "`,` or `>`"),
    ("STRUCT<a: INT64,>", 17, "a name and `:`"),
    ("UNION<``: INT64>", 7, "a name that is not empty"),
    ("DECIMAL()", 9, "a precision"),
    ("BINARY()", 8, "a length"),
    ("DECIMAL(0,1)", 9, "a precision from 1 to 1000"),
    ("DECIMAL(12)", 11, "`,`"),
    ("DECIMAL(99999999999999999999,1)", 9, "a precision"),
    ("VARCHAR(-1)", 9, "a length from 0"),
    ("TIMESTAMP(day-time)", 11, "one of s, ms, us, ns"),
    ("TIMESTAMP()", 11, "a time zone"),
    ("TIMESTAMP(us UTC)", 14, "`,` or `)`"),
    ("INTERVAL(fortnight)", 10, "one of year-month"),
    ("INTERVAL(us, UTC)", 12, "`)`"),
    ("ENUM(a)", 6, "a symbol in quotes"),
    ("ENUM('a)", 6, "a symbol in quotes"),
    ("REF()", 5, "the name of a definition"),
    ("UNKNOWN('')", 9, "the source's own name in quotes"),
    ("STRING COLLATE ''", 16, "a collation"),
    ("ARRAY<" * (MAX_LEVELS + 1), 6 * MAX_LEVELS + 1, "no more than 64 levels"),
]


@pytest.mark.parametrize(("text", "data_type"), PAIRS, ids=[text for text, _ in PAIRS])
def test_a_type_is_printed_and_read_alike(text, data_type):
    assert format_type(data_type) == text
    assert parse_type(text) == data_type


@pytest.mark.parametrize(("text", "printed"), READ_AS, ids=[text for text, _ in READ_AS])
def test_case_and_white_space_carry_no_meaning(text, printed):
    assert format_type(parse_type(text)) == printed


@pytest.mark.parametrize(
    ("text", "column", "expected"), REFUSED, ids=[text[:30] or "empty" for text, *_ in REFUSED]
)
def test_what_is_no_type_is_refused_with_its_column(text, column, expected):
    with pytest.raises(ValueError, match=r"^not a type: ") as caught:
        parse_type(text)
    assert f"column {column}: expected {expected}" in str(caught.value)


def test_the_deepest_type_is_read_and_printed():
    text = "ARRAY<" * (MAX_LEVELS - 1) + "INT64" + ">" * (MAX_LEVELS - 1)
    assert format_type(parse_type(text)) == text


def test_a_field_is_printed_as_its_type():
    field = Field(name="a", type=Kind.INT64, nullable=False, native="bigint", description="x")
    assert format_type(field) == "INT64"


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_comes_back_as_it_was_printed(kind):
    @LAW
    @given(of_kind(kind, depth=2, refs=("node", "a b")))
    def comes_back(data_type):
        assert spoken(parse_type(format_type(data_type))) == spoken(data_type)

    comes_back()


@SMALL
@given(types(Field, depth=4, refs=("node",)))
def test_printing_is_stable(field):
    printed = format_type(field)
    assert format_type(parse_type(printed)) == printed


@SMALL
@given(
    st.one_of(
        st.text(),
        odd_texts,
        st.text(alphabet=string.punctuation + " AINT64"),
        st.lists(
            st.sampled_from(["ARRAY", "<", ">", "(", ")", ",", ":", "a", "'b'", "`c`", "MAP", "12"])
        ).map("".join),
    )
)
@example("ENUM('a' DEFAULT 'b'")
@example("DECIMAL(²,1)")
def test_any_text_is_a_type_or_is_refused(text):
    try:
        found = parse_type(text)
    except ValueError as exc:
        assert str(exc).startswith("not a type: column ")  # noqa: PT017 - most texts are refused
    else:
        assert parse_type(format_type(found)) == found


def spoken(data_type: DataType) -> DataType:
    """A type without what the notation leaves out."""
    kept = dict.fromkeys(_SPOKEN & {field.name for field in fields(data_type)})
    found = {name: getattr(data_type, name) for name in kept}
    if data_type.type is Kind.UNKNOWN:
        found["native"] = data_type.native
    for name in ("key", "element", "value"):
        found[name] = found[name] and spoken(found[name])
    for name in ("fields", "branches"):
        found[name] = tuple(map(spoken, found[name]))
    return type(data_type)(**found)
