"""What writers say beside the schema: used where it adds, left alone where it is odd."""

import base64
import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest

from lumos_snap.scan.formats.parquet import metadata as parquet_metadata
from tests.scan.formats.parquet.descriptions import described, fields, probed, types
from tests.scan.formats.parquet.footers import (
    BYTES,
    ENUM,
    INT32,
    INT64,
    INT96,
    LIST,
    MAP,
    REPEATED,
    REQUIRED,
    UTF8,
    Column,
    built,
    group,
    leaf,
)

SPARK = "org.apache.spark.sql.parquet.row.metadata"


def text(name: str) -> Column:
    return leaf(name, BYTES, converted=UTF8)


def spark(*members: Mapping[str, Any]) -> dict[str, str]:
    return {SPARK: json.dumps({"type": "struct", "fields": members})}


def member(name: str, of: Any, **metadata: Any) -> dict[str, Any]:
    return {"name": name, "type": of, "nullable": True, "metadata": metadata}


@pytest.mark.parametrize(
    ("column", "said", "expected"),
    [
        (text("c"), member("c", "string", __CHAR_VARCHAR_TYPE_STRING="char(3)"), "CHAR(3)"),
        (text("c"), member("c", "string", __CHAR_VARCHAR_TYPE_STRING="varchar(9)"), "VARCHAR(9)"),
        (text("c"), member("c", "string", __CHAR_VARCHAR_TYPE_STRING="char(x)"), "STRING"),
        (text("c"), member("c", "interval year"), "STRING"),
        (leaf("c", INT32), member("c", "interval year to month"), "INTERVAL(year-month)"),
        (
            leaf("c", INT32),
            member("c", "interval year"),
            "INTERVAL(year-month) native interval year",
        ),
        (leaf("c", INT64), member("c", "interval day to second"), "INTERVAL(day-time)"),
        (leaf("c", INT32), member("c", "interval day to second"), "INT32"),
        (leaf("c", INT96), member("c", "timestamp"), "TIMESTAMP(ns, UTC) as INT96"),
        (leaf("c", INT32), member("c", "timestamp"), "INT32"),
        (
            group("c", leaf("value", BYTES, REQUIRED), leaf("metadata", BYTES, REQUIRED)),
            member("c", "variant"),
            "VARIANT",
        ),
        (group("c", leaf("x")), member("c", "variant"), "STRUCT<x: INT32>"),
        (leaf("c"), member("d", "interval year to month"), "INT32"),
    ],
)  # fmt: skip
def test_sparks_types_count_where_they_fit(
    column: Column, said: Mapping[str, Any], expected: str
) -> None:
    assert types(built(column, words=spark(said))) == {"c": expected}


def test_sparks_collation_is_kept() -> None:
    said = member("c", "string", __COLLATIONS={"c": "icu.UNICODE_CI"})
    assert types(built(text("c"), words=spark(said))) == {"c": "STRING COLLATE icu.UNICODE_CI"}


ARRAY = {"type": "array", "elementType": "string", "containsNull": True}
LIST_OF_TEXT = group("c", group("list", text("element"), repetition=REPEATED), converted=LIST)


def test_lengths_and_collations_inside_a_list_are_kept() -> None:
    said = member("c", ARRAY, __COLLATIONS={"c.element": "icu.UNICODE_CI"})
    assert types(built(LIST_OF_TEXT, words=spark(said))) == {
        "c": "ARRAY<STRING COLLATE icu.UNICODE_CI>"
    }
    said = member("c", ARRAY, __CHAR_VARCHAR_TYPE_STRING="array<varchar(3)>")
    assert types(built(LIST_OF_TEXT, words=spark(said))) == {"c": "ARRAY<VARCHAR(3)>"}


@pytest.mark.parametrize(
    "metadata",
    [
        {"__COLLATIONS": {"c.element.element.x": "a", "d.element": "b", "": "c", "c.": "d"}},
        {"__COLLATIONS": {"c.element": 5}},
        {"__CHAR_VARCHAR_TYPE_STRING": "struct<x:char(3)>"},
        {"__CHAR_VARCHAR_TYPE_STRING": "array<" * 500},
    ],
)
def test_what_does_not_fit_the_column_is_ignored(metadata: Mapping[str, Any]) -> None:
    said = member("c", ARRAY, **metadata)
    assert types(built(LIST_OF_TEXT, words=spark(said))) == {"c": "ARRAY<STRING>"}


def test_sparks_own_types_are_named() -> None:
    udt = {"type": "udt", "class": "org.x.VectorUDT", "sqlType": {"type": "struct", "fields": []}}
    data = built(group("c", leaf("x")), words=spark(member("c", udt)))
    assert types(data) == {"c": "STRUCT<x: INT32> native org.x.VectorUDT"}


def test_descriptions_are_found_at_any_depth() -> None:
    inner = {"type": "struct", "fields": [member("x", "integer", comment="the x")]}
    array = {"type": "array", "elementType": inner, "containsNull": True}
    held = {"type": "map", "keyType": "string", "valueType": array, "valueContainsNull": True}
    element = group("element", leaf("x"))
    array_column = group("value", group("list", element, repetition=REPEATED), converted=LIST)
    pairs = group("key_value", leaf("key", BYTES, REQUIRED), array_column, repetition=REPEATED)
    data = built(group("m", pairs, converted=MAP), words=spark(member("m", held, comment="a map")))
    column = fields(data)["m"]
    assert column.description == "a map"
    assert column.value is not None
    assert column.value.element is not None
    assert column.value.element.fields[0].description == "the x"


