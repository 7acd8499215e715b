"""One table of a Spark session's catalog, as evidence and with a name for what changes."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lumos_snap.scan.catalogs.catalog import Names, Ready
from lumos_snap.scan.catalogs.spark_columns import columns_kept, columns_told, has_texts
from lumos_snap.scan.catalogs.spark_names import parsed
from lumos_snap.scan.catalogs.withheld import located, said, without_credentials
from lumos_snap.scan.probe.probed import written
from lumos_snap.scan.pyspark_versions import condition

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPARK = "spark"
"""The name of the evidence, in `schemas.registry.SCHEMAS`."""

_NOT_AS_JSON = frozenset(("NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", "PARSE_SYNTAX_ERROR"))
_PARTITIONS = ("# Partition Information", "# Partitioning")
_TRANSFORMS = "Part "
_CUT = re.compile(r"\.\.\. \d+ more fields")
"""How Spark ends a struct of many members in what it shows."""
_HEADS = "# "
_OPTION = "option."


def described(spark: "SparkSession", names: Names, name: str) -> Ready:
    """A table; `name` is the whole of its name, as SQL takes it. Raises what Spark raises."""
    from pyspark.errors import PySparkException

    try:
        text = spark.sql(f"DESCRIBE TABLE EXTENDED {name} AS JSON").collect()[0][0]
    except PySparkException as exc:
        if condition(exc) not in _NOT_AS_JSON:
            raise
        return _resolved(spark, names, name)
    told = json.loads(text)
    evidence = {"fields": _columns(spark, name, told["columns"]), **_evidence(told)}
    return _ready(names, evidence, told.get("location"))


def _columns(spark: "SparkSession", name: str, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The columns with the bounds of their texts, however many members a struct has."""
    from pyspark.errors import PySparkException

    plain = _plain(spark, name, told) if has_texts(told) else []
    if any(map(_CUT.search, plain)):
        try:
            return columns_kept(json.loads(spark.table(name).schema.json()))
        except PySparkException:  # files are gone, or what a view reads: bounds stay unknown
            return columns_told(told, plain)
    return columns_told(told, plain)


def _plain(spark: "SparkSession", name: str, columns: list[dict[str, Any]]) -> list[str]:
    """The types as text. Behind the columns stand other rows, of which names cannot tell."""
    rows = spark.sql(f"DESCRIBE TABLE {name}").collect()[: len(columns)]
    alike = [row[0] for row in rows] == [one["name"] for one in columns]
    return [row[1] for row in rows] if alike else []


def _evidence(told: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(told.get("type", ""))
    is_view = "VIEW" in kind
    return {
        "kind": kind,
        "provider": None if is_view else told.get("provider"),
        "serde": None if is_view else told.get("serde_library"),
        "comment": told.get("comment"),
        "definition": _definition(told) if is_view else None,
        "names_in": told.get("view_catalog_and_namespace") if is_view else None,
        "partitions": [{"column": [one]} for one in told.get("partition_columns", ())],
        "buckets": told.get("num_buckets"),
        "bucketed": told.get("bucket_columns", []),
        "sorted": told.get("sort_columns", []),
        "clustered": [parsed(one) for one in told.get("clustering_columns", ())],
        "options": {} if is_view else said(told.get("storage_properties", {})),
        "properties": said(told.get("table_properties", {})),
    }


def _definition(told: Mapping[str, Any]) -> str | None:
    text = told.get("view_text") or told.get("view_original_text")
    return without_credentials(text) if text else None


def _resolved(spark: "SparkSession", names: Names, name: str) -> Ready:
    """A table of a catalog that tells less: its columns as the session resolves them."""
    rows = [tuple(row) for row in spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()]
    schema = json.loads(spark.table(name).schema.json())
    about = _about(rows[len(schema["fields"]) :])
    kind = about.get("Type", "TABLE")
    is_view = "VIEW" in kind
    listed = [] if is_view else spark.sql(f"SHOW TBLPROPERTIES {name}").collect()
    given = {row[0]: row[1] for row in listed}
    options = {k.removeprefix(_OPTION): v for k, v in given.items() if k.startswith(_OPTION)}
    told = {
        "fields": columns_kept(schema),
        "kind": kind,
        "provider": about.get("Provider"),
        "comment": about.get("Comment"),
        "definition": without_credentials(about.get("View Text", "")) or None,
        "names_in": about.get("View Catalog and Namespace"),
        "partitions": _partitions(rows[len(schema["fields"]) :]),
        "options": said(options),
        "properties": said({k: v for k, v in given.items() if not k.startswith(_OPTION)}),
    }
    return _ready(names, told, about.get("Location"))


def _about(rows: list[tuple[str, str, str]]) -> dict[str, str]:
    """What stands below the last heading, by its label."""
    labels = [row[0] for row in rows]
    start = labels.index("# Detailed Table Information")
    return {label: held for label, held, _ in rows[start + 1 :]}


def _partitions(rows: list[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """The columns that divide the layout, or how their values are made."""
    found: list[dict[str, Any]] = []
    is_inside = False
    for label, held, _ in rows:
        if label in _PARTITIONS:
            is_inside = True
        elif not label:
            is_inside = False
        elif is_inside and not label.startswith(_HEADS):
            how = held if label.startswith(_TRANSFORMS) else label
            found.append({"transform": how} if "(" in how else {"column": parsed(how)})
    return found


def _ready(names: Names, evidence: Mapping[str, Any], location: str | None) -> Ready:
    schema = written({name: held for name, held in evidence.items() if held not in (None, [], {})})
    where = located(location)
    digest = hashlib.sha256(written([schema, where]).encode()).hexdigest()
    return Ready(
        names=names, format=SPARK, schema=schema, rows=None, version="", location=where, tag=digest
    )
