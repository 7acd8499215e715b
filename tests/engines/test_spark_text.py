"""Delimited text as Spark reads it: no verdict is weaker than what happens to stored values."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lumos_snap.config.settings import Policy
from lumos_snap.diff import compare
from lumos_snap.rules.judge import judge
from lumos_snap.rules.rule import Level
from tests.rules.fixtures import TODAY

pytestmark = pytest.mark.slow

ROWS = ((1, "x", 2), (3, "y", 4))
OLD = {"a": "INT32", "b": "STRING", "c": "INT32"}
CHANGES: Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]] = {
    "nothing": (OLD, {}),
    "reordered": ({"b": "STRING", "a": "INT32", "c": "INT32"}, {}),
    "reordered alike": ({"c": "INT32", "b": "STRING", "a": "INT32"}, {}),
    "inserted": ({"a": "INT32", "n": "INT32", "b": "STRING", "c": "INT32"}, {}),
    "appended": ({**OLD, "n": "INT32"}, {}),
    "cut out": ({"a": "INT32", "c": "INT32"}, {}),
    "cut off": ({"a": "INT32", "b": "STRING"}, {}),
    "renamed": ({"a": "INT32", "bb": "STRING", "c": "INT32"}, {"bb": "b"}),
    "letter case": ({"A": "INT32", "b": "STRING", "c": "INT32"}, {"A": "a"}),
}
"""The new columns by name, and the former names of those that were renamed."""
SETTINGS: Mapping[str, Mapping[str, str]] = {
    f"{heading} {mode}": {**options, "mode": mode}
    for heading, options in {
        "header": {"header": "true"},
        "compared header": {"header": "true", "enforceSchema": "false"},
        "no header": {"header": "false"},
    }.items()
    for mode in ("PERMISSIVE", "DROPMALFORMED", "FAILFAST")
}
SQL = {"INT32": "INT", "STRING": "STRING"}


def _read(
    spark: SparkSession, path: Path, options: Mapping[str, str], columns: Mapping[str, str]
) -> list[dict[str, Any]] | None:
    """The rows by column name; None where Spark refuses them."""
    told = ", ".join(f"`{name}` {SQL[kind]}" for name, kind in columns.items())
    try:
        frame = spark.read.options(**options).schema(told).csv(str(path))
        return [row.asDict() for row in frame.collect()]
    except (PySparkException, Py4JJavaError):
        return None


def _harm(
    read: list[dict[str, Any]] | None, columns: Mapping[str, str], former: Mapping[str, str]
) -> Level:
    """What became of stored values in the columns that are still there."""
    if read is None:
        return Level.BREAKING
    stored = [dict(zip(OLD, row, strict=True)) for row in ROWS]
    kept = [name for name in columns if former.get(name, name) in OLD]
    expected = [{name: row[former.get(name, name)] for name in kept} for row in stored]
    found = [{name: row[name] for name in kept} for row in read]
    return Level.INFORMATIONAL if found == expected else Level.SILENT


def _snapshot(columns: Mapping[str, str], options: Mapping[str, str]) -> dict[str, Any]:
    fields = [{"name": name, "type": kind, "nullable": True} for name, kind in columns.items()]
    return {
        "lumos_version": "1.0.0",
        "urn": "lumos://s3/lake/a",
        "name": "a",
        "platform": "s3",
        "storage": {"format": "csv", "options": dict(options)},
        "schema": {"inferred": True, "fields": fields},
    }


def _verdict(
    columns: Mapping[str, str], former: Mapping[str, str], options: Mapping[str, str]
) -> tuple[Level, set[str]]:
    new = _snapshot(columns, options)
    if former:
        promised = [{"path": now, "renamed_from": was} for now, was in former.items()]
        new["contract"] = {"fields": promised}
    found = judge(compare("lumos://s3/lake/a", _snapshot(OLD, options), new), Policy(), TODAY)
    levels = [one.level for one in found]
    return max(levels, default=Level.INFORMATIONAL), {one.rule.slug for one in found}


@pytest.mark.parametrize("setting", sorted(SETTINGS))
def test_no_verdict_is_weaker_than_the_engine(
    spark: SparkSession, tmp_path: Path, setting: str
) -> None:
    options = SETTINGS[setting]
    path = tmp_path / "stored.csv"
    heading = [",".join(OLD)] if options["header"] == "true" else []
    path.write_text("\n".join([*heading, *(",".join(map(str, row)) for row in ROWS)]) + "\n")
    for change, (columns, former) in CHANGES.items():
        harm = _harm(_read(spark, path, options, columns), columns, former)
        level, slugs = _verdict(columns, former, options)
        assert level >= harm, f"{change}: Spark {harm.full_word}, verdict {level.full_word}"
        if harm is Level.INFORMATIONAL:
            assert level is not Level.SILENT, f"{change}: {slugs}"
