"""The catalogs that a source can name: `spark:DATABASE`, `iceberg:NAME`."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from lumos_snap.scan.sources.catalog import Session, TableCatalog
from lumos_snap.scan.sources.iceberg_catalog import IcebergCatalog
from lumos_snap.scan.sources.spark_catalog import SparkCatalog

_KINDS: Mapping[str, Callable[[str, Session], TableCatalog]] = {
    "spark": lambda rest, session: SparkCatalog.at(rest).on(session()),
    "iceberg": lambda rest, _: IcebergCatalog(rest),
}


class NamedCatalog(NamedTuple):
    """A catalog that a path names."""

    kind: str
    """The platform of its datasets."""
    rest: str

    @property
    def path(self) -> str:
        """The path as users write it."""
        return f"{self.kind}:{self.rest}"

    def opened(self, session: Session) -> TableCatalog:
        """Return the catalog, ready to be listed."""
        return _KINDS[self.kind](self.rest, session)


def catalog_of(path: str) -> NamedCatalog | None:
    """Parse the catalog in a path; None if it is a folder or a URL."""
    kind, colon, rest = path.partition(":")
    return NamedCatalog(kind, rest) if colon and kind in _KINDS else None
