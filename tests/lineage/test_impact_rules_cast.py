"""A cast is one column, cast to a type that is known, and nothing else."""

from typing import Any

import pytest

from lumos_snap.lineage.impact_rules import Cast, cast_of

INT64: dict[str, Any] = {"type": "INT64"}
DECIMAL: dict[str, Any] = {"type": "DECIMAL", "precision": 10, "scale": 2}


@pytest.mark.parametrize(
    ("expression", "source", "new", "expected"),
    [
        ("CAST(id AS STRING)", "id", INT64, Cast.HOLDS),
        ("cast( id as string )", "id", INT64, Cast.HOLDS),
        ("TRY_CAST(t.id AS TEXT)", "id", INT64, Cast.HOLDS),
        ("safe_cast(`t`.`id` as VARCHAR)", "id", INT64, Cast.HOLDS),
        ("id::text", "id", INT64, Cast.HOLDS),
        ("a.b::DECIMAL(12, 2)", "a.b", DECIMAL, Cast.HOLDS),
        ("CAST(x AS NUMERIC(12,2))", "x", DECIMAL, Cast.HOLDS),
        ("CAST(x AS DECIMAL(9,2))", "x", DECIMAL, Cast.DOUBTFUL),
        ("CAST(x AS DECIMAL(12))", "x", DECIMAL, Cast.DOUBTFUL),
        ("CAST(x AS BIGINT)", "x", {"type": "INT32"}, Cast.HOLDS),
        ("CAST(x AS INT)", "x", INT64, Cast.DOUBTFUL),
        ("CAST(x AS DATE)", "x", {"type": "STRING"}, Cast.DOUBTFUL),
        ("CAST(x AS STRING)", "x", {"type": "STRUCT"}, Cast.DOUBTFUL),
        ("CAST(x AS nosuchtype)", "x", INT64, Cast.DOUBTFUL),
        ("CAST(x AS STRING)", "x", {}, Cast.DOUBTFUL),
        ("x", "x", INT64, Cast.NONE),
        ("", "x", INT64, Cast.NONE),
        ("CAST(a + x AS STRING)", "x", INT64, Cast.NONE),
        ("CAST(x AS STRING) || y", "x", INT64, Cast.NONE),
        ("x::text || y", "x", INT64, Cast.NONE),
        ("CAST(y AS STRING)", "x", INT64, Cast.NONE),
        ("max(CAST(x AS STRING))", "x", INT64, Cast.NONE),
        ("CAST(prefix_x AS STRING)", "x", INT64, Cast.NONE),
        ("CAST(x AS STRING)", "not a path[", INT64, Cast.NONE),
    ],
)
def test_casts(expression: str, source: str, new: dict[str, Any], expected: Cast) -> None:
    assert cast_of(expression, source, new) is expected


@pytest.mark.parametrize("piece", ["CAST(", "x::", "(", " ", "`", "x AS "])
def test_a_hostile_expression_takes_no_time(piece: str) -> None:
    assert cast_of(piece * 100_000, "x", INT64) is Cast.NONE
    assert cast_of((piece * 400)[:999], "x", INT64) is Cast.NONE
