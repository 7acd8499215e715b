"""Types of generated CSV columns: what is true, what we say, and what DuckDB says."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb

from tests.scan.formats.text_descriptions import ask

Make = Callable[[random.Random], str]


def _day(chance: random.Random) -> str:
    return f"{chance.randint(1990, 2030)}-{chance.randint(1, 12):02}-{chance.randint(13, 28)}"


def _moment(chance: random.Random) -> str:
    return f"{_day(chance)} {chance.randint(0, 23):02}:{chance.randint(0, 59):02}:07"


KINDS: Mapping[str, tuple[str, Make]] = {
    "small integers": ("INT64", lambda chance: str(chance.randint(-500, 500))),
    "large integers": ("INT64", lambda chance: str(chance.randint(10**10, 10**15))),
    "fractions": ("FLOAT64", lambda chance: f"{chance.uniform(-9, 9):.3f}"),
    "mixed numbers": ("FLOAT64", lambda chance: chance.choice(("7", "2.5", "-3", "0.25"))),
    "truth": ("BOOLEAN", lambda chance: chance.choice(("true", "false"))),
    "days": ("DATE", _day),
    "moments": ("TIMESTAMP", _moment),
    "texts": ("STRING", lambda chance: chance.choice(("red", "green", "deep blue"))),
    "codes": ("STRING", lambda chance: f"0{chance.randint(1000, 9999)}"),
    "mixed values": ("STRING", lambda chance: chance.choice(("7", "x", "2026-01-15"))),
}
"""By kind of column: its portable type, and a value."""
DUCKDB = {
    "BIGINT": "INT64", "DOUBLE": "FLOAT64", "BOOLEAN": "BOOLEAN", "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP", "VARCHAR": "STRING",
}  # fmt: skip
FILES, ROWS = 150, 60


def _file(number: int) -> tuple[str, list[str]]:
    chance = random.Random(f"types {number}")
    kinds = chance.sample(sorted(KINDS), chance.randint(2, 7))
    sign = chance.choice((",", ";", "\t", "|"))
    rows = [[f"{kind} {at}" for at, kind in enumerate(kinds)]]
    for _ in range(ROWS):
        row = [KINDS[kind][1](chance) for kind in kinds]
        rows.append(["" if chance.random() < 0.05 else value for value in row])
    return "".join(sign.join(row) + "\n" for row in rows), kinds


def test_types_are_those_of_the_values() -> None:
    for number in range(FILES):
        text, kinds = _file(number)
        answer = ask(text, "csv")
        found = [kind.partition("(")[0] for _, kind in answer.columns]
        assert found == [KINDS[kind][0] for kind in kinds], (number, answer.columns)
        assert [name for name, _ in answer.columns] == [
            f"{kind} {at}" for at, kind in enumerate(kinds)
        ]


def test_duckdb_agrees(tmp_path: Path) -> None:
    columns = 0
    with duckdb.connect() as connection:
        for number in range(FILES):
            text, kinds = _file(number)
            path = tmp_path / f"{number}.csv"
            path.write_text(text)
            found = connection.execute("SELECT Columns FROM sniff_csv(?)", [str(path)]).fetchall()
            for kind, column in zip(kinds, found[0][0], strict=True):
                columns += 1
                assert DUCKDB.get(column["type"]) == KINDS[kind][0], (number, column)
    assert columns > FILES * 3
