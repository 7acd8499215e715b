"""Delimiter, header and names of generated files: what is true, what we say, what DuckDB says."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest

from tests.scan.formats.csv.dialect_files import SHAPES, DialectFile, dialect_files
from tests.scan.formats.text_descriptions import Answer, ask

FILES = list(dialect_files(320))
UNSURE = "whether the first line is a header cannot be told from its values"

OURS: Mapping[str, str] = {
    "texts only": "a value equals the name of its column, as in a table without a header",
}
"""Shapes of files that we may get wrong, with the reason: each time, a note is unsure."""
DUCKDB: Mapping[str, str] = {
    "groups above": "DuckDB takes names from the first line, whatever that lacks",
}
"""Shapes of files that DuckDB gets wrong, with the reason."""


class Dialect(NamedTuple):
    """What a reader must know; without a header, names are numbered."""

    delimiter: str
    header: bool
    names: Sequence[str]


def true_dialect(file: DialectFile) -> Dialect:
    names = file.names if file.header else [f"_c{i}" for i in range(len(file.names))]
    return Dialect(file.delimiter, file.header, [*names])


def our_dialect(answer: Answer) -> Dialect:
    delimiter = answer.options["delimiter"].replace("\\t", "\t")
    names = [name for name, _ in answer.columns]
    return Dialect(delimiter, answer.options["header"] == "true", names)


def duckdb_dialect(connection: duckdb.DuckDBPyConnection, path: Path) -> Dialect:
    question = "SELECT Delimiter, HasHeader, Columns FROM sniff_csv(?)"
    delimiter, header, columns = connection.execute(question, [str(path)]).fetchall()[0]
    names = [re.sub(r"^column(?=[0-9]+$)", "_c", one["name"]) for one in columns]
    return Dialect(delimiter, header, names)


def test_dialect_and_names_are_right_or_a_note_has_doubts() -> None:
    answers = [(file, ask(file.text, "csv")) for file in FILES]
    wrong = [(file, one) for file, one in answers if our_dialect(one) != true_dialect(file)]
    assert all(UNSURE in answer.notes for _, answer in wrong)
    assert {file.shape for file, _ in wrong} <= set(OURS)
    assert len(wrong) <= len(FILES) // 50


def test_differences_from_duckdb_have_reasons(tmp_path: Path) -> None:
    differences: Counter[str] = Counter()
    with duckdb.connect() as connection:
        for file in FILES:
            path = tmp_path / f"{file.number}.csv"
            path.write_bytes(file.text.encode())
            theirs, ours = duckdb_dialect(connection, path), our_dialect(ask(file.text, "csv"))
            if theirs != ours:
                differences[file.shape] += 1
                right = true_dialect(file)
                assert (ours == right) == (file.shape in DUCKDB), (file.shape, theirs, ours)
                assert right in (theirs, ours)
    assert set(differences) == DUCKDB.keys() | OURS.keys()


@pytest.mark.parametrize("shape", sorted({*SHAPES}))
def test_every_shape_occurs(shape: str) -> None:
    assert sum(file.shape == shape for file in FILES) >= 20
