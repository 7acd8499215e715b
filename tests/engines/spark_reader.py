"""Spark as a witness: what its two Parquet readers make of files, told another type.

One query reads the files of all samples as one type: Spark is told to skip files that it cannot
read, so a sample whose rows are missing is one that it refuses.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.engines.matrix import Cell, judged, worst
from tests.engines.parquet import NESTED, encodings, write
from tests.engines.samples import Sample
from tests.engines.values import Value, day, instant, local, months, value

READERS = {"vectorised": "true", "row": "false"}
ZONE = "America/New_York"  # not UTC: what shifts must be seen to shift

_DDL = {
    "BOOLEAN": "boolean",
    "INT8": "tinyint",
    "INT16": "smallint",
    "INT32": "int",
    "INT64": "bigint",
    "UINT8": "smallint",
    "UINT16": "int",
    "UINT32": "bigint",
    "UINT64": "decimal(20,0)",
    "FLOAT32": "float",
    "FLOAT64": "double",
    "STRING": "string",
    "ENUM": "string",
    "JSON": "string",
    "BINARY": "binary",
    "FIXED": "binary",
    "UUID": "binary",
    "DATE": "date",
    "NULL": "void",
    "ARRAY": "array<int>",
    "MAP": "map<string,int>",
    "STRUCT": "struct<a:int>",
}
_INTERVALS = {"year-month": "interval year to month", "day-time": "interval day to second"}


@contextmanager
def session(folder: Path) -> Iterator[SparkSession]:
    """A session that starts fast, listens to nobody else, and is in a zone of its own."""
    builder = SparkSession.builder.master("local[2]")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.log.level": "OFF",
        "spark.sql.session.timeZone": ZONE,
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(folder),  # not a folder where the tests are started
        "spark.sql.files.openCostInBytes": "65536",  # many small files in one task
    }
    for name, setting in settings.items():
        builder = builder.config(name, setting)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def ddl(given: Mapping[str, Any]) -> str:
    """The type that Spark itself sees in a file of this type; nothing where it has none."""
    match given["type"]:
        case "DECIMAL":
            return f"decimal({given['precision']},{given['scale']})"
        case "CHAR" | "VARCHAR" as kind:
            return f"{kind.lower()}({given['length']})"
        case "TIME":
            return {"ms": "time(3)", "us": "time(6)"}.get(given["unit"], "")
        case "TIMESTAMP":
            return "timestamp" if "timezone" in given else "timestamp_ntz"
        case "INTERVAL":
            return _INTERVALS.get(given["unit"], "")
        case kind:
            return _DDL.get(kind, "")


Rows = Mapping[str, Mapping[int, Any]]
Key = tuple[str, str, str]


class Witness:
    """Reads the files of a folder as one type after the other."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder

    def read_all(self, new: Sample, reader: str) -> Rows:
        """By file, the values by row; nothing where no file can be read as this type."""
        if self._table(new, reader, skipping=True) is not None:
            return {}
        files = sorted(path.name for path in self.folder.glob("*.parquet"))
        # Told a flat type, nested files end a whole query and not only their own part of it.
        nested = [name for name in files if name.startswith(NESTED)]
        found = self._read(new, [name for name in files if name not in nested])
        for name in nested:
            found |= self._read(new, [name])
        return found

    def _read(self, new: Sample, files: list[str]) -> dict[str, dict[int, Any]]:
        """What can be read of these files: where one ends the query, each half by itself."""
        if not files:
            return {}
        names = ", ".join(f"'{name}'" for name in files)
        rows = self.spark.sql(
            f"SELECT _metadata.file_name, n, {_read_as(new)} FROM told"  # noqa: S608 - our own
            f" WHERE _metadata.file_name IN ({names})"
        )
        try:
            return _by_file(rows.collect())
        except (PySparkException, Py4JJavaError):
            if len(files) == 1:
                return {}
            half = len(files) // 2
            return self._read(new, files[:half]) | self._read(new, files[half:])

    def _table(self, new: Sample, reader: str, *, skipping: bool) -> str | None:
        """A table over the files, told a type; or why Spark has no such table."""
        told = ddl(new.type)
        if not told:
            return f"Spark has no type for {new.name}"
        self.spark.conf.set("spark.sql.parquet.enableVectorizedReader", READERS[reader])
        self.spark.conf.set("spark.sql.files.ignoreCorruptFiles", str(skipping).lower())
        self.spark.sql("DROP TABLE IF EXISTS told")
        try:
            self.spark.sql(
                f"CREATE TABLE told (n int, c {told}) USING parquet LOCATION '{self.folder}'"
            )
        except PySparkException as refusal:
            return _reason(refusal)
        return None

    def error(self, old: Sample, new: Sample, reader: str) -> str:
        """What Spark says of the files of a sample, told a type."""
        refusal = self._table(new, reader, skipping=False)
        if refusal is not None:
            return refusal
        names = ", ".join(f"'{old.name}.{encoding}.parquet'" for encoding in encodings(old))
        query = f"SELECT {_read_as(new)} FROM told WHERE _metadata.file_name IN ({names})"  # noqa: S608
        try:
            self.spark.sql(query).collect()
        except (PySparkException, Py4JJavaError) as failure:
            return _reason(failure)
        return ""


