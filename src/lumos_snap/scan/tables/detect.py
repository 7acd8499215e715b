"""Detection of the log files of tables, by path alone, during the listing."""

from collections.abc import Callable, Mapping
from typing import Protocol

from lumos_snap.scan.stores.store import FileEntry
from lumos_snap.scan.tables import file_names
from lumos_snap.scan.tables.delta.log import DeltaLog
from lumos_snap.scan.tables.hudi.log import HudiLog
from lumos_snap.scan.tables.iceberg.log import IcebergLog


class TableLog(Protocol):
    """The log files of one table, as they are listed."""

    def add(self, entry: FileEntry) -> None:
        """Add a file; the order does not matter."""
        ...

    def parts(self) -> tuple[FileEntry, ...]:
        """Return the files to read, in a stable order; none if they are not a table."""
        ...


LOGS: Mapping[str, Callable[[], TableLog]] = {
    "delta": DeltaLog,
    "iceberg": IcebergLog,
    "hudi": HudiLog,
}
"""By name of the format."""

_MARKS = (("delta", file_names.DELTA), ("hudi", file_names.HUDI))
_ENDS = (".metadata.json", ".metadata.json.gz", f"/{file_names.HINT}")


def log_of(path: str) -> tuple[str, str] | None:
    """Return the folder and the format of the table whose log contains a file.

    The outermost log counts: Hudi has an internal metadata table below its own folder.
    """
    found = [
        (split[0], kind)
        for kind, folder in _MARKS
        if folder in path and (split := file_names.split_path(path, folder))
    ]
    if found:
        return min(found, key=lambda one: (len(one[0]), one[1]))
    return _iceberg_log_of(path) if path.endswith(_ENDS) else None


def _iceberg_log_of(path: str) -> tuple[str, str] | None:
    folder, _, name = path.rpartition("/")
    root, _, last = folder.rpartition("/")
    if last != file_names.ICEBERG:
        return None
    return (
        (root, "iceberg")
        if name == file_names.HINT or file_names.parse_iceberg_name(name) is not None
        else None
    )
