"""What one kind of file, or the log of one table, says of a dataset, in portable types."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lumos_snap.model.snapshot import Partition, Schema, Storage
from lumos_snap.schema import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """What a table says of itself as it is now: for its observation, never for its snapshot."""

    version: str | None = None
    """The version or snapshot that is described."""
    files: int | None = None
    bytes: int | None = None
    properties: Mapping[str, Json] = field(default_factory=dict)
    """What else was read, by name."""


@dataclass(frozen=True, slots=True)
class DatasetSchema:
    """A schema, what a reader must be told, and what a person should know of how it was found."""

    schema: Schema
    options: Mapping[str, str] = field(default_factory=dict)
    """For `storage.options`, as in a CSV file's delimiter."""
    encoding: str | None = None
    """For `storage.encoding`, of text files."""
    description: str | None = None
    """For `storage.description`: what the source says of the whole."""
    notes: tuple[str, ...] = ()
    """A sentence each, without data values: what was not sure, what was left out."""
    partitioning: tuple[Partition, ...] | None = None
    """What divides the layout, where the source itself says it; else paths do."""
    properties: Mapping[str, Json] = field(default_factory=dict)
    """For `storage.properties`."""
    storage: Storage | None = None
    """The other keys of `storage`, where a table says how it is stored."""
    table: TableFacts | None = None
    """Set where a table's log speaks, and not files that happen to lie there."""
