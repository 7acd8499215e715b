"""Tables that a catalog names, read by our own log readers at the place that the catalog names.

A metastore stores columns of its own for Iceberg and Delta tables: copies without ids, nullability
and partition transforms, or none at all. The log of the table is the truth.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import unquote

from lumos_snap.scan.executors.error_codes import VANISHED
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.sources.catalog import CatalogTable, Names, redact_location
from lumos_snap.scan.stores.store import BadFileError, RangedFile, Store, Trouble
from lumos_snap.scan.tables import log_files
from lumos_snap.scan.tables.registry import LOGS, read_table

OpenFolder = Callable[[str], Store]
"""Opens the store of a folder, by its address."""

_METADATA_LOCATION = "metadata_location"
_TABLE_TYPE = "table_type"


class LogLocation(NamedTuple):
    """The place of a table's log."""

    format: str
    address: str
    """The metadata file of an Iceberg table, or the folder of a Delta table."""


def find_log(
    provider: str | None, properties: Mapping[str, str], location: str | None
) -> LogLocation | None:
    """Find the log of a table in a metastore's description of it; None for other tables."""
    kind = properties.get(_TABLE_TYPE, "").lower()
    metadata = properties.get(_METADATA_LOCATION)
    if metadata and (kind == "iceberg" or provider == "iceberg"):
        return LogLocation("iceberg", metadata)
    is_delta = "delta" in (provider, properties.get("spark.sql.sources.provider"))
    return LogLocation("delta", location) if is_delta and location else None


def read_named_table(
    names: Names, log: LogLocation, location: str | None, open_folder: OpenFolder
) -> CatalogTable:
    """Read the log of a table; `location` is that of its data."""
    probed, tag = _READERS[log.format](log.address, open_folder)
    return CatalogTable(
        names=names,
        format=probed.format,
        schema=probed.schema,
        rows=probed.rows,
        version=probed.version,
        location=redact_location(location),
        tag=tag,
    )


def read_iceberg_metadata(content: bytes) -> ProbeResult:
    """Describe an Iceberg table by the content of its metadata file."""
    return read_table(_OneFile(content), "iceberg", "", [_ONLY])


def _read_iceberg(address: str, open_folder: OpenFolder) -> tuple[ProbeResult, str]:
    folder, _, name = address.rpartition("/")
    with log_files.open_log_file(open_folder(folder).reader(), name) as file:
        content = log_files.read_whole(file)
    return read_iceberg_metadata(content), redact_location(address) or ""


def _read_delta(address: str, open_folder: OpenFolder) -> tuple[ProbeResult, str]:
    store = open_folder(unquote(address, errors="surrogateescape"))  # Spark writes a URI
    log = LOGS["delta"]()
    for found in store.entries(log_files.DELTA, lambda _: True):
        if isinstance(found, Trouble):
            raise BadFileError(found.reason, f"{log_files.DELTA}: {found.detail}")
        log.add(found)
    parts = log.parts()
    if not parts:
        raise BadFileError(VANISHED, f"{log_files.DELTA}: is missing at {redact_location(address)}")
    tag = "\0".join(f"{one.path}\0{one.size}\0{one.modified}\0{one.tag}" for one in parts)
    return read_table(store.reader(), "delta", "", [one.path for one in parts]), tag


_READERS = {"iceberg": _read_iceberg, "delta": _read_delta}


_ONLY = "v1.metadata.json"


class _OneFile(NamedTuple):
    """A store of one file, whose content is known."""

    content: bytes

    @contextmanager
    def opened(self, _path: str) -> Iterator[RangedFile]:
        """Open the file."""
        yield RangedFile(len(self.content), lambda offset, length: self.content[offset:][:length])