def _read_as(new: Sample) -> str:
    """An expression whose value Python can hold in full, whatever its own zone and last year."""
    return f"{_HELD.get(ddl(new.type), 'c')} AS c"


_HELD = {
    "timestamp": "unix_micros(c)",
    "timestamp_ntz": "timestampdiff(MICROSECOND, TIMESTAMP_NTZ '1970-01-01', c)",
    "date": "unix_date(c)",
    "interval year to month": "extract(YEAR FROM c) * 12 + extract(MONTH FROM c)",
}


def measure(spark: SparkSession, folder: Path, samples: Sequence[Sample]) -> dict[Key, Cell]:
    """What each reader does with the files of each sample, told the type of each."""
    for sample in samples:
        write(folder, sample)
    witness = Witness(spark, folder)
    return {
        (old.name, new.name, reader): _cell(old, new, rows)
        for new in samples
        for reader in READERS
        for rows in (witness.read_all(new, reader),)
        for old in samples
    }


def _cell(old: Sample, new: Sample, rows: Rows) -> Cell:
    read = (rows.get(f"{old.name}.{encoding}", {}) for encoding in encodings(old))
    return worst(
        judged(old.values, [as_value(new, file[number]) for number in sorted(file)])
        for file in read
    )


def _by_file(rows: list[Any]) -> dict[str, dict[int, Any]]:
    found: dict[str, dict[int, Any]] = defaultdict(dict)
    for file, number, raw in rows:
        found[file.removesuffix(".parquet")][number] = raw
    return dict(found)


def as_value(new: Sample, raw: Any) -> Value:
    """A value as Spark means it."""
    meant = _MEANT.get(ddl(new.type), value)
    return value(None) if raw is None else meant(raw)


def _in_session(microseconds: int) -> Value:
    """A point in time, printed as the session's own zone has it: a shift is seen."""
    moment = datetime.fromtimestamp(0, ZoneInfo("UTC")) + timedelta(microseconds=microseconds)
    written = moment.astimezone(ZoneInfo(ZONE)).isoformat(sep=" ")
    return replace(instant(microseconds * 1000), text=written)


_MEANT: Mapping[str, Callable[[Any], Value]] = {
    "timestamp": _in_session,
    "timestamp_ntz": lambda raw: local(raw * 1000),
    "date": day,
    "interval year to month": months,
}


def _reason(refusal: PySparkException | Py4JJavaError) -> str:
    """The innermost reason in short: the outer ones say only that a file could not be read."""
    if isinstance(refusal, PySparkException):
        return refusal.getCondition() or str(refusal).partition("\n")[0]
    cause = refusal.java_exception
    while cause.getCause() is not None:
        cause = cause.getCause()
    said = str(cause.getMessage())
    condition = re.match(r"\[([A-Z_.]+)\]", said)
    return condition[1] if condition else cause.getClass().getSimpleName()
