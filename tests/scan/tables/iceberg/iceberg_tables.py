"""Iceberg tables: real ones by pyiceberg, and metadata written by hand."""

import gzip
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, StructType

from lumos_snap.model.types import DataType, Field, Kind, Unit

Held = dict[str, Any]

_NAMES = {
    Kind.BOOLEAN: "boolean", Kind.INT32: "int", Kind.INT64: "long", Kind.FLOAT32: "float",
    Kind.FLOAT64: "double", Kind.STRING: "string", Kind.BINARY: "binary", Kind.DATE: "date",
    Kind.TIME: "time", Kind.UUID: "uuid", Kind.NULL: "unknown",
}  # fmt: skip


@contextmanager
def catalog(folder: Path) -> Iterator[SqlCatalog]:
    """A catalog beside the tables of `folder`, with a namespace `n`."""
    made = SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}/lake")
    try:
        made.create_namespace("n")
        yield made
    finally:
        made.close()


def as_iceberg(fields: tuple[Field, ...]) -> list[Any]:
    """Columns as plain values: id, name, whether required, type."""
    return [[one.id, one.name, not one.nullable, _type(one), one.description] for one in fields]


def _type(one: DataType) -> Any:
    match one.type:
        case Kind.STRUCT:
            return as_iceberg(one.fields)
        case Kind.ARRAY:
            assert one.element
            return ["list", one.element.id, not one.element.nullable, _type(one.element)]
        case Kind.MAP:
            assert one.key
            assert one.value
            key = [one.key.id, _type(one.key)]
            return ["map", *key, one.value.id, not one.value.nullable, _type(one.value)]
        case Kind.TIMESTAMP:
            zone = "tz" if one.timezone == "UTC" else ""
            return f"timestamp{zone}{'_ns' if one.unit is Unit.NANOSECOND else ''}"
        case _:
            decimal, fixed = f"decimal({one.precision}, {one.scale})", f"fixed[{one.length}]"
            return {**_NAMES, Kind.DECIMAL: decimal, Kind.FIXED: fixed}[one.type]


def by_pyiceberg(schema: Schema) -> list[Any]:
    """What pyiceberg says of the columns, in the same form."""
    return _fields(schema.fields)


def _fields(fields: tuple[NestedField, ...]) -> list[Any]:
    return [
        [one.field_id, one.name, one.required, _plain(one.field_type), one.doc] for one in fields
    ]


def _plain(one: IcebergType) -> Any:
    if isinstance(one, StructType):
        return _fields(one.fields)
    if isinstance(one, ListType):
        return ["list", one.element_id, one.element_required, _plain(one.element_type)]
    if isinstance(one, MapType):
        key = [one.key_id, _plain(one.key_type)]
        return ["map", *key, one.value_id, one.value_required, _plain(one.value_type)]
    return str(one)


def field(
    number: int, name: str, kind: Any = "long", *, required: Any = False, **more: Any
) -> Held:
    return {"id": number, "name": name, "required": required, "type": kind, **more}


def held(*fields: Held, version: int = 2, **more: Any) -> Held:
    """What a metadata file says of a table without data."""
    return {
        "format-version": version,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "s3://elsewhere/n/t",
        "last-updated-ms": 1767225600000,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": list(fields)}],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "default-spec-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
        "properties": {},
        "current-snapshot-id": -1,
        "snapshots": [],
        **more,
    }


def current(**summary: str) -> Held:
    """A current snapshot with this summary."""
    snapshots = [
        {"snapshot-id": 3, "summary": {"operation": "append", "total-records": "1"}},
        {"snapshot-id": 7, "summary": {"operation": "append", **summary}},
    ]
    return {"current-snapshot-id": 7, "snapshots": snapshots}


def stored(folder: Path, content: Held, name: str = "v1.metadata.json") -> Path:
    """A table with one more metadata file."""
    place = folder / "metadata"
    place.mkdir(parents=True, exist_ok=True)
    raw = json.dumps(content).encode()
    (place / name).write_bytes(gzip.compress(raw) if ".gz" in name else raw)
    return folder


def query(sql: str, dialect: str = "spark") -> Held:
    return {"type": "sql", "sql": sql, "dialect": dialect}


def view(
    *fields: Held,
    queries: Sequence[Held] = (query("SELECT id FROM t"),),
    table: Held | None = None,
) -> Held:
    """What a metadata file says of a view; an older version of it had another column."""
    older = {"type": "struct", "schema-id": 0, "fields": [field(1, "older")]}
    versions = [
        {
            "version-id": number,
            "schema-id": number - 1,
            "timestamp-ms": 1767225600000,
            "summary": {"engine-name": "spark", "engine-version": "4.1.1"},
            "representations": list(queries),
            "default-catalog": "prod",
            "default-namespace": ["sales", "eu north"],
            **({} if table is None else {"storage-table": table}),
        }
        for number in (1, 2)
    ]
    return {
        "view-uuid": "fa6506c3-7681-40c8-86dc-e36561f83385",
        "format-version": 1,
        "location": "s3://elsewhere/n/v",
        "schemas": [older, {"type": "struct", "schema-id": 1, "fields": list(fields)}],
        "current-version-id": 2,
        "versions": versions,
        "version-log": [{"timestamp-ms": 1767225600000, "version-id": 2}],
        "properties": {"comment": "Orders of this year"},
    }
