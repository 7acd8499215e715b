"""Lengths and collations of texts inside lists, maps and structs, as Delta's metadata has them."""

from typing import Any

import pytest

from lumos_snap.model.type_syntax import format_type
from lumos_snap.scan.tables.delta.schema import DeltaColumns

TEXT, COLLATIONS = "__CHAR_VARCHAR_TYPE_STRING", "__COLLATIONS"


def array(element: Any) -> dict[str, Any]:
    return {"type": "array", "elementType": element, "containsNull": True}


def struct(**members: Any) -> dict[str, Any]:
    return {"type": "struct", "fields": [column(name, one) for name, one in members.items()]}


def column(name: str, given: Any, **metadata: Any) -> dict[str, Any]:
    return {"name": name, "type": given, "nullable": True, "metadata": metadata}


MAP = {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True}
DEEP = struct(code="string", tags=array("string"))


def described(one: dict[str, Any]) -> tuple[str, Any]:
    (field,) = DeltaColumns(is_mapped=False).members([one], 0, ())
    return format_type(field), dict(field.properties)


@pytest.mark.parametrize(
    ("given", "text", "expected"),
    [
        ("string", "varchar(3)", "VARCHAR(3)"),
        (array("string"), "array<varchar(3)>", "ARRAY<VARCHAR(3)>"),
        (MAP, "map<char(2),varchar(5)>", "MAP<CHAR(2), VARCHAR(5)>"),
        (
            DEEP,
            "struct<code:char(4),tags:array<varchar(9)>>",
            "STRUCT<code: CHAR(4), tags: ARRAY<VARCHAR(9)>>",
        ),
        (array(array("string")), "array<array<string>>", "ARRAY<ARRAY<STRING>>"),
    ],
)
def test_lengths_are_kept_at_every_depth(given: Any, text: str, expected: str) -> None:
    assert described(column("c", given, **{TEXT: text})) == (expected, {})


@pytest.mark.parametrize("text", ["array<varchar(3)", "map<varchar(3)>", "x"])
def test_a_text_that_does_not_fit_its_type_is_kept_as_a_property(text: str) -> None:
    found = described(column("c", array("string"), **{TEXT: text}))
    assert found == ("ARRAY<STRING>", {TEXT: text})


def test_collations_of_elements_and_values_are_kept() -> None:
    said = {COLLATIONS: {"c.element": "spark.UNICODE_CI"}}
    assert described(column("c", array("string"), **said))[0] == (
        "ARRAY<STRING COLLATE spark.UNICODE_CI>"
    )
    said = {COLLATIONS: {"c.value": "spark.UTF8_LCASE"}}
    assert described(column("c", MAP, **said))[0] == (
        "MAP<STRING, STRING COLLATE spark.UTF8_LCASE>"
    )
