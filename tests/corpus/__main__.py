"""Compares a corpus with independent readers: `python -m tests.corpus 2000`."""

import sys
import tempfile
import warnings
from pathlib import Path

from tests.corpus.comparison import Outcome, compare_file
from tests.corpus.spark_files import SparkReader, start_spark, write_with_spark
from tests.corpus.writers import write_corpus

SHARE_OF_SPARK = 10


def main(count: int) -> int:
    """Print what agrees and what does not; exit with 1 where something is not explained."""
    warnings.simplefilter("ignore")  # the package `avro` warns about types that it does not know
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as name, start_spark() as spark:
        orc = {"spark": SparkReader(spark)}
        for made in write_corpus(Path(name), count - count // SHARE_OF_SPARK):
            compare_file(made, outcome, orc if made.format == "orc" else None)
        for made in write_with_spark(spark, Path(name), count // SHARE_OF_SPARK):
            compare_file(made, outcome, orc if made.format == "orc" else None)
    print("\n".join(outcome.lines()))  # noqa: T201 - a program
    return 1 if outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000))
