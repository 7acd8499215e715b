"""The log files of a Delta table: the newest complete checkpoint, and the commits since."""

from dataclasses import dataclass, field

from lumos_snap.scan.stores.store import FileEntry
from lumos_snap.scan.tables import file_names

_NONE = -1


@dataclass(slots=True)
class DeltaLog:
    """The log files to keep: none that a checkpoint makes obsolete."""

    _commits: dict[int, FileEntry] = field(default_factory=dict)
    _checkpoints: dict[tuple[int, str, int], dict[int, FileEntry]] = field(default_factory=dict)
    """By version, label and number of parts: the existing parts."""
    _newest: int = _NONE
    """The version of the newest complete checkpoint."""

    def add(self, entry: FileEntry) -> None:
        """Add a file; files that only help to find the others are ignored."""
        split = file_names.split_path(entry.path, file_names.DELTA)
        found = file_names.parse_delta_name(split[1]) if split else None
        if found is None or found.version < self._newest:
            return
        if found.is_commit:
            if found.version > self._newest:
                self._commits[found.version] = entry
            return
        key = (found.version, found.label, found.parts)
        parts = self._checkpoints.setdefault(key, {})
        parts[found.part] = entry
        if len(parts) == found.parts and found.version > self._newest:
            self._forget_before(found.version)

    def _forget_before(self, version: int) -> None:
        self._newest = version
        self._commits = {v: one for v, one in self._commits.items() if v > version}
        self._checkpoints = {k: one for k, one in self._checkpoints.items() if k[0] >= version}

    def parts(self) -> tuple[FileEntry, ...]:
        """Return the parts of one checkpoint, if there is one, and the later commits.

        An incomplete checkpoint is used only if there is nothing else.
        """
        whole = [key for key, parts in self._checkpoints.items() if len(parts) == key[2]]
        commits = [self._commits[version] for version in sorted(self._commits)]
        if not whole and not commits:
            whole = list(self._checkpoints)
        chosen = [one for one in whole if one[0] == self._newest] or whole
        parts = self._checkpoints[min(chosen)] if chosen else {}
        return (*(parts[number] for number in sorted(parts)), *commits)
