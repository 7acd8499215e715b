"""What is seen of a file: probed, described, and judged as a snapshot."""

from collections.abc import Mapping
from typing import Any

import lumos_snap
from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical import read
from lumos_snap.model.snapshot import Schema, Snapshot, Storage
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import Field
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.stores.store import RangedFile


def file_of(data: bytes) -> RangedFile:
    """A file in memory."""
    return RangedFile(len(data), lambda offset, length: data[offset : offset + length])


def columns(described: DatasetSchema) -> dict[str, str]:
    """The columns in the notation, of a description that is proven to make a valid snapshot."""
    assert problems(described.schema) == ()
    return {field.name: noted(field) for field in described.schema.fields}


def noted(field: Field) -> str:
    """A column's type, and whether it is required."""
    return format_type(field) + ("" if field.nullable else " NOT NULL")


def problems(schema: Schema) -> tuple[Any, ...]:
    """What is wrong with a snapshot that has this schema."""
    snapshot = Snapshot(
        lumos_version=FORMAT_VERSION,
        urn="lumos://file/t/x",
        name="x",
        platform="file",
        schema=schema,
        storage=Storage(format="orc"),  # as of a file: it may have two columns of one name
    )
    raw = lumos_snap.encode(snapshot)
    found = read.read(raw, Snapshot)
    assert found.problems or found.value == snapshot
    return found.problems


def field(described: DatasetSchema, name: str) -> Field:
    """One column."""
    return next(one for one in described.schema.fields if one.name == name)


Evidence = Mapping[str, Any]
