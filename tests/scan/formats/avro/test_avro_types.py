import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lumos_snap.model.types import Definition, Element, Field, Kind, MapKey
from tests.scan.formats.avro.avro_files import (
    column,
    described,
    header,
    probed,
    record,
    seen,
    written,
)
from tests.scan.formats.orc.descriptions import columns, field, noted, problems


def logical(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **more}


def fixed(size: int, **more: Any) -> dict[str, Any]:
    return {"type": "fixed", "name": "f", "size": size, **more}


POINT = record("int", ["null", "string"], name="a.Point")
COLOURS = {"type": "enum", "name": "e", "symbols": ["red", "blue"]}
TYPES: tuple[tuple[Any, str], ...] = (
    ("null", "NULL"),
    ("boolean", "BOOLEAN NOT NULL"),
    ("int", "INT32 NOT NULL"),
    ("long", "INT64 NOT NULL"),
    ("float", "FLOAT32 NOT NULL"),
    ("double", "FLOAT64 NOT NULL"),
    ("bytes", "BINARY NOT NULL"),
    ("string", "STRING NOT NULL"),
    ({"type": "string", "avro.java.string": "String"}, "STRING NOT NULL"),
    (fixed(4), "FIXED(4) NOT NULL"),
    (COLOURS, "ENUM('red','blue') NOT NULL"),
    ({**COLOURS, "default": "red"}, "ENUM('red','blue') DEFAULT 'red' NOT NULL"),
    ({"type": "array", "items": "int"}, "ARRAY<INT32 NOT NULL> NOT NULL"),
    ({"type": "array", "items": ["null", "int"]}, "ARRAY<INT32> NOT NULL"),
    ({"type": "map", "values": ["long", "null"]}, "MAP<STRING, INT64> NOT NULL"),
    (POINT, "STRUCT<c0: INT32 NOT NULL, c1: STRING> NOT NULL"),
    (["null", "int"], "INT32"),
    (["int", "null"], "INT32"),
    (["int"], "INT32 NOT NULL"),
    (["null"], "NULL"),
    (["int", "string"], "UNION<INT32, STRING> NOT NULL"),
    (["null", "int", POINT], "UNION<INT32, `a.Point`: STRUCT<c0: INT32 NOT NULL, c1: STRING>>"),
    (["null", COLOURS, fixed(2)], "UNION<e: ENUM('red','blue'), f: FIXED(2)>"),
    (logical("int", "date"), "DATE NOT NULL"),
    (logical("int", "time-millis"), "TIME(ms) NOT NULL"),
    (logical("long", "time-micros"), "TIME(us) NOT NULL"),
    (logical("long", "timestamp-millis"), "TIMESTAMP(ms, UTC) NOT NULL"),
    (logical("long", "timestamp-micros"), "TIMESTAMP(us, UTC) NOT NULL"),
    (logical("long", "timestamp-nanos"), "TIMESTAMP(ns, UTC) NOT NULL"),
    (logical("long", "local-timestamp-millis"), "TIMESTAMP(ms) NOT NULL"),
    (logical("long", "local-timestamp-micros"), "TIMESTAMP(us) NOT NULL"),
    (logical("long", "local-timestamp-nanos"), "TIMESTAMP(ns) NOT NULL"),
    (logical("long", "timestamp-micros", **{"adjust-to-utc": False}), "TIMESTAMP(us) NOT NULL"),
    (logical("long", "timestamp-micros", **{"adjust-to-utc": True}), "TIMESTAMP(us, UTC) NOT NULL"),
    (logical("string", "uuid"), "UUID NOT NULL"),
    (fixed(16, logicalType="uuid"), "UUID NOT NULL"),
    (logical("bytes", "decimal", precision=12, scale=2), "DECIMAL(12,2) NOT NULL"),
    (logical("bytes", "decimal", precision=9), "DECIMAL(9,0) NOT NULL"),
    (fixed(5, logicalType="decimal", precision=11, scale=4), "DECIMAL(11,4) NOT NULL"),
    (logical("bytes", "big-decimal"), "DECIMAL NOT NULL"),
    (fixed(12, logicalType="duration"), "INTERVAL(month-day-nano) NOT NULL"),
    (logical("string", "varchar", maxLength=20), "VARCHAR(20) NOT NULL"),
    (logical("string", "char", maxLength=3), "CHAR(3) NOT NULL"),
    (
        {"type": "int", "spark.sql.catalyst.type": "interval year to month"},
        "INTERVAL(year-month) NOT NULL",
    ),
    (["null", logical("int", "date")], "DATE"),
)


