"""The schema of one kind of file, or of one table's log, in portable types."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lumos_snap.model.snapshot import Partition, Schema, Storage
from lumos_snap.schema import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """Current facts about a table: for its observation, never for its snapshot."""

    version: str | None = None
    """The version or snapshot that is described."""
    files: int | None = None
    bytes: int | None = None
    properties: Mapping[str, Json] = field(default_factory=dict)
    """Other facts, by name."""


@dataclass(frozen=True, slots=True)
class DatasetSchema:
    """A schema, with read options for readers and notes for people."""

    schema: Schema
    options: Mapping[str, str] = field(default_factory=dict)
    """For `storage.options`, such as a CSV file's delimiter."""
    encoding: str | None = None
    """For `storage.encoding`, of text files."""
    description: str | None = None
    """For `storage.description`: the source's description of the dataset."""
    notes: tuple[str, ...] = ()
    """Sentences without data values about what is uncertain or left out."""
    partitioning: tuple[Partition, ...] | None = None
    """Partition columns, if the source declares them; otherwise paths determine them."""
    properties: Mapping[str, Json] = field(default_factory=dict)
    """For `storage.properties`."""
    storage: Storage | None = None
    """The other keys of `storage`, if a table has them."""
    table: TableFacts | None = None
    """Set for a table with a log or a catalog, not for plain files."""
