"""What a catalog is: a place that lists tables and says what each of them is."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lumos_snap.scan.stores.store import Trouble

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


Names = tuple[str, ...]
"""The names of a table below its catalog, outermost first: databases, then the table."""

Wants = Callable[[Names], bool]
"""Whether a table is asked for."""


class CatalogTable(NamedTuple):
    """A table that its catalog describes."""

    names: Names
    format: str
    """A key of `schemas.registry.SCHEMAS`: who knows what the evidence means."""
    schema: str
    """JSON text: what the catalog says of the table. No data values, no credentials."""
    rows: int | None
    version: str
    """The version of the table format, where it has one."""
    location: str | None
    """Where its data lies, without credentials."""
    tag: str
    """Changes whenever the description may have changed."""


class TableCatalog(Protocol):
    """Where tables are described."""

    def tables(self, wants: Wants) -> Iterator[CatalogTable | Trouble]:
        """Every table that is asked for, and what could not be described."""
        ...


Session = Callable[[], "SparkSession"]
"""Starts Spark where it does not run yet."""
