"""The metadata of an Iceberg table: the newest few of its metadata files."""

from dataclasses import dataclass, field

from lumos_snap.scan.stores.store import FileEntry
from lumos_snap.scan.tables import file_names

MOST = 5
"""How many are kept: where the newest is damaged, the one before speaks."""


@dataclass(slots=True)
class IcebergLog:
    """What is kept of a folder of metadata."""

    _hint: FileEntry | None = None
    _newest: list[tuple[int, int, str, FileEntry]] = field(default_factory=list)
    """By version, time and path, the newest first."""

    def add(self, entry: FileEntry) -> None:
        """Take in a file; manifests are passed over."""
        name = entry.path.rpartition("/")[2]
        version = file_names.parse_iceberg_name(name)
        if name == file_names.HINT:
            self._hint = entry
        elif version is not None:
            found = (version, entry.modified, entry.path, entry)
            self._newest = sorted([*self._newest, found], reverse=True)[:MOST]

    def parts(self) -> tuple[FileEntry, ...]:
        """The hint, if there is one, and the newest metadata files, the newest first."""
        if not self._newest:
            return ()
        hint = () if self._hint is None else (self._hint,)
        return (*hint, *(entry for *_, entry in self._newest))
