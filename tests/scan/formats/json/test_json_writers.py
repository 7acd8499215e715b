"""JSON as independent writers write it."""

import datetime
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.scan.formats.text_descriptions import ask

ROWS = [
    {"id": 1, "name": "ä", "ratio": 0.5, "flag": True, "tags": ["x"], "at": {"x": 1, "y": None}},
    {"id": 2, "name": "b", "ratio": 2.0, "flag": None, "tags": [], "at": {"x": 2, "y": "q"}},
]
EXPECTED = [
    ("id", "INT64"),
    ("name", "STRING"),
    ("ratio", "FLOAT64"),
    ("flag", "BOOLEAN"),
    ("tags", "ARRAY<STRING>"),
    ("at", "STRUCT<x: INT64, y: STRING>"),
]


def lines_by_pandas(path: Path) -> None:
    pd.DataFrame(ROWS).to_json(path, orient="records", lines=True)


def lines_by_polars(path: Path) -> None:
    pl.DataFrame(ROWS).write_ndjson(path)


def lines_by_duckdb(path: Path) -> None:
    _duckdb(path, "format json")


def lines_by_json(path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))


def array_by_pandas(path: Path) -> None:
    pd.DataFrame(ROWS).to_json(path, orient="records")


def array_by_polars(path: Path) -> None:
    pl.DataFrame(ROWS).write_json(path)


def array_by_duckdb(path: Path) -> None:
    _duckdb(path, "format json, array true")


def array_by_json(path: Path) -> None:
    path.write_text(json.dumps(ROWS, indent=2))


def _duckdb(path: Path, options: str) -> None:
    table = pa.Table.from_pylist(ROWS)
    with duckdb.connect() as connection:
        connection.register("t", table)
        connection.sql(f"copy t to '{path}' ({options})")


LINES = [lines_by_pandas, lines_by_polars, lines_by_duckdb, lines_by_json]
ARRAYS = [array_by_pandas, array_by_polars, array_by_duckdb, array_by_json]


@pytest.mark.parametrize("write", [*LINES, *ARRAYS])
def test_writers_agree(write: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    write(path)
    for hint in ("", "json"):
        answer = ask(path.read_bytes(), hint)
        assert (answer.columns, answer.rows) == (EXPECTED, 2)
        assert answer.options == ({} if write in LINES else {"layout": "array"})


def test_pandas_writes_one_object_of_columns() -> None:
    answer = ask(pd.DataFrame({"a": [1, 2]}).to_json(), "json")
    assert answer.columns == [("a", "STRUCT<0: INT64, 1: INT64>")]


def test_duckdb_writes_moments_as_texts(tmp_path: Path) -> None:
    table = pa.table(
        {"at": [datetime.datetime.fromisoformat("2024-02-29T10:00:00")], "day": [datetime.date.min]}
    )
    path = tmp_path / "t.json"
    with duckdb.connect() as connection:
        connection.register("t", table)
        connection.sql(f"copy t to '{path}' (format json)")
    assert ask(path.read_bytes()).types == {"at": "STRING", "day": "STRING"}
