"""Differences between the supported versions of PySpark; all other code uses what they share."""

import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

OLDEST = (3, 5)
NEWEST = (4, 3)
"""The oldest version that works, and the newest tested one; docs/guides/clusters.md lists all."""
OLDEST_WITH_TOKEN = (4, 0)
"""The oldest version whose Spark Connect server can refuse clients without a token."""


def release(version: str) -> tuple[int, ...]:
    """Parse the first two numbers of a version; other text counts as 0."""
    parts = version.split(".")[:2]
    return tuple(int(part) if part.isdecimal() else 0 for part in parts)


def explain_lack(version: str) -> tuple[str, str] | None:
    """Explain what a version needs that this Python lacks, with the fix."""
    if release(version) < (4, 0) and importlib.util.find_spec("distutils") is None:
        return (
            f"PySpark {version} needs distutils, which Python 3.12 and newer lack",
            "`pip install setuptools` brings it; PySpark 4 does without",
        )
    return None


def frame_of(spark: "SparkSession", table: "pa.Table") -> "DataFrame":
    """Create a DataFrame from an Arrow table; PySpark 3.5 accepts rows only."""
    from pyspark.sql import DataFrame

    if hasattr(DataFrame, "toArrow"):
        return spark.createDataFrame(table)
    from pyspark.sql.pandas.types import from_arrow_schema

    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return spark.createDataFrame(rows, from_arrow_schema(table.schema))


def table_of(frame: "DataFrame") -> "pa.Table":
    """Collect a DataFrame as an Arrow table; PySpark 3.5 returns rows only."""
    import pyarrow as pa

    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    rows: list[tuple[Any, ...]] = [tuple(row) for row in frame.collect()]
    columns = zip(*rows, strict=True) if rows else [[] for _ in frame.columns]
    return pa.table([pa.array(column) for column in columns], frame.columns)


def add_tag(spark: "SparkSession", tag: str) -> None:
    """Tag the jobs that this thread starts."""
    context = _context_that_cancels(spark)
    (context.addJobTag if context else spark.addTag)(tag)


def remove_tag(spark: "SparkSession", tag: str) -> None:
    """Stop tagging jobs."""
    context = _context_that_cancels(spark)
    (context.removeJobTag if context else spark.removeTag)(tag)


def cancel_tag(spark: "SparkSession", tag: str) -> None:
    """Cancel the jobs with a tag."""
    context = _context_that_cancels(spark)
    (context.cancelJobsWithTag if context else spark.interruptTag)(tag)


def cancel_all(spark: "SparkSession") -> None:
    """Cancel all jobs of a session of our own."""
    context = _context_that_cancels(spark)
    (context.cancelAllJobs if context else spark.interruptAll)()


def condition(exc: BaseException) -> str | None:
    """Return the error condition of a Spark error; before 4.0 it was called error class."""
    for name in ("getCondition", "getErrorClass"):
        if hasattr(exc, name):
            return str(getattr(exc, name)())
    return None


def channel_builder() -> Any:
    """Return the class that creates channels to a Spark Connect server; renamed in 4.0."""
    from pyspark.sql.connect import client

    return getattr(client, "DefaultChannelBuilder", None) or client.ChannelBuilder


def _context_that_cancels(spark: "SparkSession") -> "SparkContext | None":
    """Return the context that cancels jobs in PySpark 3.5, where only Connect sessions can."""
    from pyspark import __version__
    from pyspark.errors import PySparkException

    if release(__version__) >= (4, 0):
        return None
    try:
        return spark.sparkContext
    except PySparkException:  # Spark Connect has no context
        return None
