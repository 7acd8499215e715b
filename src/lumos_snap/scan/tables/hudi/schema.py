"""Hudi schemas: a table's properties and its last write, as portable types."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import Part, Step, format_path
from lumos_snap.model.snapshot import Partition, Storage
from lumos_snap.model.types import Field, Kind
from lumos_snap.scan.formats.avro import schema as avro_schema
from lumos_snap.scan.formats.orc import schema as orc_schema
from lumos_snap.scan.formats.parquet import schema as parquet_schema
from lumos_snap.scan.schemas.supertype import DatasetSchema, TableFacts, parameters_of

Stored = JsonObject

_META = (
    "_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key",
    "_hoodie_partition_path", "_hoodie_file_name",
)  # fmt: skip
"""Columns that Hudi adds before the others in every file: queries can refer to them."""
_OPERATION = "_hoodie_operation"
_HAS_META, _HAS_OPERATION = "hoodie.populate.meta.fields", "hoodie.allow.operation.metadata.field"
_KEYS = "hoodie.table.recordkey.fields"
_DIVIDED_BY = "hoodie.table.partition.fields"
_DROPS = "hoodie.datasource.write.drop.partition.columns"
_IS_HIVE = "hoodie.datasource.write.hive_style_partitioning"
_FORMAT = "hoodie.table.base.file.format"
_TYPE, _CLASS = "hoodie.table.keygenerator.type", "hoodie.table.keygenerator.class"
_VERSION = "hoodie.table.version"
_TOLD = frozenset((_KEYS, _DIVIDED_BY, _IS_HIVE, _FORMAT, _VERSION))
"""Properties that a snapshot has in other keys."""


def schema_of(evidence: Stored) -> DatasetSchema:
    """Convert the evidence of a table; its columns are those of the last completed write."""
    properties: dict[str, str] = dict(evidence["properties"])
    made = _stated_schema(evidence)
    schema = made.schema
    fields = (*_meta(properties, schema.fields), *schema.fields)
    dropped = tuple(_dropped(properties, fields))
    fields = (*fields, *dropped)
    there = {one.name: one for one in fields}
    keys = [name for name in _split_names(properties.get(_KEYS)) if name.partition(".")[0] in there]
    partitioning = tuple(_partitioning(properties, there, frozenset(one.name for one in dropped)))
    return DatasetSchema(
        replace(schema, fields=fields, primary_key=tuple(map(_path, keys))),
        description=made.description,
        notes=made.notes,
        partitioning=partitioning,
        properties={name: one for name, one in properties.items() if name not in _TOLD},
        storage=Storage(
            file_format=properties.get(_FORMAT, "parquet").lower(),
            reader_version=_version(properties),
        ),
        table=TableFacts(version=evidence["instant"]),
    )


def _stated_schema(evidence: Stored) -> DatasetSchema:
    """Convert the schema of a write, or of a file that it wrote, which has Hudi's columns too."""
    if evidence["schema"] is not None:
        return avro_schema.schema_of(evidence["schema"])
    file = evidence["file"]
    made = _OF_FILES[file["format"]](json.loads(file["schema"]))
    return replace(made, notes=(_OF_FILE, *made.notes))


_OF_FILES: Mapping[str, Callable[[Stored], DatasetSchema]] = {
    "parquet": parquet_schema.schema_of,
    "orc": orc_schema.schema_of,
    "avro": avro_schema.schema_of,
}
_OF_FILE = "no write states a schema: that of a data file is described"


def _dropped(properties: Mapping[str, str], fields: Sequence[Field]) -> Iterator[Field]:
    """Yield the partition columns that stand in paths only; Hudi appends them as text."""
    if properties.get(_DROPS, "").lower() != "true":
        return
    there = {one.name for one in fields}
    for name in dict.fromkeys(one.partition(":")[0] for one in _fields_of_partitions(properties)):
        if name not in there and "." not in name:
            yield Field(name=name, type=Kind.STRING, nullable=True)


def _fields_of_partitions(properties: Mapping[str, str]) -> list[str]:
    return _split_names(properties.get(_DIVIDED_BY))


def _meta(properties: Mapping[str, str], fields: Sequence[Field]) -> Iterator[Field]:
    there = {one.name for one in fields}
    if properties.get(_HAS_META, "true").lower() == "false":
        return
    has_operation = properties.get(_HAS_OPERATION, "").lower() == "true"
    names = (*_META, *([_OPERATION] if has_operation else []))
    yield from (
        Field(name=name, type=Kind.STRING, nullable=True) for name in names if name not in there
    )


def _partitioning(
    properties: Mapping[str, str], there: Mapping[str, Field], dropped: frozenset[str]
) -> Iterator[Partition]:
    """Yield partitions by columns as they are, or by times formatted by a key generator."""
    of_times = properties.get(_TYPE, "").lower().startswith("timestamp")
    of_times |= "timestampbased" in properties.get(_CLASS, "").lower()
    style: Literal["hive", "path"] = (
        "hive" if properties.get(_IS_HIVE, "").lower() == "true" else "path"
    )
    for said in _fields_of_partitions(properties):
        name, _, kind = said.partition(":")
        found = there.get(name)
        if found is None:
            yield Partition(type=Kind.STRING, name=name, style=style)
        elif name not in dropped and (kind.lower() == "timestamp" or of_times):
            yield Partition(
                type=Kind.STRING, name=name, style=style, source=_path(name), transform="timestamp"
            )
        else:
            yield Partition(
                **parameters_of(found),
                name=name,
                style=style,
                source=_path(name),
                transform="identity",
            )


def _version(properties: Mapping[str, str]) -> int | None:
    said = properties.get(_VERSION, "")
    return int(said) if said.isascii() and said.isdigit() and len(said) <= _LONGEST else None


_LONGEST = 6


def _split_names(held: str | None) -> list[str]:
    return [one.strip() for one in (held or "").split(",") if one.strip()]


def _path(name: str) -> str:
    """Return the path of a column, or of a member: Hudi separates them with a dot."""
    return format_path(tuple(Part(Step.MEMBER, part) for part in name.split(".")))
