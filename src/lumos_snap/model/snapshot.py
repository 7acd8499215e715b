"""A snapshot: the metadata of one dataset, in sections.

`storage` and `schema` hold source metadata, which a scan may rewrite at any time. All other
sections hold curated metadata, keyed by field path, so that the two never share a line.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Annotated, Literal

from lumos_snap.model.contract import Contract, Quality, Schedule
from lumos_snap.model.curated_metadata import Documentation, Governance, Ownership
from lumos_snap.model.lineage import Lineage
from lumos_snap.model.scalars import (
    Columns,
    FormatVersion,
    Moment,
    OwnUrn,
    PathText,
    Platform,
    UrnText,
    Version,
    Words,
)
from lumos_snap.model.types import DataType, Definition, Field, FieldId
from lumos_snap.schema import Json, Keyed, Maybe, Natural, Some, Text, Value, value_class


class DatasetKind(StrEnum):
    """The kind of a dataset."""

    TABLE = "TABLE"
    VIEW = "VIEW"
    FILES = "FILES"
    TOPIC = "TOPIC"
    STREAM = "STREAM"
    MODEL = "MODEL"
    OTHER = "OTHER"


@value_class
class Partition(DataType):
    """A partition column.

    Without `source` its values come from the path and it is not in `schema.fields`; with `source`,
    it is derived from that field by `transform`.
    """

    name: Annotated[Text, "the name of the partition column"]
    format: Annotated[Maybe[Text], "how the path writes its values, as in yyyy/MM/dd"] = None
    style: Annotated[
        Maybe[Literal["hive", "path"]], "how it stands in the path: `day=2026-01-15`, or bare"
    ] = None
    source: Annotated[Maybe[PathText], "the field that it is derived from"] = None
    transform: Annotated[Maybe[Text], "how it is derived, as in day, bucket or truncate"] = None
    argument: Annotated[Maybe[Natural], "the number of buckets, or the width to truncate to"] = None
    inferred: Annotated[bool, "whether its type was guessed from values in the path"] = False
    id: FieldId = None


@value_class
class SortKey(Value):
    """One column of the sort order of files."""

    field: Annotated[PathText, "the field that is sorted by"]
    transform: Annotated[Maybe[Text], "what is sorted by instead of the value, as in day"] = None
    direction: Annotated[Maybe[Literal["ASC", "DESC"]], "from small to large, or from large"] = None
    nulls: Annotated[Maybe[Literal["FIRST", "LAST"]], "where rows without a value stand"] = None


@value_class
class Bucketing(Value):
    """The distribution of rows over a fixed number of buckets by hash."""

    count: Annotated[Natural, "how many buckets there are"]
    columns: Annotated[Columns, "the fields that are hashed, in this order"] = ()


@value_class
class Storage(Value):
    """The location and layout of the data. Written by scans."""

    format: Annotated[Maybe[Text], "the format of the dataset, as in parquet, delta or avro"] = None
    location: Annotated[Maybe[Text], "where the data lies, without credentials"] = None
    files: Annotated[
        Maybe[Text], "which files below the location belong to it, where others lie there too"
    ] = None
    id: Annotated[Maybe[Text], "the id that the store gave it, which survives a rename"] = None
    file_format: Annotated[Maybe[Text], "the format of the files inside a table format"] = None
    compression: Annotated[Maybe[Text], "the codec that writers are told to use"] = None
    encoding: Annotated[Maybe[Text], "the character encoding of text files"] = None
    storage_class: Annotated[Maybe[Text], "the tier of the object store"] = None
    encryption: Annotated[Maybe[Text], "how the data is encrypted where it lies"] = None
    reader_version: Annotated[Maybe[Natural], "the protocol that a reader must know"] = None
    writer_version: Annotated[Maybe[Natural], "the protocol that a writer must know"] = None
    column_mapping: Annotated[Maybe[Text], "how columns are found in files: by name or id"] = None
    description: Annotated[Maybe[Text], "what the source says of the table"] = None
    definition: Annotated[Maybe[Text], "the query of a view"] = None
    features: Annotated[Words, "the table features that readers and writers need"] = ()
    partitioning: Annotated[tuple[Partition, ...], "what divides the layout, outermost first"] = ()
    bucketing: Annotated[Maybe[Bucketing], "how rows are spread by hash"] = None
    sorting: Annotated[tuple[SortKey, ...], "what files are sorted by, first key first"] = ()
    options: Annotated[
        Mapping[str, str], "what a reader must be told, as in a CSV file's delimiter"
    ] = field(default_factory=dict)
    properties: Annotated[Mapping[str, Json], "what else the store says, by name"] = field(
        default_factory=dict
    )


@value_class
class UniqueKey(Value):
    """Columns whose combined values are unique."""

    columns: Annotated[Columns, Some(), "the fields that never repeat together"]
    name: Annotated[Maybe[Text], "the name of the constraint"] = None


@value_class
class ForeignKey(Value):
    """Columns that refer to columns of another dataset."""

    urn: Annotated[UrnText, "the dataset that is referred to"]
    columns: Annotated[Columns, Some(), "the fields of this dataset that refer to it"]
    to: Annotated[Columns, "the fields there, in the same order; left out: its primary key"] = ()
    name: Annotated[Maybe[Text], "the name of the constraint"] = None


@value_class
class Constraint(Value):
    """A constraint that the source itself enforces."""

    name: Annotated[Text, "the name of the constraint"]
    expression: Annotated[Text, "what must hold, in the source's own language"]


@value_class
class Schema(Value):
    """The columns and keys. Written by scans."""

    inferred: Annotated[bool, "whether types were guessed from data, as for CSV and JSON"] = False
    description: Annotated[Maybe[Text], "what the source says of the schema"] = None
    fields: Annotated[tuple[Field, ...], "the columns, in stored order"] = ()
    key_fields: Annotated[
        tuple[Field, ...], "the fields of a message's key, where a topic has a schema for it"
    ] = ()
    primary_key: Annotated[Columns, "the fields that identify a row, in this order"] = ()
    unique: Annotated[
        tuple[UniqueKey, ...], Keyed("columns"), "other fields that never repeat together"
    ] = ()
    foreign_keys: Annotated[
        tuple[ForeignKey, ...], Keyed("columns", "urn"), "fields that refer to other datasets"
    ] = ()
    constraints: Annotated[
        tuple[Constraint, ...], Keyed("name"), "conditions that the source enforces"
    ] = ()
    definitions: Annotated[
        tuple[Definition, ...], Keyed("name"), "named types, for types that contain themselves"
    ] = ()


@value_class
class Release(Value):
    """One released version of a dataset."""

    cloud_version: Annotated[Maybe[Text], "the release of the whole tree, as in S-312"] = None
    schema_version: Annotated[Maybe[Version], "the version of this dataset in it"] = None
    released_at: Annotated[Maybe[Moment], "when the released commit was made"] = None
    bump: Annotated[
        Maybe[Literal["major", "minor", "patch"]], "the step from the version before"
    ] = None
    tag: Annotated[Maybe[Text], "the git tag of the release"] = None
    changes: Annotated[tuple[str, ...], "what changed, a line each"] = ()


@value_class
class Versioning(Value):
    """The version of the dataset. Written by releases only; the newest history entry is last."""

    cloud_version: Annotated[Maybe[Text], "the last release in which it changed"] = None
    schema_version: Annotated[Maybe[Version], "its version as of that release"] = None
    history: Annotated[tuple[Release, ...], "the releases in which it changed, newest last"] = ()


@value_class
class Snapshot(Value):
    """The metadata of one dataset, stored in one file."""

    lumos_version: Annotated[FormatVersion, "the version of the format of this document"]
    urn: Annotated[OwnUrn, "the identity of the dataset: the path of the file follows from it"]
    name: Annotated[Text, "the last name in the urn"]
    platform: Annotated[Platform, "the first name in the urn: what stores the data"]
    kind: Annotated[Maybe[DatasetKind], "what sort of thing it is"] = None
    environment: Annotated[Maybe[Text], "the tree's environment, as in PROD"] = None
    storage: Annotated[Storage, "where and how the data lies; machines write it"] = field(
        default_factory=Storage
    )
    schema: Annotated[Schema, "what the columns are; machines write it"] = field(
        default_factory=Schema
    )
    contract: Annotated[Contract, "what consumers may rely on"] = field(default_factory=Contract)
    lineage: Annotated[Lineage, "where the data comes from"] = field(default_factory=Lineage)
    ownership: Annotated[Ownership, "who answers for it"] = field(default_factory=Ownership)
    governance: Annotated[Governance, "how it must be treated"] = field(default_factory=Governance)
    documentation: Annotated[Documentation, "what people say about it"] = field(
        default_factory=Documentation
    )
    quality: Annotated[Quality, "what is checked about the data"] = field(default_factory=Quality)
    schedule: Annotated[Schedule, "when it is made, and what is promised over time"] = field(
        default_factory=Schedule
    )
    properties: Annotated[Mapping[str, Json], "what else people and catalogs say, by name"] = field(
        default_factory=dict
    )
    versioning: Annotated[Versioning, "which version this is; releases write it"] = field(
        default_factory=Versioning
    )
