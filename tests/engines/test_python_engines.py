"""pyarrow and fastavro do what their profiles say: real files, every pair of sample types."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lumos_snap.engines import ReadOutcome, profile
from tests.engines import arrow_reader, avro, fastavro_reader, parquet
from tests.engines.matrix import Cell, Matrix
from tests.engines.proof import compare_golden, disagreements, unreadable, wrong_witnesses
from tests.engines.samples import Sample, without

Read = Callable[[list[Path], Sample, Sample], Cell]

# To Arrow CHAR is a string, but a padded one spells no date and no truth.
ENGINES = {
    "pyarrow": (without("CHAR(5)", "CHAR(8)"), parquet.write_each, arrow_reader.read),
    "fastavro": (avro.AVRO, avro.write_each, fastavro_reader.read),
}
UNREADABLE = {
    "pyarrow": {"INTERVAL(year-month)", "INTERVAL(day-time)"},  # no types of Parquet's, nor its own
    "fastavro": {"TIMESTAMP(ns)", "TIMESTAMP(ns,UTC)"},  # it returns the stored count
}
COUNTED = {"TIMESTAMP(ns)", "TIMESTAMP(ns,UTC)"}
"""What fastavro reads as a number, and does not refuse."""


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def matrix(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    samples, write, read = ENGINES[engine]
    folder = tmp_path_factory.mktemp(engine)
    files = {sample.name: write(folder, sample) for sample in samples}
    return {
        (old.name, new.name, ""): read(files[old.name], old, new)
        for old in samples
        for new in samples
    }


def test_the_engine_does_what_its_profile_says(engine: str, matrix: Matrix) -> None:
    assert list(disagreements(engine, matrix, ENGINES[engine][0])) == []


def test_a_row_shows_what_the_engine_printed(engine: str, matrix: Matrix) -> None:
    def error(old: Sample, new: Sample, _: str) -> str:
        return matrix[old.name, new.name, ""].shows

    assert list(wrong_witnesses(engine, matrix, ENGINES[engine][0], error)) == []


def test_the_matrix_is_the_golden_one(
    engine: str, matrix: Matrix, request: pytest.FixtureRequest
) -> None:
    rewrite = bool(request.config.getoption("--rewrite-golden"))
    compare_golden(engine, matrix, ENGINES[engine][0], rewrite=rewrite)


def test_every_type_is_read_as_what_it_is_with_known_exceptions(
    engine: str, matrix: Matrix
) -> None:
    assert unreadable(matrix) == UNREADABLE[engine]
    refused = {one.name for one in ENGINES[engine][0] if profile(engine).cannot_read(one.type)}
    assert refused == UNREADABLE[engine] - COUNTED


def test_a_cell_that_behaves_otherwise_is_named(engine: str, matrix: Matrix) -> None:
    other = {**matrix, ("INT32", "INT64", ""): Cell(ReadOutcome.CHANGED, "1 → 2")}
    assert list(disagreements(engine, other, ENGINES[engine][0])) == [
        f"INT32 → INT64: the profile says exact, {engine} did: changed 1 → 2",
        f"INT32 → INT64: the profile says exact, {engine} as a whole did: changed 1 → 2",
    ]