@pytest.mark.parametrize(("kind", "expected"), TYPES, ids=str)
def test_types_that_fastavro_writes(kind: Any, expected: str) -> None:
    assert seen(kind) == expected


# Not applied, as the specification asks: the stored type is what readers see.
MISAPPLIED: tuple[tuple[Any, str], ...] = (
    (logical("string", "color"), "STRING"),
    (logical("string", "date"), "STRING"),
    (logical("int", "timestamp-micros"), "INT32"),
    (fixed(15, logicalType="uuid"), "FIXED(15)"),
    (fixed(11, logicalType="duration"), "FIXED(11)"),
    (logical("bytes", "decimal"), "BINARY"),
    (logical("bytes", "decimal", precision=0), "BINARY"),
    (logical("bytes", "decimal", precision="9"), "BINARY"),
    (logical("bytes", "decimal", precision=True), "BINARY"),
    (logical("bytes", "decimal", precision=4, scale=5), "BINARY"),
    (logical("bytes", "decimal", precision=4, scale=-1), "BINARY"),
    (fixed(4, logicalType="decimal", precision=10), "FIXED(4)"),
    (fixed(0, logicalType="decimal", precision=1), "FIXED(0)"),
    (logical("string", "varchar"), "STRING"),
    (logical("string", "char", maxLength=-1), "STRING"),
)


@pytest.mark.parametrize(("kind", "expected"), MISAPPLIED, ids=str)
def test_logical_types_that_do_not_fit_are_named_only(kind: Any, expected: str) -> None:
    found = described(header(column(kind)))
    assert columns(found) == {"c": f"{expected} NOT NULL"}
    assert field(found, "c").native == kind["logicalType"]


def test_a_decimal_of_more_digits_than_are_told() -> None:
    found = described(header(column(logical("bytes", "decimal", precision=2000, scale=1))))
    assert columns(found) == {"c": "DECIMAL NOT NULL"}
    assert field(found, "c").native == "decimal(2000,1)"


def test_what_is_stored_in_a_rarer_way_is_told() -> None:
    told = record(
        fixed(9, name="d", logicalType="decimal", precision=20),
        fixed(16, name="u", logicalType="uuid"),
        logical("bytes", "decimal", precision=20),
    )
    found = described(written(told)).schema.fields
    assert [one.physical for one in found] == ["fixed(9)", "fixed(16)", None]


def test_files_that_polars_writes(tmp_path: Path) -> None:
    told: dict[str, Any] = {
        "a": pl.Int32, "b": pl.Int64, "c": pl.Float32, "d": pl.Float64, "e": pl.String,
        "f": pl.Boolean, "g": pl.Date, "h": pl.Datetime("us"), "i": pl.Datetime("ms"),
        "j": pl.Binary, "k": pl.List(pl.Int64), "l": pl.Struct({"x": pl.Int32}),
    }  # fmt: skip
    path = tmp_path / "p.avro"
    pl.DataFrame(schema=told).write_avro(path, compression="deflate", name="p")
    assert columns(described(path.read_bytes())) == {
        "a": "INT32",
        "b": "INT64",
        "c": "FLOAT32",
        "d": "FLOAT64",
        "e": "STRING",
        "f": "BOOLEAN",
        "g": "DATE",
        "h": "TIMESTAMP(us)",
        "i": "TIMESTAMP(ms)",
        "j": "BINARY",
        "k": "ARRAY<INT64>",
        "l": "STRUCT<x: INT32>",
    }
    assert probed(path.read_bytes()).codecs == ("deflate",)


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_codecs(codec: str) -> None:
    data = written(column("int"), [{"c": 1}], codec=codec)
    assert probed(data).codecs == ("uncompressed" if codec == "null" else codec,)
    assert probed(data).rows is None


def test_a_file_that_names_no_codec_is_uncompressed() -> None:
    assert probed(header(column("int"))).codecs == ("uncompressed",)


def test_files_with_other_data_say_the_same() -> None:
    told = column(["null", "string"], default=None)
    files = [written(told, [{"c": "x" * n}] * n, metadata={"n": str(n)}) for n in (0, 1, 500)]
    assert len({probed(data).schema for data in files}) == 1


