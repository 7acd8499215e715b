"""Tables of Spark catalogs, with their columns in the JSON form that Spark writes into files.

There are two sources: `DESCRIBE … AS JSON`, which omits lengths of texts, with the plain
`DESCRIBE`, which has them; or the schema of a table that the session has resolved.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lumos_snap.errors import LumosError
from lumos_snap.scan.sources.catalog import CatalogTable, Names, redact_credentials
from lumos_snap.scan.spark.pyspark_versions import condition
from lumos_snap.scan.spark.session import failures

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors.probe_result import encode_evidence
from lumos_snap.scan.sources.catalog import redact_location, redact_properties
from lumos_snap.scan.sources.table_logs import LogLocation, find_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


BOUNDED = "__CHAR_VARCHAR_TYPE_STRING"
COLLATIONS = "__COLLATIONS"
DEFAULT = "CURRENT_DEFAULT"
_KEPT = frozenset(
    ("comment", BOUNDED, COLLATIONS, DEFAULT, "GENERATION_EXPRESSION", "delta.generationExpression")
)
_BOUNDED = re.compile(r"\b(var)?char\(\d+\)")
_PLAIN = "UTF8_BINARY"
_NAMES = {
    "int": "integer",
    "bigint": "long",
    "smallint": "short",
    "tinyint": "byte",
    "timestamp_ltz": "timestamp",
}


def parse_columns(told: Sequence[JsonObject], plain: Sequence[str]) -> list[JsonObject]:
    """Convert the columns of `DESCRIBE … AS JSON`; `plain` are their types from `DESCRIBE`."""
    texts = plain if len(plain) == len(told) else [""] * len(told)
    return [_field(one, text) for one, text in zip(told, texts, strict=True)]


def reduce_columns(schema: JsonObject) -> list[JsonObject]:
    """Reduce the columns of a resolved table, without the private metadata of sources."""
    return [_reduce_field(one) for one in schema["fields"]]


def has_texts(told: object) -> bool:
    """Whether some type may be a text whose length is missing."""
    if isinstance(told, Mapping):
        return told.get("name") == "string" or any(map(has_texts, told.values()))
    return isinstance(told, list) and any(map(has_texts, told))


def _field(told: JsonObject, text: str = "") -> JsonObject:
    collations = dict(_collations(told["type"], told["name"]))
    metadata = {
        **({"comment": told["comment"]} if told.get("comment") else {}),
        **({BOUNDED: text} if _BOUNDED.search(text) else {}),
        **({COLLATIONS: collations} if collations else {}),
        **({DEFAULT: told["default"]} if "default" in told else {}),
    }
    return {
        "name": told["name"],
        "type": _type(told["type"]),
        "nullable": told.get("nullable", True),
        "metadata": metadata,
    }


def _type(told: JsonObject) -> Any:
    match told["name"]:
        case "struct":
            return {"type": "struct", "fields": [_field(one) for one in told["fields"]]}
        case "array":
            nullable = told.get("element_nullable", True)
            element = _type(told["element_type"])
            return {"type": "array", "elementType": element, "containsNull": nullable}
        case "map":
            return {
                "type": "map",
                "keyType": _type(told["key_type"]),
                "valueType": _type(told["value_type"]),
                "valueContainsNull": told.get("value_nullable", True),
            }
        case name:
            return _scalar(str(name), told)


def _scalar(name: str, told: JsonObject) -> str:
    if "precision" in told and "scale" in told:
        return f"{name}({told['precision']},{told['scale']})"
    if "length" in told:
        return f"{name}({told['length']})"
    if "start_unit" in told:
        start, end = told["start_unit"], told["end_unit"]
        return f"{name} {start}" if start == end else f"{name} {start} to {end}"
    return _NAMES.get(name, name)


def _collations(told: JsonObject, path: str) -> Iterator[tuple[str, str]]:
    """Yield the collations of texts in a column; members of structs have their own."""
    collation = told.get("collation", _PLAIN)
    if collation != _PLAIN:
        provider = "spark" if collation.startswith("UTF8") else "icu"
        yield path, f"{provider}.{collation}"
    for inside, step in (("element_type", "element"), ("key_type", "key"), ("value_type", "value")):
        if inside in told:
            yield from _collations(told[inside], f"{path}.{step}")


def _reduce_field(one: JsonObject) -> JsonObject:
    metadata = one.get("metadata", {})
    return {
        "name": one["name"],
        "type": _reduce_type(one["type"]),
        "nullable": one["nullable"],
        "metadata": {name: metadata[name] for name in sorted(metadata) if name in _KEPT},
    }


def _reduce_type(given: Any) -> Any:
    match given:
        case {"type": "struct", "fields": fields}:
            return {"type": "struct", "fields": [_reduce_field(one) for one in fields]}
        case {"type": "array", "elementType": element}:
            return {**given, "elementType": _reduce_type(element)}
        case {"type": "map", "keyType": key, "valueType": value}:
            return {**given, "keyType": _reduce_type(key), "valueType": _reduce_type(value)}
        case _:
            return given


SPARK = "spark"
"""The format of the evidence, in `formats.registry.SCHEMAS`."""

_NOT_AS_JSON = frozenset(("NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", "PARSE_SYNTAX_ERROR"))
_PARTITIONS = ("# Partition Information", "# Partitioning")
_TRANSFORMS = "Part "
_CUT = re.compile(r"\.\.\. \d+ more fields")
"""How Spark truncates a struct with many members in its output."""
_HEADS = "# "
_OPTION = "option."


class TableWithLog(NamedTuple):
    """A table of a metastore whose log has its columns."""

    log: LogLocation
    location: str | None


def describe_table(spark: "SparkSession", names: Names, name: str) -> CatalogTable | TableWithLog:
    """Describe a table; `name` is its full name in SQL. Raises Spark's exceptions."""
    try:
        text = spark.sql(f"DESCRIBE TABLE EXTENDED {name} AS JSON").collect()[0][0]
    except failures() as exc:
        if condition(exc) in _NOT_AS_JSON:
            return _describe_resolved(spark, names, name)
        found = _find_unresolved(spark, names, name)
        if found is None:
            raise
        return found
    told = json.loads(text)
    location, provider = told.get("location"), told.get("provider")
    log = find_log(provider, told.get("table_properties", {}), location)
    if log is not None:
        return TableWithLog(log, location)
    evidence = {"fields": _columns(spark, name, told["columns"]), **_evidence(told)}
    return _catalog_table(names, evidence, told.get("location"))


