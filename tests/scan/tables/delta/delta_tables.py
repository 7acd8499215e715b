"""Delta tables: what delta-rs says of real ones, and logs written line by line."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from lumos_snap.model.types import DataType, Field, Kind

Action = dict[str, Any]

_NAMES = {
    Kind.BOOLEAN: "boolean", Kind.INT8: "byte", Kind.INT16: "short", Kind.INT32: "integer",
    Kind.INT64: "long", Kind.FLOAT32: "float", Kind.FLOAT64: "double", Kind.STRING: "string",
    Kind.BINARY: "binary", Kind.DATE: "date",
}  # fmt: skip


def as_spark(fields: Sequence[Field]) -> list[dict[str, Any]]:
    """Columns in the JSON that Delta writes them in, without what stands beside types."""
    return [{"name": one.name, "type": _spark(one), "nullable": one.nullable} for one in fields]


def _spark(one: DataType) -> Any:
    match one.type:
        case Kind.STRUCT:
            return {"type": "struct", "fields": as_spark(one.fields)}
        case Kind.ARRAY:
            assert one.element
            flag = one.element.nullable
            return {"type": "array", "elementType": _spark(one.element), "containsNull": flag}
        case Kind.MAP:
            assert one.key
            assert one.value
            key, value = _spark(one.key), _spark(one.value)
            flag = one.value.nullable
            return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": flag}
        case Kind.TIMESTAMP:
            return "timestamp" if one.timezone == "UTC" else "timestamp_ntz"
        case Kind.DECIMAL:
            return f"decimal({one.precision},{one.scale})"
        case _:
            return _NAMES[one.type]


def by_delta_rs(table: DeltaTable) -> list[dict[str, Any]]:
    """What delta-rs says of the columns, in the same form."""
    found: list[dict[str, Any]] = _bare(json.loads(table.schema().to_json()))["fields"]
    return found


def _bare(held: Any) -> Any:
    if isinstance(held, dict):
        return {name: _bare(one) for name, one in held.items() if name != "metadata"}
    return [_bare(one) for one in held] if isinstance(held, list) else held


def column(name: str, kind: Any = "long", *, nullable: Any = True, **metadata: Any) -> Action:
    return {"name": name, "type": kind, "nullable": nullable, "metadata": metadata}


def struct(*fields: Action) -> Action:
    return {"type": "struct", "fields": list(fields)}


def metadata(*fields: Action, partitioning: Any = (), **more: Any) -> Action:
    held = {
        "id": "5fba94ed-9794-4965-ba6e-6ee3c0d22af9",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps(struct(*fields)),
        "partitionColumns": list(partitioning),
        "configuration": {},
        "createdTime": 1767225600000,
        **more,
    }
    return {"metaData": held}


def protocol(
    versions_read: int = 1, versions_written: int = 2, /, **features: Sequence[str]
) -> Action:
    named = {f"{who}Features": list(held) for who, held in features.items()}
    return {
        "protocol": {
            "minReaderVersion": versions_read,
            "minWriterVersion": versions_written,
            **named,
        }
    }


def add(path: str, size: int = 100, rows: int | None = 10, **more: Any) -> Action:
    stats = {} if rows is None else {"stats": json.dumps({"numRecords": rows})}
    return {
        "add": {"path": path, "size": size, "partitionValues": {}, "dataChange": True,
                "modificationTime": 0, **stats, **more}
    }  # fmt: skip


def remove(path: str, **more: Any) -> Action:
    return {"remove": {"path": path, "dataChange": True, **more}}


def vector(offset: int = 1, rows: int = 3) -> Action:
    held = {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^", "sizeInBytes": 36}
    return {"deletionVector": {**held, "offset": offset, "cardinality": rows}}


CREATED = (protocol(), metadata(column("id")))


def lines(*actions: Action) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in actions)


def log(folder: Path, *commits: Sequence[Action], first: int = 0) -> Path:
    """A table whose log has these commits."""
    place = folder / "_delta_log"
    place.mkdir(parents=True, exist_ok=True)
    for version, actions in enumerate(commits, first):
        (place / f"{version:020}.json").write_bytes(lines(*actions))
    return folder


_STRINGS = pa.map_(pa.string(), pa.string())
_VECTOR = pa.struct(
    {"storageType": pa.string(), "pathOrInlineDv": pa.string(), "offset": pa.int32(),
     "sizeInBytes": pa.int32(), "cardinality": pa.int64()}
)  # fmt: skip
_PARSED = pa.struct({"numRecords": pa.int64(), "minValues": pa.struct({"id": pa.int64()})})
_ACTIONS: Mapping[str, pa.DataType] = {
    "metaData": pa.struct(
        {"id": pa.string(), "name": pa.string(), "description": pa.string(),
         "format": pa.struct({"provider": pa.string(), "options": _STRINGS}),
         "schemaString": pa.string(), "partitionColumns": pa.list_(pa.string()),
         "configuration": _STRINGS, "createdTime": pa.int64()}
    ),
    "protocol": pa.struct(
        {"minReaderVersion": pa.int32(), "minWriterVersion": pa.int32(),
         "readerFeatures": pa.list_(pa.string()), "writerFeatures": pa.list_(pa.string())}
    ),
    "add": pa.struct(
        {"path": pa.string(), "partitionValues": _STRINGS, "size": pa.int64(),
         "modificationTime": pa.int64(), "dataChange": pa.bool_(), "stats": pa.string(),
         "stats_parsed": _PARSED, "deletionVector": _VECTOR}
    ),
    "remove": pa.struct({"path": pa.string(), "deletionTimestamp": pa.int64()}),
    "txn": pa.struct({"appId": pa.string(), "version": pa.int64()}),
    "domainMetadata": pa.struct(
        {"domain": pa.string(), "configuration": pa.string(), "removed": pa.bool_()}
    ),
    "checkpointMetadata": pa.struct({"version": pa.int64()}),
    "sidecar": pa.struct(
        {"path": pa.string(), "sizeInBytes": pa.int64(), "modificationTime": pa.int64()}
    ),
}  # fmt: skip


def checkpoint(path: Path, *actions: Action, parsed: bool = False) -> Path:
    """A checkpoint, or a sidecar, in Parquet; `parsed` statistics are columns of their own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{name: dict(one.get(name, {})) or None for name in _ACTIONS} for one in actions]
    for row in rows:
        stats = (row["add"] or {}).get("stats")
        if parsed and row["add"] and stats:
            row["add"] = {**row["add"], "stats": None, "stats_parsed": json.loads(stats)}
    kinds = dict(_ACTIONS)
    if not parsed:
        kinds["add"] = pa.struct([one for one in kinds["add"] if one.name != "stats_parsed"])
    columns = {name: pa.array([row[name] for row in rows], kind) for name, kind in kinds.items()}
    pq.write_table(pa.table(columns), path)
    return path
