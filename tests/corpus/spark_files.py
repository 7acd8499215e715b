"""Files that Spark writes, by the Java code of Parquet and ORC, and ORC files that it reads."""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from tests.corpus import schemas
from tests.corpus.leaves import Leaf, parse_spark
from tests.corpus.schemas import make_schema
from tests.corpus.writers import CorpusFile

if TYPE_CHECKING:
    from collections.abc import Mapping

_TYPES = (
    *schemas.PLAIN, *schemas.SMALL_INTEGERS, *schemas.BYTES, *schemas.DECIMALS, *schemas.MICROS,
)  # fmt: skip
_CODECS = {
    "parquet": ("none", "snappy", "gzip", "zstd", "lz4_raw"),
    "orc": ("none", "snappy", "zlib", "zstd", "lz4"),
}


@contextmanager
def start_spark() -> Iterator[SparkSession]:
    """A session of this machine."""
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.log.level", "ERROR").getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


class SparkReader:
    """Reads the columns of ORC files with Spark's reader, in Java."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def __call__(self, path: Path) -> list[Leaf]:
        """Read the columns of one file."""
        return parse_spark(json.loads(self._spark.read.orc(str(path)).schema.json()))


def write_with_spark(spark: SparkSession, folder: Path, count: int) -> Iterator[CorpusFile]:
    """Write so many files, with several codecs, timestamps and layouts of lists."""
    for number in range(count):
        chance = random.Random(f"spark {number}")
        kind = chance.choice(("parquet", "parquet", "orc"))
        codec = chance.choice(_CODECS[kind])
        settings: Mapping[str, str] = {
            "spark.sql.parquet.outputTimestampType": chance.choice(
                ("INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS")
            ),
            "spark.sql.parquet.writeLegacyFormat": chance.choice(("true", "false")),
        }
        for name, value in settings.items():
            spark.conf.set(name, value)
        schema = from_arrow_schema(make_schema(chance, _TYPES, nests="ams"))
        made = folder / f"spark-{number:04}"
        frame = spark.createDataFrame([], schema).coalesce(1)
        frame.write.format(kind).option("compression", codec).save(str(made))
        written = next(made.glob(f"part-*.{kind}"), None)
        if written is not None:
            path = written.rename(folder / f"spark-{number:04}.{kind}")
            yield CorpusFile(path, kind, f"spark {codec} {sorted(settings.values())}")
