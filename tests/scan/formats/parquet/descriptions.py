"""What probe and mapping together make of the bytes of a file."""

import json

from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import DataType, Field
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.parquet import probe as parquet_probe
from lumos_snap.scan.formats.parquet.schema import schema_of
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.stores.store import RangedFile


def as_file(data: bytes) -> RangedFile:
    return RangedFile(len(data), lambda offset, length: data[offset : offset + length])


def probed(data: bytes) -> ProbeResult:
    return parquet_probe.probe(as_file(data))


def described(data: bytes) -> DatasetSchema:
    return schema_of(json.loads(probed(data).schema))


def fields(data: bytes) -> dict[str, Field]:
    return {one.name: one for one in described(data).schema.fields}


def line(one: DataType) -> str:
    """A type as people write it, with what the notation leaves out behind it."""
    words = [format_type(one)]
    if isinstance(one, Field) and not one.nullable:
        words.append("NOT NULL")
    words += [f"as {one.physical}"] if one.physical else []
    words += [f"native {one.native}"] if one.native and one.type != "UNKNOWN" else []
    return " ".join(words)


def types(data: bytes) -> dict[str, str]:
    return {name: line(one) for name, one in fields(data).items()}
