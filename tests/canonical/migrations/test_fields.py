"""Type names of older documents."""

from typing import Any

import pytest

from lumos_snap.canonical.migrations.fields import MAX_LEVELS, to_portable_type

STRING = {"type": "STRING"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("STRING", STRING),
        ("string", STRING),
        ("text", {"type": "STRING", "native": "text"}),
        ("bigint", {"type": "INT64", "native": "bigint"}),
        ("INT64", {"type": "INT64"}),
        ("TIMESTAMP", {"type": "TIMESTAMP"}),
        ("timestamp(6)", {"type": "TIMESTAMP", "unit": "us"}),
        (
            "timestamp with time zone",
            {"type": "TIMESTAMP", "timezone": "UTC", "native": "timestamp with time zone"},
        ),
        ("decimal", {"type": "DECIMAL"}),
        ("NUMERIC", {"type": "DECIMAL", "native": "NUMERIC"}),
        ("varbinary(16)", {"type": "BINARY", "length": 16, "native": "varbinary(16)"}),
        ("decimal(12,2)", {"type": "DECIMAL", "precision": 12, "scale": 2}),
        ("Decimal( 12 , 2 )", {"type": "DECIMAL", "precision": 12, "scale": 2}),
        (
            "NUMERIC(9)",
            {"type": "DECIMAL", "precision": 9, "scale": 0, "native": "NUMERIC(9)"},
        ),
        ("varchar(20)", {"type": "VARCHAR", "length": 20}),
        ("VARCHAR", {"type": "STRING", "native": "VARCHAR"}),
        ("array<string>", {"type": "ARRAY", "element": {**STRING, "nullable": True}}),
        ("array<string not null>", {"type": "ARRAY", "element": {**STRING, "nullable": False}}),
        (
            "map<string,date>",
            {"type": "MAP", "key": STRING, "value": {"type": "DATE", "nullable": True}},
        ),
        (
            "struct<`a b`:string, c: decimal(3,1)>",
            {
                "type": "STRUCT",
                "fields": [
                    {"name": "a b", **STRING, "nullable": True},
                    {"name": "c", "type": "DECIMAL", "precision": 3, "scale": 1, "nullable": True},
                ],
            },
        ),
    ],
)
def test_a_known_name_becomes_a_portable_type(written: str, expected: dict[str, object]):
    assert to_portable_type(written, platform="hive") == expected


@pytest.mark.parametrize(
    "written",
    [
        "NUMBER",
        "decimal(0,0)",
        "decimal(1,2,3)",
        "decimal(99999999999999999999)",
        "varchar(-1)",
        "array",
        "array<>",
        "array<a,b>",
        "map<string>",
        "struct<>",
        "struct<a>",
        "geography",
        "timestamp(4)",
        "enum('a','b')",
        "array<" * 9 + "string",
    ],
)
def test_what_is_not_known_keeps_its_name(written: str):
    assert to_portable_type(written, platform="hive") == {"type": "UNKNOWN", "native": written}


@pytest.mark.parametrize(
    ("platform", "written", "expected"),
    [
        ("postgres", "int8", "INT64"),
        ("arrow", "int8", "INT8"),
        ("snowflake", "float", "FLOAT64"),
        ("hive", "float", "FLOAT32"),
    ],
)
def test_one_word_means_what_its_platform_means_by_it(platform: str, written: str, expected: str):
    assert to_portable_type(written, platform=platform)["type"] == expected


def test_a_type_beyond_the_deepest_level_is_unknown():
    deepest = "array<" * (MAX_LEVELS - 1) + "string" + ">" * (MAX_LEVELS - 1)
    kinds = []
    held: Any = to_portable_type(f"array<{deepest}>", platform="hive")
    while held:
        kinds.append(held["type"])
        held = held.get("element")
    assert kinds == ["ARRAY"] * (MAX_LEVELS - 1) + ["UNKNOWN"]