def test_the_order_of_keys_does_not_matter_and_that_of_fields_does() -> None:
    def evidence(schema: str) -> str:
        return probed(header(schema.encode())).schema

    one = """{"type":"record","name":"r",
        "fields":[{"name":"a","type":"int"}, {"name":"b","type":"int"}]}"""
    two = """{"name": "r", "fields": [{"type":"int","name":"a"},{"name":"b","type":"int"}],
        "type":"record"}"""
    swapped = one.replace('"a"', '"x"').replace('"b"', '"a"').replace('"x"', '"b"')
    assert evidence(one) == evidence(two) != evidence(swapped)
    assert json.loads(evidence(one)) == json.loads(one)


def test_words_about_columns() -> None:
    told = {
        "name": "c",
        "type": ["null", {"type": "string", "connect.name": "io.x.Json", "avro.java.string": "S"}],
        "doc": "what it is",
        "default": None,
        "aliases": ["z", "b"],
        "order": "ignore",
        "field-id": 7,
        "pii": True,
        "ratio": 0.5,
        "large": 2**60,
        "list": [1, {"a": 1.5}],
    }
    found = described(written(record(told, doc="of the whole")))
    assert found.description == "of the whole"
    assert problems(found.schema) == ()
    assert found.schema.fields == (
        Field(
            name="c",
            type=Kind.STRING,
            nullable=True,
            id=7,
            description="what it is",
            default="null",
            aliases=("b", "z"),
            properties={
                "connect.name": "io.x.Json",
                "order": "ignore",
                "pii": True,
                "ratio": "0.5",
                "large": str(2**60),
                "list": [1, {"a": "1.5"}],
            },
        ),
    )


@pytest.mark.parametrize(
    ("kind", "default", "expected"),
    [
        ("int", 7, "7"),
        ("string", 'é"', '"é\\""'),
        ("bytes", "\u00ff", '"ÿ"'),
        ("double", 1.5, "1.5"),
        ("boolean", False, "false"),
        ({"type": "array", "items": "int"}, [1, 2], "[1,2]"),
        ({"type": "map", "values": "int"}, {"b": 1, "a": 2}, '{"a":2,"b":1}'),
    ],
)
def test_defaults_are_json(kind: Any, default: Any, expected: str) -> None:
    found = described(written(column(kind, default=default)))
    assert field(found, "c").default == expected
    assert json.loads(expected) == default
    assert problems(found.schema) == ()


def test_a_type_explains_a_column_that_nothing_else_explains() -> None:
    found = described(header(column({**COLOURS, "doc": "colours"})))
    assert field(found, "c").description == "colours"


def test_named_types_are_found_by_namespace_and_written_out() -> None:
    told = record(
        {"name": "a", "type": {**record("int"), "name": "P"}},
        {"name": "b", "type": "P"},
        {"name": "c", "type": ["null", "n.s.P"]},
        {"name": "d", "type": {**record({"name": "e", "type": "Q"}), "name": "o.R", "doc": "x"}},
        {"name": "f", "type": "o.Q"},
        namespace="n.s",
    )
    told["fields"][3]["type"]["fields"].insert(
        0, {"name": "q", "type": {"type": "fixed", "name": "Q", "size": 2}}
    )
    found = described(written(told))
    assert columns(found) == {
        "a": "STRUCT<c0: INT32 NOT NULL> NOT NULL",
        "b": "STRUCT<c0: INT32 NOT NULL> NOT NULL",
        "c": "STRUCT<c0: INT32 NOT NULL>",
        "d": "STRUCT<q: FIXED(2) NOT NULL, e: FIXED(2) NOT NULL> NOT NULL",
        "f": "FIXED(2) NOT NULL",
    }
    assert [one.native for one in found.schema.fields] == ["n.s.P"] * 3 + ["o.R", "o.Q"]
    assert found.schema.definitions == ()


def test_a_name_without_a_namespace_is_found_from_inside_of_one() -> None:
    told = record({**COLOURS, "name": "E"}, {**record("E"), "name": "x.R"}, name="r")
    assert columns(described(header(told)))["c1"].startswith("STRUCT<c0: ENUM(")


