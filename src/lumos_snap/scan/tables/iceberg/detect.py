"""The log files of an Iceberg table: its newest few metadata files."""

from dataclasses import dataclass, field

from lumos_snap.scan.stores.store import FileEntry
from lumos_snap.scan.tables import file_names

MOST = 5
"""Number of files to keep: if the newest is damaged, the one before it is read."""


@dataclass(slots=True)
class IcebergLog:
    """The metadata files of a table to keep."""

    _hint: FileEntry | None = None
    _newest: list[tuple[int, int, str, FileEntry]] = field(default_factory=list)
    """By version, time and path, the newest first."""

    def add(self, entry: FileEntry) -> None:
        """Add a file; manifests are ignored."""
        name = entry.path.rpartition("/")[2]
        version = file_names.parse_iceberg_name(name)
        if name == file_names.HINT:
            self._hint = entry
        elif version is not None:
            found = (version, entry.modified, entry.path, entry)
            self._newest = sorted([*self._newest, found], reverse=True)[:MOST]

    def parts(self) -> tuple[FileEntry, ...]:
        """Return the version hint, if it exists, then the metadata files, newest first."""
        if not self._newest:
            return ()
        hint = () if self._hint is None else (self._hint,)
        return (*hint, *(entry for *_, entry in self._newest))
