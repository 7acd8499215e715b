"""The timeline of a Hudi table: its properties, and the newest completed changes."""

from dataclasses import dataclass, field

from lumos_snap.scan.stores.store import FileEntry
from lumos_snap.scan.tables import file_names

MOST = 20
"""How many changes are kept: compactions and clusterings say nothing new of the columns."""


@dataclass(slots=True)
class HudiLog:
    """What is kept of a timeline."""

    _properties: dict[str, FileEntry] = field(default_factory=dict)
    _newest: list[tuple[file_names.Instant, FileEntry]] = field(default_factory=list)
    """By the time at which they were completed, the newest first."""

    def add(self, entry: FileEntry) -> None:
        """Take in a file; plans and changes under way are passed over."""
        split = file_names.split_path(entry.path, file_names.HUDI)
        if split is None:
            return
        name = split[1].removeprefix(f"{file_names.TIMELINE}/")
        if split[1] in file_names.PROPERTIES:
            self._properties[name] = entry
        elif instant := file_names.parse_hudi_name(name):
            self._newest = sorted([*self._newest, (instant, entry)], reverse=True)[:MOST]

    def parts(self) -> tuple[FileEntry, ...]:
        """The properties, and the newest changes, the newest first."""
        properties = (self._properties[name] for name in sorted(self._properties))
        return (*properties, *(entry for _, entry in self._newest))