_LABELLED = re.compile(r"^(Provider|Location): (.*)$", re.MULTILINE)


def _find_unresolved(spark: "SparkSession", names: Names, name: str) -> TableWithLog | None:
    """Find the log of a table that the session cannot resolve: its package is not installed."""
    table = names[-1]
    within, pattern = name.removesuffix(f".{quote_name((table,))}"), table.replace("'", "''")
    try:
        rows = spark.sql(f"SHOW TABLE EXTENDED IN {within} LIKE '{pattern}'").collect()
    except failures():  # catalogs of others have no such statement
        return None
    for row in rows:
        if row["tableName"] == table:
            said = dict(_LABELLED.findall(row["information"]))
            log = find_log(said.get("Provider"), {}, said.get("Location"))
            return log and TableWithLog(log, said["Location"])
    return None


def _columns(spark: "SparkSession", name: str, told: list[JsonObject]) -> list[JsonObject]:
    """Return the columns with the lengths of their texts, even for structs with many members."""
    from pyspark.errors import PySparkException

    plain = _plain_types(spark, name, told) if has_texts(told) else []
    if any(map(_CUT.search, plain)):
        try:
            return reduce_columns(json.loads(spark.table(name).schema.json()))
        except PySparkException:  # files are missing, or what a view reads: lengths stay unknown
            return parse_columns(told, plain)
    return parse_columns(told, plain)


def _plain_types(spark: "SparkSession", name: str, columns: list[JsonObject]) -> list[str]:
    """Return the types as text, without the rows after the columns, which look like columns."""
    rows = spark.sql(f"DESCRIBE TABLE {name}").collect()[: len(columns)]
    alike = [row[0] for row in rows] == [one["name"] for one in columns]
    return [row[1] for row in rows] if alike else []


