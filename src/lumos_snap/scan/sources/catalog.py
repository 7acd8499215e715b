"""The interface of catalogs, which list and describe tables."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lumos_snap.scan.stores.store import Trouble

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


Names = tuple[str, ...]
"""The names of a table within its catalog, outermost first: databases, then the table."""

Wants = Callable[[Names], bool]
"""Whether a table is selected."""


class CatalogTable(NamedTuple):
    """A table that its catalog describes."""

    names: Names
    format: str
    """A key of `formats.registry.SCHEMAS`, which determines how to read the evidence."""
    schema: str
    """JSON text: the catalog's description of the table. No data values, no credentials."""
    rows: int | None
    version: str
    """The version of the table format, if it has one."""
    location: str | None
    """The location of its data, without credentials."""
    tag: str
    """Changes whenever the description may have changed."""


class TableCatalog(Protocol):
    """A place that describes tables."""

    def tables(self, wants: Wants) -> Iterator[CatalogTable | Trouble]:
        """Yield every selected table, and a trouble for each that could not be described."""
        ...


Session = Callable[[], "SparkSession"]
"""Returns a Spark session, started if needed."""
