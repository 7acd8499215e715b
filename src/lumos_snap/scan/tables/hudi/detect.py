"""The log files of a Hudi table: its properties, and the newest completed changes."""

from dataclasses import dataclass, field

from lumos_snap.scan.stores.store import FileEntry
from lumos_snap.scan.tables import file_names

MOST = 20
"""Number of changes to keep: compactions and clusterings have no newer schema."""


@dataclass(slots=True)
class HudiLog:
    """The files of a timeline to keep."""

    _properties: dict[str, FileEntry] = field(default_factory=dict)
    _newest: list[tuple[file_names.Instant, FileEntry]] = field(default_factory=list)
    """By completion time, the newest first."""

    def add(self, entry: FileEntry) -> None:
        """Add a file; plans and pending changes are ignored."""
        split = file_names.split_path(entry.path, file_names.HUDI)
        if split is None:
            return
        name = split[1].removeprefix(f"{file_names.TIMELINE}/")
        if split[1] in file_names.PROPERTIES:
            self._properties[name] = entry
        elif instant := file_names.parse_hudi_name(name):
            self._newest = sorted([*self._newest, (instant, entry)], reverse=True)[:MOST]

    def parts(self) -> tuple[FileEntry, ...]:
        """Return the properties, then the newest changes, the newest first."""
        properties = (self._properties[name] for name in sorted(self._properties))
        return (*properties, *(entry for _, entry in self._newest))
