"""Which defaults a column can have."""

from typing import Any

import pytest

from lumos_snap.rules.default_values import is_applied

ICEBERG = {"format": "iceberg", "reader_version": 3}


@pytest.mark.parametrize(
    ("column", "text", "expected"),
    [
        ({"type": "INT32"}, "7", True),
        ({"type": "INT32"}, "2147483648", False),
        ({"type": "INT32"}, "true", False),
        ({"type": "INT32"}, "1.5", False),
        ({"type": "UINT8"}, "-1", False),
        ({"type": "BOOLEAN"}, "false", True),
        ({"type": "BOOLEAN"}, "0", False),
        ({"type": "FLOAT64"}, "1", True),
        ({"type": "DECIMAL", "precision": 4, "scale": 2}, '"1.25"', True),
        ({"type": "STRING"}, '"x"', True),
        ({"type": "STRING"}, "x", False),
        ({"type": "VARCHAR", "length": 2}, '"abc"', False),
        ({"type": "DATE"}, '"2026-01-02"', True),
        ({"type": "DATE"}, "20000", True),
        ({"type": "ENUM", "symbols": ["A"]}, '"A"', True),
        ({"type": "ENUM", "symbols": ["A"]}, '"B"', False),
        ({"type": "ARRAY", "element": {"type": "INT32"}}, "[1, null]", True),
        ({"type": "ARRAY", "element": {"type": "INT32"}}, '["x"]', False),
        ({"type": "UNION", "branches": [{"type": "INT32"}, {"type": "STRING"}]}, '"x"', True),
        ({"type": "UNION", "branches": [{"type": "INT32"}]}, '"x"', False),
        ({"type": "VARIANT"}, "{}", False),
        ({"type": "STRING", "nullable": True}, "null", True),
        ({"type": "STRING", "nullable": False}, "null", False),
    ],
)
def test_a_default_is_a_value_of_its_type(
    column: dict[str, Any], text: str, expected: bool
) -> None:
    assert is_applied(column, text, {"format": "avro"}) is expected
    assert is_applied(column, text, ICEBERG) is expected


@pytest.mark.parametrize("version", [None, 1, 2])
def test_iceberg_has_defaults_from_version_3(version: int | None) -> None:
    storage = {"format": "iceberg", **({"reader_version": version} if version else {})}
    assert not is_applied({"type": "INT32"}, "7", storage)
