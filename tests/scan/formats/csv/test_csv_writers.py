"""Delimited text as independent writers write it."""

import csv
import datetime
import io
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

from tests.scan.formats.text_descriptions import ask, probed

MOMENT = datetime.datetime.fromisoformat("2024-02-29T10:30:00.123")
COLUMNS = {
    "id": [1, 2, 3],
    "name": ["a", 'say "x, y"', "line\nbreak"],
    "ratio": [0.5, None, 1e-9],
    "flag": [True, False, None],
    "day": [datetime.date(2024, 2, 29)] * 3,
    "at": [MOMENT] * 3,
    "odd": [1.5, float("inf"), float("-inf")],
    "nothing": [None, None, None],
}
EXPECTED = {
    "id": "INT64",
    "name": "STRING",
    "ratio": "FLOAT64",
    "flag": "BOOLEAN",
    "day": "DATE",
    "at": "TIMESTAMP(us)",
    "odd": "FLOAT64",
    "nothing": "NULL",
}


def arrow_table() -> pa.Table:
    return pa.table(COLUMNS)


def by_pandas(path: Path) -> None:
    pd.DataFrame(COLUMNS).to_csv(path, index=False)


def by_polars(path: Path) -> None:
    pl.DataFrame(COLUMNS).write_csv(path)


def by_duckdb(path: Path) -> None:
    table = arrow_table()
    with duckdb.connect() as connection:
        connection.register("t", table)
        connection.sql(f"copy t to '{path}' (header)")


def by_pyarrow(path: Path) -> None:
    pacsv.write_csv(arrow_table(), path)


def by_the_csv_module(path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(zip(*COLUMNS.values(), strict=True))


WRITERS = [by_pandas, by_polars, by_duckdb, by_pyarrow, by_the_csv_module]


@pytest.mark.parametrize("write", WRITERS)
def test_writers_agree(write: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write(path)
    answer = ask(path.read_bytes(), "csv")
    assert answer.types == EXPECTED
    assert answer.options == {"delimiter": ",", "header": "true"}
    assert (answer.rows, answer.encoding) == (3, None)


def test_pandas_writes_an_index_without_a_name() -> None:
    text = pd.DataFrame({"a": [1, 2]}).to_csv()
    assert ask(text, "csv").columns == [("_c0", "INT64"), ("a", "INT64")]


@pytest.mark.parametrize("compression", ["gzip", "bz2", "xz"])
def test_pandas_compresses(compression: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    pd.DataFrame(COLUMNS).to_csv(path, index=False, compression=compression)
    answer = ask(path.read_bytes(), "csv")
    assert (answer.types, answer.codecs, answer.rows) == (EXPECTED, (compression,), 3)


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_duckdb_compresses(compression: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    table = arrow_table()
    with duckdb.connect() as connection:
        connection.register("t", table)
        connection.sql(f"copy t to '{path}' (header, compression {compression})")
    answer = ask(path.read_bytes(), "csv")
    assert (answer.types, answer.codecs, answer.rows) == (EXPECTED, (compression,), 3)


def test_pandas_writes_timestamps_with_zones_and_nanoseconds() -> None:
    at = pd.to_datetime(
        ["2024-02-29T10:00:00.123456789", "2024-02-29T11:00:00.5"], format="ISO8601"
    )
    frame = pd.DataFrame({"id": [1, 2], "ns": at, "zoned": at.tz_localize("Europe/Berlin")})
    types = ask(frame.to_csv(index=False), "csv").types
    assert types == {"id": "INT64", "ns": "TIMESTAMP(ns)", "zoned": "TIMESTAMP(ns, UTC)"}


DIALECTS = [
    {"delimiter": "\t"},
    {"delimiter": ";"},
    {"delimiter": "|", "quoting": csv.QUOTE_ALL},
    {"quotechar": "'", "quoting": csv.QUOTE_ALL},
    {"doublequote": False, "escapechar": "\\", "quoting": csv.QUOTE_NONNUMERIC},
    {"lineterminator": "\r"},
    {"delimiter": "\x01"},
]


@pytest.mark.parametrize("settings", DIALECTS)
def test_the_csv_module_reads_back_what_was_said_of_its_dialect(settings: dict[str, str]) -> None:
    rows: list[list[object]] = [
        ["id", "words"],
        *([n, f'he said "{n}", so; it|is\tso'] for n in range(20)),
    ]
    sink = io.StringIO()
    csv.writer(sink, **settings).writerows(rows)  # type: ignore[arg-type] # mypy knows no `**`
    said = ask(sink.getvalue(), "csv")
    assert said.types == {"id": "INT64", "words": "STRING"}
    delimiter = said.options["delimiter"].encode().decode("unicode_escape")
    given = {"quotechar": said.options.get("quote", '"')}
    if "escape" in said.options:
        given["escapechar"] = said.options["escape"]
    lines = io.StringIO(sink.getvalue(), newline="")
    back = list(csv.reader(lines, delimiter=delimiter, **given))  # type: ignore[arg-type]
    assert back == [[str(cell) for cell in row] for row in rows]


def test_evidence_of_a_writer_does_not_depend_on_its_data(tmp_path: Path) -> None:
    schemas = set()
    for start in (1, 1000, 5):
        frame = pd.DataFrame({"id": range(start, start * 3 + 2), "v": 1.5, "s": f"x{start}"})
        schemas.add(probed(frame.to_csv(index=False), "csv").schema)
    assert len(schemas) == 1
