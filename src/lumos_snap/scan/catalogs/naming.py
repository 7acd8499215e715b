"""Which catalog the path of a source means: `spark:DATABASE`, `iceberg:NAME`."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.scan.catalogs.catalog import Catalog
from lumos_snap.scan.catalogs.iceberg import IcebergCatalog
from lumos_snap.scan.catalogs.spark import SparkCatalog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Session = Callable[[], "SparkSession"]
"""Starts Spark where it does not run yet."""


class NamedCatalog(NamedTuple):
    """A catalog as a path means it."""

    kind: str
    """The platform of its datasets."""
    rest: str

    @property
    def path(self) -> str:
        """How people write it."""
        return f"{self.kind}:{self.rest}"

    def opened(self, session: Session) -> Catalog:
        """The catalog, ready to be listed."""
        return _KINDS[self.kind](self.rest, session)


def catalog_of(path: str) -> NamedCatalog | None:
    """The catalog that a path means; nothing where it is a folder or a URL."""
    kind, colon, rest = path.partition(":")
    return NamedCatalog(kind, rest) if colon and kind in _KINDS else None


_KINDS: Mapping[str, Callable[[str, Session], Catalog]] = {
    "spark": lambda rest, session: SparkCatalog.at(rest).on(session()),
    "iceberg": lambda rest, _: IcebergCatalog(rest),
}
