"""Tables as facts: what an engine says of one that it wrote, and what a scan of its log says."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lumos_snap.model.field_path import Part, Step, format_path
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.registry import SCHEMAS
from lumos_snap.scan.schemas.supertype import DatasetSchema
from tests.scan.tables.engine_columns import (
    Fact,
    avro_columns,
    delta_columns,
    iceberg_columns,
    scanned_columns,
    spark_columns,
)
from tests.scan.tables.lake import probed

Said = Mapping[str, Any]
Facts = dict[str, object]
IN_SPARK = "spark: "
"""Before a fact that Spark states, where the format states it in words of its own too."""


def of_engine(kind: str, said: Said) -> Facts:
    """The facts that an engine stated right after it wrote a table."""
    return dict(_OF_ENGINES[kind](said))


def of_scan(kind: str, folder: Path) -> Facts:
    """The same facts, as a scan of a folder with a log finds them."""
    ((_, found),) = probed(folder).items()
    made = SCHEMAS[kind](json.loads(found.schema))
    columns = dict(scanned_columns(made.schema.fields))
    return {
        **columns,
        **{f"{IN_SPARK}{name}": value for name, value in columns.items()},
        **dict(_scanned(found, made)),
        **dict(_OF_SCANS[kind](made)),
    }


def _scanned(found: ProbeResult, made: DatasetSchema) -> Iterator[Fact]:
    names = [one.name for one in made.schema.fields]
    yield "columns", names
    yield f"{IN_SPARK}columns", names
    yield "rows", found.rows
    assert made.table is not None
    yield "version", made.table.version
    yield "files", made.table.files
    yield "bytes", made.table.bytes
    assert made.storage is not None
    yield "id", made.storage.id
    yield "reader", made.storage.reader_version
    yield "writer", made.storage.writer_version
    yield "file format", made.storage.file_format
    yield "compression", made.storage.compression
    yield "description", made.description
    yield "notes", list(made.notes)


def _delta(said: Said) -> Iterator[Fact]:
    detail: Said = said["detail"]
    yield "columns", [one["name"] for one in said["spark"]["fields"]]
    yield from spark_columns(said["spark"]["fields"])
    yield from delta_columns(said["log"]["fields"])
    yield "rows", said["rows"]
    yield "version", str(said["version"])
    yield "files", detail["numFiles"]
    yield "bytes", detail["sizeInBytes"]
    yield "id", detail["id"]
    yield "reader", detail["minReaderVersion"]
    yield "writer", detail["minWriterVersion"]
    yield "description", detail["description"]
    yield "partitions", detail["partitionColumns"]
    yield "clustering", detail["clusteringColumns"]
    yield "notes", []
    properties: dict[str, str] = dict(detail["properties"])
    mode = properties.pop("delta.columnMapping.mode", "none")
    yield "mapping", None if mode == "none" else mode
    if detail["minWriterVersion"] == _WITH_FEATURES:
        yield "features", sorted(detail["tableFeatures"])
    checks = {name: properties.pop(name) for name in [*properties] if name.startswith(_CHECK)}
    yield "constraints", {name.removeprefix(_CHECK): text for name, text in checks.items()}
    for name, value in properties.items():
        yield f"property {name}", value


_CHECK = "delta.constraints."
_WITH_FEATURES = 7
"""The version of the protocol that lists features: Delta derives them for older ones."""


def _delta_scanned(made: DatasetSchema) -> Iterator[Fact]:
    properties = dict(made.properties)
    yield "partitions", [one.name for one in made.partitioning or ()]
    yield "clustering", properties.pop("clustering", [])
    assert made.storage is not None
    yield "mapping", made.storage.column_mapping
    yield "features", sorted(made.storage.features)
    yield "constraints", {one.name: one.expression for one in made.schema.constraints}
    for name, value in properties.items():
        yield f"property {name}", value


def _iceberg(said: Said) -> Iterator[Fact]:
    fields = said["log"]["fields"]
    yield "columns", [one["name"] for one in fields]
    yield from iceberg_columns(fields)
    if "spark" in said:
        yield f"{IN_SPARK}columns", [one["name"] for one in said["spark"]["fields"]]
        for name, value in spark_columns(said["spark"]["fields"]):
            yield f"{IN_SPARK}{name}", value
        yield "rows", said["rows"]
    named = _by_id(fields)
    yield "version", said["snapshot"]
    yield "files", said["files"]
    yield "bytes", said["bytes"]
    yield "id", said["uuid"]
    yield "reader", said["format"]
    properties = dict(said["properties"])
    yield "description", properties.pop("comment", None)
    written = properties.pop("write.format.default", "parquet")
    yield "file format", written
    yield "compression", properties.pop(f"write.{written}.compression-codec", None)
    yield "notes", []
    yield "keys", [named[one] for one in said["log"].get("identifier-field-ids", ())]
    yield (
        "partitions",
        [
            [one["name"], named.get(one["source-id"]), one["transform"], one["field-id"]]
            for one in said["spec"]["fields"]
        ],
    )
    yield (
        "order",
        [
            [named.get(one["source-id"]), one["transform"], one["direction"], one["null-order"]]
            for one in said["order"]["fields"]
        ],
    )
    for kind in ("branch", "tag"):
        held = sorted(name for name, its in said["refs"].items() if its == kind.upper())
        yield kind, [name for name in held if name != "main"]
    for name, value in properties.items():
        yield f"property {name}", value


def _by_id(fields: Any) -> dict[int, str]:
    """The paths of columns by id."""
    facts = dict(iceberg_columns(fields))
    return {
        value: name.removesuffix(" id")
        for name, value in facts.items()
        if name.endswith(" id") and isinstance(value, int)
    }


def _iceberg_scanned(made: DatasetSchema) -> Iterator[Fact]:
    assert made.storage is not None
    assert made.table is not None
    yield "keys", list(made.schema.primary_key)
    yield (
        "partitions",
        [
            [
                one.name,
                one.source,
                f"{one.transform}[{one.argument}]" if one.argument else one.transform,
                one.id,
            ]
            for one in made.partitioning or ()
        ],
    )
    yield (
        "order",
        [
            [
                one.field,
                one.transform or "identity",
                str(one.direction).lower(),
                f"nulls-{one.nulls}".lower(),
            ]
            for one in made.storage.sorting
        ],
    )
    for kind, name in (("branch", "iceberg.branches"), ("tag", "iceberg.tags")):
        yield kind, made.table.properties.get(name, [])
    for name, value in made.properties.items():
        yield f"property {name}", value


def _hudi(said: Said) -> Iterator[Fact]:
    shown, fields = said["spark"]["fields"], said["log"]["fields"]
    yield f"{IN_SPARK}columns", [one["name"] for one in shown]
    for name, value in spark_columns(shown):
        yield f"{IN_SPARK}{name}", value
    yield "columns", [one["name"] for one in fields]
    yield from avro_columns(fields)
    yield "version", said["instant"]
    yield "reader", said["version"]
    yield "keys", [_path(one) for one in said["keys"]]
    yield "partitions", said["partitions"]
    if said["partitions"]:
        yield "style", "hive" if said["hive_style"] else "path"
    yield "property hoodie.table.type", said["type"]
    yield "notes", []


def _hudi_scanned(made: DatasetSchema) -> Iterator[Fact]:
    yield "keys", list(made.schema.primary_key)
    yield "partitions", [one.name for one in made.partitioning or ()]
    for one in made.partitioning or ():
        yield "style", one.style
    for name, value in made.properties.items():
        yield f"property {name}", value


def _path(name: str) -> str:
    return format_path([Part(Step.MEMBER, part) for part in name.split(".")])


_OF_ENGINES = {"delta": _delta, "iceberg": _iceberg, "hudi": _hudi}
_OF_SCANS = {"delta": _delta_scanned, "iceberg": _iceberg_scanned, "hudi": _hudi_scanned}
