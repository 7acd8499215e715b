"""Samples as Avro files, and the schemas that readers are told."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import fastavro

from tests.engines.samples import SAMPLES, Sample
from tests.engines.values import DAY, Value, value

_NAMES = (
    "BOOLEAN", "INT32", "INT64", "FLOAT32", "FLOAT64", "DECIMAL(9,0)", "DECIMAL(9,2)",
    "DECIMAL(10,2)", "DECIMAL(12,2)", "DECIMAL(12,4)",
    "DECIMAL(38,10)", "STRING", "BINARY", "FIXED(4)", "FIXED(16)", "UUID", "DATE", "TIME(ms)",
    "TIME(us)", "TIMESTAMP(ms)", "TIMESTAMP(us)", "TIMESTAMP(ns)", "TIMESTAMP(ms,UTC)",
    "TIMESTAMP(us,UTC)", "TIMESTAMP(ns,UTC)", "NULL", "ARRAY", "MAP", "STRUCT",
)  # fmt: skip
_ENUM = Sample("ENUM", {"type": "ENUM", "symbols": ["red"]}, (value("red"),))

AVRO: Sequence[Sample] = (*(SAMPLES[name] for name in _NAMES), _ENUM)
"""What Avro has a type of its own for; the rest it stores as an int, a long, a string …"""

_STEP = {"ms": 10**6, "us": 1000, "ns": 1}
_LONG = {"ms": "millis", "us": "micros", "ns": "nanos"}
_FLAT: Mapping[str, Any] = {
    "BOOLEAN": "boolean",
    "INT32": "int",
    "INT64": "long",
    "FLOAT32": "float",
    "FLOAT64": "double",
    "STRING": "string",
    "BINARY": "bytes",
    "NULL": "null",
    "DATE": {"type": "int", "logicalType": "date"},
    "UUID": {"type": "string", "logicalType": "uuid"},
    "ENUM": {"type": "enum", "name": "e", "symbols": ["red"]},
    "ARRAY": {"type": "array", "items": "int"},
    "MAP": {"type": "map", "values": "int"},
    "STRUCT": {"type": "record", "name": "s", "fields": [{"name": "a", "type": "int"}]},
}


def avro_type(sample: Sample) -> Any:
    """The type that Avro has for a sample."""
    given = sample.type
    match given["type"]:
        case "DECIMAL":
            sizes = {name: given[name] for name in ("precision", "scale")}
            return {"type": "bytes", "logicalType": "decimal", **sizes}
        case "FIXED":
            # One name for both: readers compare names before sizes.
            return {"type": "fixed", "name": "f", "size": given["length"]}
        case "TIME":
            base = "int" if given["unit"] == "ms" else "long"
            return {"type": base, "logicalType": f"time-{_LONG[given['unit']]}"}
        case "TIMESTAMP":
            prefix = "" if "timezone" in given else "local-"
            return {"type": "long", "logicalType": f"{prefix}timestamp-{_LONG[given['unit']]}"}
        case kind:
            return _FLAT[kind]


def schema(sample: Sample) -> Any:
    """A record with one field of the type."""
    return {"type": "record", "name": "r", "fields": [{"name": "c", "type": avro_type(sample)}]}


def write_each(folder: Path, sample: Sample) -> list[Path]:
    """A file for each value: one that is refused must not hide another that is changed."""
    paths = []
    for number, one in enumerate(sample.values):
        path = folder / f"{sample.name}.{number}.avro"
        with path.open("wb") as file:
            fastavro.writer(file, schema(sample), [{"c": _stored(one, sample)}])
        paths.append(path)
    return paths


def _stored(one: Value, sample: Sample) -> Any:
    """A value as fastavro writes it: counts for times, so that Python's limits do not matter."""
    raw: Any = one.key
    match one.family:
        case "number":
            return _number(raw, sample)
        case "octets":
            return _octets(raw, sample)
        case "time" | "local" | "instant":
            return raw // _STEP.get(sample.type.get("unit", ""), DAY)
        case "list" | "map":
            return _nested(raw, sample)
        case _:
            return raw


def _octets(raw: bytes, sample: Sample) -> Any:
    if sample.name == "UUID":
        return str(UUID(bytes=raw))
    return raw.decode() if sample.type["type"] in ("STRING", "ENUM") else raw


def _nested(raw: Sequence[Any], sample: Sample) -> Any:
    if sample.name == "MAP":
        pairs = zip(raw[::2], raw[1::2], strict=True)
        return {name.key.decode(): int(one.key) for name, one in pairs}
    inside = [int(item.key) for item in raw]
    return {"a": inside[0]} if sample.name == "STRUCT" else inside


def _number(raw: Fraction, sample: Sample) -> Any:
    kind = sample.type["type"]
    if kind == "DECIMAL":
        return Decimal(f"{int(raw * 10 ** sample.type['scale'])}E-{sample.type['scale']}")
    return float(raw) if kind in ("FLOAT32", "FLOAT64") else int(raw)
