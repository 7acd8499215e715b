"""Whether what runs tasks elsewhere can run ours: one tiny task, before all others."""

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lumos_snap.errors import OutsideError
from lumos_snap.scan.sparklog import gist

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

_CHOOSE = (
    "name a Python {ours} that workers have: PYSPARK_PYTHON, or `--conf spark.pyspark.python=…`;"
    " a server of Spark Connect has its own PYSPARK_PYTHON"
)
_INSTALL = "install pyarrow and `pandas<3` for the Python of the workers"
_MISMATCH = re.compile(r"PYTHON_VERSION_MISMATCH\D+(\d+\.\d+)")
_NO_PACKAGE = re.compile(
    r"No module named '(\w+)|PACKAGE_NOT_INSTALLED\] (\w+)|UNSUPPORTED_PACKAGE_VERSION\] (\w+)"
)
_NO_PROGRAM = re.compile(r"Cannot run program \"([^\"]+)\"")


def suit(spark: "SparkSession", failures: tuple[type[Exception], ...]) -> None:
    """Raise an error that says what workers lack, and what to do."""

    # Within a function, so that it travels by value: workers know no module of ours.
    def as_they_are(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        return batches

    try:
        spark.range(1, numPartitions=1).mapInArrow(as_they_are, "id long").collect()
    except failures as exc:
        why, hint = _lack(str(exc)) or (gist(exc), "a task of one row was tried")
        raise OutsideError(f"Spark's workers cannot run tasks: {why}", hint=hint) from exc


def _lack(said: str) -> tuple[str, str] | None:
    """What is missing, in the words of Spark's errors."""
    ours = "{}.{}".format(*sys.version_info)
    if found := _MISMATCH.search(said):
        return f"they have Python {found[1]}, and here runs {ours}", _CHOOSE.format(ours=ours)
    if found := _NO_PROGRAM.search(said):
        return f"they have no Python at {found[1]}", _CHOOSE.format(ours=ours)
    if found := _NO_PACKAGE.search(said):
        name = next(filter(None, found.groups()))
        return f"their Python lacks {name}", _INSTALL
    return None
