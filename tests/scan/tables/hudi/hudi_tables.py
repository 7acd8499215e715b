"""Hudi tables without Hudi: its files as its writers lay them out."""

import io
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

Held = dict[str, Any]

PROPERTIES = {
    "hoodie.table.name": "trips",
    "hoodie.table.type": "COPY_ON_WRITE",
    "hoodie.table.version": "6",
    "hoodie.timeline.layout.version": "1",
    "hoodie.table.recordkey.fields": "id",
    "hoodie.table.precombine.field": "ts",
    "hoodie.table.base.file.format": "PARQUET",
    "hoodie.populate.meta.fields": "true",
    "hoodie.table.partition.fields": "dt",
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.table.keygenerator.class": "org.apache.hudi.keygen.SimpleKeyGenerator",
    "hoodie.table.checksum": "3218451",
}
META = (
    "_hoodie_commit_time STRING", "_hoodie_commit_seqno STRING", "_hoodie_record_key STRING",
    "_hoodie_partition_path STRING", "_hoodie_file_name STRING",
)  # fmt: skip


def avro(*fields: Held) -> str:
    return json.dumps({"type": "record", "name": "trips", "fields": list(fields)})


def field(name: str, kind: Any = "long", **more: Any) -> Held:
    return {"name": name, "type": kind, **more}


TRIPS = avro(
    field("id"),
    field("name", ["null", "string"], default=None, doc="Who rode"),
    field("ts", {"type": "long", "logicalType": "timestamp-micros"}),
    field("dt", "string"),
)


def table(folder: Path, **changes: str | None) -> Path:
    """A table with these properties and no write yet."""
    place = folder / ".hoodie"
    place.mkdir(parents=True, exist_ok=True)
    renamed = {name.replace("__", "."): one for name, one in changes.items()}
    held = {**PROPERTIES, **renamed}
    lines = [f"{name}={one}" for name, one in held.items() if one is not None]
    text = "\n".join(("#Updated at 2026-01-15T10:00:00Z", "#Thu Jan 15", *lines))
    (place / "hoodie.properties").write_text(f"{text}\n")
    return folder


def stated(schema: str | None, operation: str = "UPSERT") -> Held:
    extra = {} if schema is None else {"schema": schema}
    writes = {"dt=a": [{"fileId": "f-0", "path": "dt=a/f.parquet", "numWrites": 3}]}
    return {
        "partitionToWriteStats": writes,
        "compacted": False,
        "extraMetadata": {**extra, "other": "x"},
        "operationType": operation,
    }


def write(
    folder: Path,
    instant: str,
    schema: str | None,
    action: str = "commit",
    operation: str = "UPSERT",
) -> Path:
    """A completed write, in the layout of versions up to six; what comes before it as well."""
    place = folder / ".hoodie"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{instant}.{action}.requested").touch()
    (place / f"{instant}.inflight").touch()
    (place / f"{instant}.{action}").write_text(json.dumps(stated(schema, operation)))
    return folder


def _maybe(*kinds: Any) -> list[Any]:
    return ["null", *kinds]


_STRING = {"type": "string", "avro.java.string": "String"}
_STAT = {
    "type": "record",
    "name": "HoodieWriteStat",
    "fields": [
        {"name": "fileId", "type": _maybe(_STRING), "default": None},
        {"name": "path", "type": _maybe(_STRING), "default": None},
        {"name": "numWrites", "type": _maybe("long"), "default": None},
        {"name": "ratio", "type": _maybe("double", "float"), "default": None},
        {"name": "kind", "type": {"type": "enum", "name": "K", "symbols": ["A", "B"]}},
        {"name": "mark", "type": {"type": "fixed", "name": "M", "size": 2}},
        {"name": "again", "type": "K"},
    ],
}
_COMMIT = {
    "type": "record",
    "name": "HoodieCommitMetadata",
    "namespace": "org.apache.hudi.avro.model",
    "fields": [
        {
            "name": "partitionToWriteStats",
            "type": _maybe({"type": "map", "values": {"type": "array", "items": _STAT}}),
            "default": None,
        },
        {"name": "compacted", "type": _maybe("boolean"), "default": None},
        {
            "name": "extraMetadata",
            "type": _maybe({"type": "map", "values": _STRING, "default": None}),
            "default": None,
        },
        {"name": "version", "type": ["int", "null"], "default": 1},
        {"name": "operationType", "type": _maybe(_STRING), "default": None},
    ],
}


def in_avro(held: Held, codec: str = "null") -> bytes:
    """What was stated, as tables of version eight keep it."""
    stat = {
        "fileId": "f-0", "path": "ü", "numWrites": -3, "ratio": 0.5, "kind": "B", "mark": b"xy",
        "again": "A",
    }  # fmt: skip
    target = io.BytesIO()
    record = {**held, "partitionToWriteStats": {"dt=a": [stat, stat], "": []}, "version": 1}
    fastavro.writer(target, fastavro.parse_schema(_COMMIT), [record], codec=codec)
    return target.getvalue()


def write_8(
    folder: Path, began: str, ended: str, schema: str | None, *, action: str = "commit",
    operation: str = "UPSERT", codec: str = "null",
) -> Path:  # fmt: skip
    """A completed write, in the layout since version eight."""
    place = folder / ".hoodie" / "timeline"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{began}.{action}.requested").touch()
    content = in_avro(stated(schema, operation), codec)
    (place / f"{began}_{ended}.{action}").write_bytes(content)
    return folder


def instants(*days: int) -> Sequence[str]:
    return [f"202601{day:02}000000000" for day in days]


def data_file(folder: Path, path: str, *names: str) -> Path:
    """A base file as Hudi writes it, with its own columns first, in Parquet or ORC."""
    hudis = [one.split()[0] for one in META]
    values = pa.table({**{name: ["x"] for name in hudis}, **{name: [1] for name in names}})
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    (orc.write_table if path.endswith(".orc") else pq.write_table)(values, place)
    return place


def write_bare(
    folder: Path, instant: str, *files: str, action: str = "commit", extra: Any = None
) -> Path:
    """A completed write as old writers leave it: without extra metadata."""
    place = folder / ".hoodie"
    place.mkdir(parents=True, exist_ok=True)
    stats = [{"fileId": f"f-{n}", "path": path} for n, path in enumerate(files)]
    content = {"partitionToWriteStats": {"dt=a": stats}, "extraMetadata": extra or {}}
    (place / f"{instant}.{action}").write_text(json.dumps({**content, "operationType": "UPSERT"}))
    return folder


def block(kind: int, **header: str) -> bytes:
    """A block of a log file, of the newest layout."""
    numbers = {"instant": 0, "schema": 2}
    entries = b"".join(
        struct.pack(">ii", numbers[name], len(text.encode())) + text.encode()
        for name, text in header.items()
    )
    inner = struct.pack(">iii", 1, kind, len(header)) + entries
    content, footer = b"content of " * 9, struct.pack(">i", 0)
    inner += struct.pack(">q", len(content)) + content + footer
    length = len(inner) + 8
    return b"#HUDI#" + struct.pack(">q", length) + inner + struct.pack(">q", length + 14)