def test_avros_descriptions_and_symbols_are_used() -> None:
    suit = {"type": "enum", "name": "Suit", "namespace": "a.b", "symbols": ["H", "S"]}
    inner = {"type": "record", "name": "In", "fields": [{"name": "x", "type": "int", "doc": "x!"}]}
    avro = {
        "type": "record",
        "name": "Top",
        "fields": [
            {"name": "suit", "type": suit, "doc": "first"},
            {"name": "other", "type": ["null", "a.b.Suit"]},
            {"name": "l", "type": {"type": "array", "items": inner}},
            {"name": "m", "type": {"type": "map", "values": "In"}},
            {"name": "u", "type": ["int", "string"], "doc": "either"},
        ],
    }
    struct = group("array", leaf("x"), repetition=REPEATED)
    pairs = group("map", leaf("key", BYTES, REQUIRED), group("value", leaf("x")), repetition=2)
    columns = (
        leaf("suit", BYTES, REQUIRED, converted=ENUM),
        leaf("other", BYTES, converted=ENUM),
        group("l", struct, converted=LIST),
        group("m", pairs, converted=MAP),
        group("u", leaf("member0"), text("member1")),
    )
    for key in ("parquet.avro.schema", "avro.schema"):
        found = fields(built(*columns, words={key: json.dumps(avro)}))
        assert found["suit"].symbols == found["other"].symbols == ("H", "S")
        assert found["suit"].description == "first"
        assert found["u"].description == "either"
        assert found["l"].element is not None
        assert found["l"].element.fields[0].description == "x!"
        assert found["m"].value is not None
        assert found["m"].value.fields[0].description == "x!"


def test_icebergs_descriptions_are_used() -> None:
    def one(name: str, of: Any, **more: str) -> dict[str, Any]:
        return {"id": 1, "name": name, "required": False, "type": of, **more}

    struct = {"type": "struct", "fields": [one("x", "int", doc="the x")]}
    array = {"type": "list", "element-id": 3, "element": struct, "element-required": True}
    schema = {"type": "struct", "schema-id": 0, "fields": [one("l", array, doc="the list")]}
    column = group(
        "l", group("list", group("element", leaf("x")), repetition=REPEATED), converted=LIST
    )
    found = fields(built(column, words={"iceberg.schema": json.dumps(schema)}))["l"]
    assert found.description == "the list"
    assert found.element is not None
    assert found.element.fields[0].description == "the x"


def test_spark_is_asked_before_arrow_for_a_description() -> None:
    arrow = pa.schema([pa.field("c", pa.int32(), metadata={"comment": "of Arrow"})])
    words = {"ARROW:schema": base64.b64encode(arrow.serialize().to_pybytes()).decode()}
    assert fields(built(leaf("c"), words=words))["c"].description == "of Arrow"
    both = {**words, **spark(member("c", "integer", comment="of Spark"))}
    assert fields(built(leaf("c"), words=both))["c"].description == "of Spark"


def test_words_on_a_name_that_repeats_are_left_out() -> None:
    said = spark(member("c", "integer", comment="one"), member("c", "integer", comment="other"))
    found = described(built(leaf("c"), leaf("c"), words=said)).schema.fields
    assert [one.description for one in found] == [None, None]


ODD = {
    SPARK: "Spark",
    "ARROW:schema": "Arrow",
    "avro.schema": "Avro",
    "iceberg.schema": "Iceberg",
    "pandas": "Pandas",
}


@pytest.mark.parametrize("key", ODD)
@pytest.mark.parametrize(
    "odd",
    [
        "{",
        "[1]",
        "7",
        '"x"',
        "null x",
        "[" * 100_000,
        '{"type": "struct", "fields": [[]]}',
        "9" * 5000,
        " " * (parquet_metadata.MOST_METADATA + 1),
    ],
    ids=lambda odd: odd[:12],
)
def test_words_that_cannot_be_read_leave_the_schema_alone(key: str, odd: str) -> None:
    found = described(built(leaf("c"), words={key: odd}))
    assert [one.name for one in found.schema.fields] == ["c"]
    assert set(found.notes) <= {f"what {ODD[key]} says of the columns cannot be read"}
    if odd == "{":
        assert found.notes


def test_a_short_text_that_stands_for_a_huge_tree_is_not_followed() -> None:
    inner: Any = "int"
    for level in range(40):
        name = f"R{level}"
        again = [{"name": "b", "type": f"R{level - 1}"}] if level else []
        inner = {"type": "record", "name": name, "fields": [{"name": "a", "type": inner}, *again]}
    found = described(built(leaf("a"), words={"avro.schema": json.dumps(inner)}))
    assert found.notes == ("what Avro says of the columns cannot be read",)


def test_a_type_that_contains_itself_is_not_followed() -> None:
    avro = {"type": "record", "name": "R", "fields": [{"name": "a", "type": ["null", "R"]}]}
    found = described(built(leaf("a"), words={"avro.schema": json.dumps(avro)}))
    assert found.notes == ("what Avro says of the columns cannot be read",)


def test_descriptions_are_cut_and_can_be_written() -> None:
    said = spark(
        member("c", "integer", comment="x" * 10_000), member("d", "integer", comment="\ud800")
    )
    found = fields(built(leaf("c"), leaf("d"), words=said))
    assert found["c"].description == "x" * parquet_metadata.MOST_TEXT
    assert found["d"].description == "\\ud800"


def test_words_inside_data_are_not_taken_for_metadata() -> None:
    # A writer's statistics may hold anything, also what looks like the head of an entry.
    framed = f"\x18\x29{SPARK}\x18\x7f"
    assert "spark" not in probed(built(leaf("c"), words={"comment": framed})).schema
    said = {**spark(member("c", "timestamp")), "zz": f"\x18\x29{SPARK}\x18\x05"}
    assert "spark" in probed(built(leaf("c"), words=said)).schema
