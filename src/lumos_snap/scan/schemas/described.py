"""What one kind of file says of a dataset, in portable types."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lumos_snap.model.snapshot import Schema


@dataclass(frozen=True, slots=True)
class Described:
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