def _evidence(told: JsonObject) -> JsonObject:
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
        "clustered": [parse_name(one) for one in told.get("clustering_columns", ())],
        "options": {} if is_view else redact_properties(told.get("storage_properties", {})),
        "properties": redact_properties(told.get("table_properties", {})),
    }


def _definition(told: JsonObject) -> str | None:
    text = told.get("view_text") or told.get("view_original_text")
    return redact_credentials(text) if text else None


def _describe_resolved(spark: "SparkSession", names: Names, name: str) -> CatalogTable:
    """Describe a table of a catalog without JSON support, by the session's resolved schema."""
    rows = [tuple(row) for row in spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()]
    schema = json.loads(spark.table(name).schema.json())
    about = _table_details(rows[len(schema["fields"]) :])
    kind = about.get("Type", "TABLE")
    is_view = "VIEW" in kind
    listed = [] if is_view else spark.sql(f"SHOW TBLPROPERTIES {name}").collect()
    given = {row[0]: row[1] for row in listed}
    options = {k.removeprefix(_OPTION): v for k, v in given.items() if k.startswith(_OPTION)}
    told = {
        "fields": reduce_columns(schema),
        "kind": kind,
        "provider": about.get("Provider"),
        "comment": about.get("Comment"),
        "definition": redact_credentials(about.get("View Text", "")) or None,
        "names_in": about.get("View Catalog and Namespace"),
        "partitions": _partitions(rows[len(schema["fields"]) :]),
        "options": redact_properties(options),
        "properties": redact_properties(
            {k: v for k, v in given.items() if not k.startswith(_OPTION)}
        ),
    }
    return _catalog_table(names, told, about.get("Location"))


def _table_details(rows: list[tuple[str, str, str]]) -> dict[str, str]:
    """Return the rows after the last heading, by label."""
    labels = [row[0] for row in rows]
    start = labels.index("# Detailed Table Information")
    return {label: held for label, held, _ in rows[start + 1 :]}


def _partitions(rows: list[tuple[str, str, str]]) -> list[JsonObject]:
    """Return the partition columns, or the transforms of their values."""
    found: list[JsonObject] = []
    is_inside = False
    for label, held, _ in rows:
        if label in _PARTITIONS:
            is_inside = True
        elif not label:
            is_inside = False
        elif is_inside and not label.startswith(_HEADS):
            how = held if label.startswith(_TRANSFORMS) else label
            found.append({"transform": how} if "(" in how else {"column": parse_name(how)})
    return found


def _catalog_table(names: Names, evidence: JsonObject, location: str | None) -> CatalogTable:
    schema = encode_evidence(
        {name: held for name, held in evidence.items() if held not in (None, [], {})}
    )
    where = redact_location(location)
    digest = hashlib.sha256(encode_evidence([schema, where]).encode()).hexdigest()
    return CatalogTable(
        names=names, format=SPARK, schema=schema, rows=None, version="", location=where, tag=digest
    )


Parts = tuple[str, ...]
_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")
_SYSTEM = frozenset(("information_schema", "global_temp", "sys", "pg_catalog"))


def quote_name(parts: Parts) -> str:
    """Quote a name for SQL, whatever characters it has."""
    return ".".join(f"`{part.replace('`', '``')}`" for part in parts)


def parse_name(text: str) -> Parts:
    """Split a name as Spark or a user writes it."""
    parts: list[str] = []
    at = 0
    while (found := _PART.match(text, at)) is not None:
        quotes, plain = found.groups()
        parts.append(quotes.replace("``", "`") if quotes else plain)
        at = found.end() + 1
        if found.end() == len(text):
            return tuple(parts)
        if text[found.end()] != ".":
            break
    raise LumosError(f"{text!r} is no name in Spark", hint="write `catalog.database`")


def is_system(database: Parts) -> bool:
    """Whether a database contains system tables."""
    return database[-1].lower() in _SYSTEM
