"""A small corpus agrees with independent readers; `python -m tests.corpus` is the large one."""

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.corpus.comparison import REASONS, Outcome, compare_file
from tests.corpus.spark_files import SparkReader, write_with_spark
from tests.corpus.writers import WRITERS, CorpusFile, write_corpus

pytestmark = pytest.mark.filterwarnings("ignore::Warning")  # `avro` warns about unknown types


def test_columns_are_those_that_other_readers_see(tmp_path: Path) -> None:
    outcome = Outcome()
    for made in write_corpus(tmp_path, 12 * sum(share for _, share, _ in WRITERS)):
        compare_file(made, outcome)
    assert outcome.wrong == []
    assert outcome.files == 300
    assert outcome.columns > 10_000


@pytest.mark.slow
def test_columns_of_spark_s_files_are_those_that_other_readers_see(
    tmp_path: Path, spark: SparkSession
) -> None:
    outcome, orc = Outcome(), {"spark": SparkReader(spark)}
    for made in write_with_spark(spark, tmp_path, 12):
        compare_file(made, outcome, orc if made.format == "orc" else None)
    assert outcome.wrong == []
    assert outcome.files == 12


def test_the_same_number_is_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    first = [one.path.read_bytes() for one in write_corpus(tmp_path, 25) if one.format != "avro"]
    again = [
        one.path.read_bytes()
        for one in write_corpus(tmp_path / "again", 25)
        if one.format != "avro"  # a file of Avro begins with random bytes
    ]
    assert first == again


def test_a_difference_without_a_reason_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "0.orc"
    next(write for kind, _, write in WRITERS if kind == "orc")(random.Random(1), path)
    outcome = Outcome()
    other = {"spark": lambda _: [("c0", "NOTHING")]}
    compare_file(CorpusFile(path, "orc", "pyarrow"), outcome, other)
    assert len(outcome.wrong) == 1
    assert outcome.share < 100


def test_every_reason_has_a_reader_and_words() -> None:
    for reader, _, _, reason in REASONS:
        assert reader in {"pyarrow", "duckdb", "polars", "avro", "spark"}
        assert reason
