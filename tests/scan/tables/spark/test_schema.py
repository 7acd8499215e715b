"""What the evidence of a Spark table means, where no catalog here tells such a table."""

from typing import Any

import pytest

from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import MAX_LEVELS
from lumos_snap.scan.formats.registry import SCHEMAS
from lumos_snap.scan.tables.spark.schema import schema_of
from lumos_snap.scan.tables.text_bounds import EMPTY, parse_bounds


def column(name: str, kind: Any, **metadata: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


def struct(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields)}


TABLE = {
    "fields": [
        column("id", "long"),
        column("At", "timestamp"),
        column("name", "string"),
        column("in", struct(column("d`e", "date"))),
    ]
}


def test_the_evidence_is_registered() -> None:
    assert SCHEMAS["spark"] is schema_of


@pytest.mark.parametrize(
    ("transform", "name", "source", "how", "argument", "kind"),
    [
        ("bucket(16, id)", "id_bucket", "id", "bucket", 16, "INT32"),
        ("days(At)", "At_day", "At", "day", None, "DATE"),
        ("hours(at)", "at_hour", "at", "hour", None, "INT32"),
        ("truncate(name, 4)", "name_truncate", "name", "truncate", 4, "STRING"),
        ("months(in.`d``e`)", "in.d`e_month", "in.`d``e`", "month", None, "INT32"),
        ("zorder(id)", "id_zorder", "id", "zorder", None, "UNKNOWN('zorder')"),
    ],
)
def test_transforms_are_told_as_other_tables_tell_them(
    transform: str, name: str, source: str, how: str, argument: int | None, kind: str
) -> None:
    said = schema_of({**TABLE, "partitions": [{"transform": transform}]})
    (found,) = said.partitioning or ()
    assert (found.name, found.source) == (name, source)
    assert (found.transform, found.argument) == (how, argument)
    assert format_type(found) == kind


@pytest.mark.parametrize("transform", ["bucket(4, id, name)", "days(gone)", "odd", "f(g(id))"])
def test_a_transform_that_is_not_understood_is_a_note(transform: str) -> None:
    said = schema_of({**TABLE, "partitions": [{"transform": transform}]})
    assert said.partitioning == ()
    assert transform in said.notes[0]


def test_a_comment_that_hive_writes_itself_is_no_description() -> None:
    inner = struct(column("x", "long", comment="from deserializer"))
    fields = [
        column("a", "long", comment="from deserializer"),
        column("b", "long", comment="The order, from deserializer"),
        column("c", inner, comment=""),
    ]
    found = schema_of({"fields": fields}).schema.fields
    assert [one.description for one in (*found, *found[2].fields)] == [
        None, "The order, from deserializer", None, None,
    ]  # fmt: skip


def test_a_type_that_is_not_known_keeps_its_name() -> None:
    said = schema_of({"fields": [column("g", "geometry(4326)"), column("o", {"type": "odd"})]})
    assert [one.native for one in said.schema.fields] == ["geometry(4326)", "odd"]
    assert said.notes == (
        "the type geometry(4326) has no portable form: its name is kept",
        "the type odd has no portable form: its name is kept",
    )


def test_a_type_of_a_users_own_is_what_is_stored_of_it() -> None:
    own = {"type": "udt", "class": "org.Point", "sqlType": struct(column("x", "double"))}
    (field,) = schema_of({"fields": [column("p", own)]}).schema.fields
    assert (format_type(field), field.native) == ("STRUCT<x: FLOAT64>", "org.Point")


def test_types_nest_as_deep_as_documents_allow() -> None:
    kind: Any = "long"
    for _ in range(MAX_LEVELS + 10):
        kind = {"type": "array", "elementType": kind, "containsNull": True}
    said = schema_of({"fields": [column("a", kind)]})
    assert said.notes == ("types nest over 64 levels deep: what is below is left out",)
    assert format_type(said.schema.fields[0]).count("ARRAY") == MAX_LEVELS - 1


def test_a_table_of_icebergs_in_hive_is_called_so() -> None:
    evidence = {**TABLE, "provider": "hive", "properties": {"table_type": "ICEBERG"}}
    storage = schema_of(evidence).storage
    assert storage is not None
    assert storage.format == "iceberg"


@pytest.mark.parametrize(
    "text",
    [
        "", "char(5", "char(5)x", "int", "struct<a:char(5)>", "struct<b:char(5),a:string>",
        "struct<a:char(5),b:string", "struct<a:string,b:string,c:char(4)>",
        "struct<a:string, ... 1 more fields>",
    ],
)  # fmt: skip
def test_a_text_that_belongs_to_another_type_bounds_nothing(text: str) -> None:
    given = struct(column("a", "string"), column("b", "string"))
    assert parse_bounds(text, given) == EMPTY


def test_names_that_look_like_types_mislead_nobody() -> None:
    odd = "x:char(9),y"
    given = struct(column(odd, "string"), column("b>", {"type": "map", "keyType": "string",
                                                        "valueType": "decimal(3,1)"}))  # fmt: skip
    found = parse_bounds(f"struct<{odd}:varchar(2),b>:map<char(1),decimal(3,1)>>", given)
    assert found.inside(odd).text == "varchar(2)"
    assert found.inside("b>").inside("key").text == "char(1)"
    assert found.inside("b>").inside("value") == EMPTY
