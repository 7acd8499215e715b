"""A snapshot: the metadata of one dataset, in sections.

`storage` and `schema` hold what machines read and every scan rewrites. All other sections hold
what people and catalogs say, keyed by field path, so that the two never touch one line.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal

from lumos_snap.model.curated import (
    Contract,
    Documentation,
    Governance,
    Lineage,
    Ownership,
    Quality,
    Schedule,
)
from lumos_snap.model.names import FormatVersion, Moment, Platform, UrnText, Version
from lumos_snap.model.types import DataType, Definition, Field
from lumos_snap.shape import Json, Keyed, Maybe, Natural, Some, Text, Unordered, Value

Columns = Annotated[tuple[str, ...], Some()]


class DatasetKind(StrEnum):
    """What sort of thing a dataset is."""

    TABLE = "TABLE"
    VIEW = "VIEW"
    FILES = "FILES"
    TOPIC = "TOPIC"
    STREAM = "STREAM"
    MODEL = "MODEL"
    OTHER = "OTHER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition(DataType):
    """A column that the layout is divided by.

    Without `source` it comes from the path and stands in no field; with it, it is derived from a
    field by `transform`.
    """

    name: Text
    format: Maybe[Text] = None
    style: Maybe[Literal["hive", "path"]] = None
    source: Maybe[Text] = None
    transform: Maybe[Text] = None
    argument: Maybe[Natural] = None
    id: Maybe[Natural] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SortKey(Value):
    """One column that files are sorted by."""

    field: Text
    transform: Maybe[Text] = None
    direction: Maybe[Literal["ASC", "DESC"]] = None
    nulls: Maybe[Literal["FIRST", "LAST"]] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucketing(Value):
    """Rows spread over a fixed number of buckets by hash."""

    count: Natural
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage(Value):
    """Where and how the data lies. Machine-written."""

    format: Maybe[Text] = None
    location: Maybe[Text] = None
    id: Maybe[Text] = None
    file_format: Maybe[Text] = None
    compression: Maybe[Text] = None
    encoding: Maybe[Text] = None
    storage_class: Maybe[Text] = None
    encryption: Maybe[Text] = None
    reader_version: Maybe[Natural] = None
    writer_version: Maybe[Natural] = None
    column_mapping: Maybe[Text] = None
    description: Maybe[Text] = None
    definition: Maybe[Text] = None
    features: Annotated[tuple[str, ...], Unordered()] = ()
    partitioning: tuple[Partition, ...] = ()
    bucketing: Maybe[Bucketing] = None
    sorting: tuple[SortKey, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueKey(Value):
    """Columns whose values together never repeat."""

    columns: Columns
    name: Maybe[Text] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey(Value):
    """Columns that refer to another dataset's columns."""

    urn: UrnText
    columns: Columns
    to: tuple[str, ...] = ()
    name: Maybe[Text] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint(Value):
    """A condition that the source itself enforces."""

    name: Text
    expression: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema(Value):
    """What the columns are. Machine-written."""

    inferred: bool = False
    description: Maybe[Text] = None
    fields: tuple[Field, ...] = ()
    primary_key: tuple[str, ...] = ()
    unique: Annotated[tuple[UniqueKey, ...], Keyed("columns")] = ()
    foreign_keys: Annotated[tuple[ForeignKey, ...], Keyed("columns", "urn")] = ()
    constraints: Annotated[tuple[Constraint, ...], Keyed("name")] = ()
    definitions: Annotated[tuple[Definition, ...], Keyed("name")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Release(Value):
    """One released version of a dataset."""

    cloud_version: Maybe[Text] = None
    schema_version: Maybe[Version] = None
    released_at: Maybe[Moment] = None
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Versioning(Value):
    """Which version this is. Written by releases only; the newest entry of the history is last."""

    cloud_version: Maybe[Text] = None
    schema_version: Maybe[Version] = None
    history: tuple[Release, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Value):
    """The metadata of one dataset: one file."""

    lumos_version: FormatVersion
    urn: UrnText
    name: Text
    platform: Platform
    kind: Maybe[DatasetKind] = None
    environment: Maybe[Text] = None
    storage: Storage = field(default_factory=Storage)
    schema: Schema = field(default_factory=Schema)
    contract: Contract = field(default_factory=Contract)
    lineage: Lineage = field(default_factory=Lineage)
    ownership: Ownership = field(default_factory=Ownership)
    governance: Governance = field(default_factory=Governance)
    documentation: Documentation = field(default_factory=Documentation)
    quality: Quality = field(default_factory=Quality)
    schedule: Schedule = field(default_factory=Schedule)
    properties: Mapping[str, Json] = field(default_factory=dict)
    versioning: Versioning = field(default_factory=Versioning)