def test_types_that_contain_themselves_are_defined() -> None:
    node = record(
        {"name": "label", "type": "string"},
        {"name": "next", "type": ["null", "Node"]},
        {"name": "all", "type": {"type": "array", "items": "Node"}},
        name="Node",
        namespace="n",
    )
    found = described(written(node))
    assert columns(found) == {
        "label": "STRING NOT NULL",
        "next": "REF(`n.Node`)",
        "all": "ARRAY<REF(`n.Node`) NOT NULL> NOT NULL",
    }
    (definition,) = found.schema.definitions
    assert definition == Definition(name="n.Node", type=Kind.STRUCT, fields=found.schema.fields)


def test_types_that_contain_one_another_are_defined() -> None:
    b = record({"name": "a", "type": ["null", "A"]}, name="B")
    a = record({"name": "b", "type": ["null", b]}, name="A")
    found = described(
        written(record({"name": "x", "type": a}, {"name": "y", "type": "B"}, name="T"))
    )
    assert columns(found) == {"x": "REF(A) NOT NULL", "y": "REF(B) NOT NULL"}
    assert {one.name: [noted(f) for f in one.fields] for one in found.schema.definitions} == {
        "A": ["REF(B)"],
        "B": ["REF(A)"],
    }


def test_a_name_that_is_defined_nowhere_is_noted() -> None:
    found = described(header(column(["null", "no.Such"])))
    assert columns(found) == {"c": "UNKNOWN('no.Such')"}
    assert "no.Such" in found.notes[0]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("int", "INT32 NOT NULL"),
        ({"type": "array", "items": "string"}, "ARRAY<STRING NOT NULL> NOT NULL"),
        (["null", "long"], "INT64"),
        (["null", "long", COLOURS], "UNION<INT64, e: ENUM('red','blue')>"),
        (COLOURS, "ENUM('red','blue') NOT NULL"),
    ],
)
def test_a_schema_that_is_no_record_is_one_column(schema: Any, expected: str) -> None:
    assert columns(described(written(schema))) == {"value": expected}


def pairs(**more: Any) -> dict[str, Any]:
    key = {"name": "key", "type": "int", "field-id": 3}
    value = {"name": "value", "type": ["null", "string"], "field-id": 4}
    items = {"type": "record", "name": "k3_v4", "fields": [key, value]}
    return {"type": "array", "items": items, **more}


def test_branches_say_their_names_once() -> None:
    found = field(described(written(column(["int", COLOURS, POINT]))), "c")
    assert [(one.name, one.native) for one in found.branches] == [
        (None, None),
        ("e", None),
        ("a.Point", None),
    ]


def test_what_iceberg_says() -> None:
    told = record(
        {"name": "m", "type": pairs(logicalType="map"), "field-id": 1},
        {"name": "_x_y", "type": "int", "field-id": 2, "iceberg-field-name": "x y"},
        {"name": "l", "type": {"type": "array", "items": "int", "element-id": 6}, "field-id": 5},
        {
            "name": "t",
            "type": {"type": "map", "values": "int", "key-id": 8, "value-id": 9},
            "field-id": 7,
        },
        {"name": "p", "type": {"type": "array", "items": "k3_v4", "logicalType": "map"}},
    )
    found = described(written(told))
    assert columns(found) == {
        "m": "MAP<INT32, STRING> NOT NULL",
        "x y": "INT32 NOT NULL",
        "l": "ARRAY<INT32 NOT NULL> NOT NULL",
        "t": "MAP<STRING, INT32 NOT NULL> NOT NULL",
        "p": "MAP<INT32, STRING> NOT NULL",
    }
    m, x, items, t, _ = found.schema.fields
    assert (m.id, m.key, m.value) == (
        1,
        MapKey(type=Kind.INT32, id=3),
        Element(type=Kind.STRING, nullable=True, id=4),
    )
    assert (x.id, x.physical_name) == (2, "_x_y")
    assert items.element == Element(type=Kind.INT32, nullable=False, id=6)
    assert t.key == MapKey(type=Kind.STRING, id=8)
    assert not any(one.properties for one in found.schema.fields)


def test_an_array_that_is_called_a_map_and_is_none_stays_an_array() -> None:
    told = {"type": "array", "items": "int", "logicalType": "map"}
    assert seen(told) == "ARRAY<INT32 NOT NULL> NOT NULL"


def test_a_variant_of_iceberg() -> None:
    told = {
        **record({"name": "metadata", "type": "bytes"}, {"name": "value", "type": "bytes"}),
        "name": "r1",
        "logicalType": "variant",
    }
    assert seen(["null", told]) == "VARIANT"
