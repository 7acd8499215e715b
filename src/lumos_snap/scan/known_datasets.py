"""Datasets that the tree already has: a file that is a dataset of its own stays one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from lumos_snap.scan.grouping.assign import FilePlacement, Layout, place_file
from lumos_snap.text import readable

Names = tuple[str, ...]

ALONE = "nothing-in-common"
_EACH = Layout(grouping="file")
_GUESSED = frozenset(("generic-file", "own-named-file", "folder-named-file", "root"))


def place_alone(path: str) -> FilePlacement:
    """Place a file as a dataset of its own."""
    return replace(place_file(path, _EACH), rule=ALONE)


def is_guessed(placed: FilePlacement) -> bool:
    """Whether the grouping was guessed and not configured."""
    return placed.rule.rpartition("/")[2] in _GUESSED


Files = Callable[[Names], str | None]
"""Returns `storage.files` of a dataset in the tree."""


def find_no_files(names: Names) -> str | None:
    """Return None, for an empty tree."""
    del names
    return None


@dataclass(frozen=True, slots=True)
class KnownDatasets:
    """The datasets of a source that the tree has, by name."""

    names: frozenset[Names] = frozenset()
    above: frozenset[Names] = frozenset()
    """Parents of these names: only below them can a single file be a known dataset."""
    files: Files = find_no_files

    @classmethod
    def of(cls, names: Iterable[Names], files: Files) -> "KnownDatasets":
        """Build the known datasets of a source."""
        found = frozenset(names)
        return cls(found, frozenset(one[:-1] for one in found if one), files)

    def place(self, path: str, placed: FilePlacement) -> FilePlacement:
        """Place a file: as a dataset of its own, if the tree has it as one."""
        if placed.names not in self.above and placed.names[:-1] not in self.above:
            return placed
        if placed.partitions or not is_guessed(placed):
            return placed
        if tuple(filter(None, path.split("/")[:-1])) not in self.above:
            return placed  # no file of its folder is a known dataset
        own = place_alone(path)
        if own.names == placed.names or own.names not in self.names:
            return placed
        # A folder may have the same name: `storage.files` tells them apart.
        return own if self.files(own.names) == readable(own.files or "") else placed
