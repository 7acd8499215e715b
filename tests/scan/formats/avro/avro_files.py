"""Avro files, and what is seen of them."""

import io
import json
from collections.abc import Iterable
from typing import Any

import fastavro

from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.avro import probe as avro_probe
from lumos_snap.scan.formats.avro.schema import schema_of
from lumos_snap.scan.schemas.supertype import DatasetSchema
from tests.scan.formats.orc.descriptions import columns, file_of


def written(schema: Any, rows: Iterable[Any] = (), **options: Any) -> bytes:
    """A file that fastavro writes."""
    sink = io.BytesIO()
    fastavro.writer(sink, schema, list(rows), **options)
    return sink.getvalue()


def number(value: int) -> bytes:
    """A number as Avro writes it."""
    raw = (value << 1) ^ (value >> 63)
    found = bytearray()
    while raw > 0x7F:
        found.append(raw & 0x7F | 0x80)
        raw >>= 7
    return bytes((*found, raw))


def text(held: bytes) -> bytes:
    """Bytes behind their length."""
    return number(len(held)) + held


def header(schema: Any, **more: bytes) -> bytes:
    """A file without rows, by hand: whatever the schema is."""
    raw = schema if isinstance(schema, bytes) else json.dumps(schema).encode()
    entries = {"avro.schema": raw, **{f"avro.{name}": held for name, held in more.items()}}
    block = b"".join(text(key.encode()) + text(held) for key, held in entries.items())
    return avro_probe.MAGIC + number(len(entries)) + block + number(0) + bytes(16)


def probed(data: bytes) -> ProbeResult:
    """What the probe says."""
    return avro_probe.probe(file_of(data))


def described(data: bytes) -> DatasetSchema:
    """What is made of what the probe says."""
    return schema_of(json.loads(probed(data).schema))


def record(*fields: Any, **more: Any) -> dict[str, Any]:
    """A record of fields, or of types for fields `c0`, `c1`…"""
    listed = [
        one
        if isinstance(one, dict) and "name" in one and "type" in one and _is_field(one)
        else {"name": f"c{index}", "type": one}
        for index, one in enumerate(fields)
    ]
    return {"type": "record", "name": "r", "fields": listed, **more}


def _is_field(one: dict[str, Any]) -> bool:
    return not {"fields", "symbols", "size"} & one.keys()


def column(kind: Any, **more: Any) -> dict[str, Any]:
    """A record with one column, `c`."""
    return record({"name": "c", "type": kind, **more})


def seen(kind: Any) -> str:
    """What is made of a type as the one column of a file that fastavro writes."""
    return columns(described(written(column(kind))))["c"]
