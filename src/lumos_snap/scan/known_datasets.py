"""What the tree knows already has a say: a file that is a dataset of its own stays one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from lumos_snap.scan.grouping.assign import FilePlacement, Layout, place_file
from lumos_snap.text import readable

Names = tuple[str, ...]

ALONE = "nothing-in-common"
_EACH = Layout(grouping="file")
_GUESSED = frozenset(("generic-file", "own-named-file", "folder-named-file", "root"))


def place_alone(path: str) -> FilePlacement:
    """Where a file belongs as a dataset of its own."""
    return replace(place_file(path, _EACH), rule=ALONE)


def is_guessed(placed: FilePlacement) -> bool:
    """Whether nobody has said that these files are one dataset, or each its own."""
    return placed.rule.rpartition("/")[2] in _GUESSED


Files = Callable[[Names], str | None]
"""What `storage.files` of a dataset says in the tree."""


def find_no_files(names: Names) -> str | None:
    """For a tree that knows nothing."""
    del names
    return None


@dataclass(frozen=True, slots=True)
class KnownDatasets:
    """The datasets of a source that the tree has, by name."""

    names: frozenset[Names] = frozenset()
    above: frozenset[Names] = frozenset()
    """What their names begin with: only there a file may be known by its own name."""
    files: Files = find_no_files

    @classmethod
    def of(cls, names: Iterable[Names], files: Files) -> "KnownDatasets":
        """What is known of a source."""
        found = frozenset(names)
        return cls(found, frozenset(one[:-1] for one in found if one), files)

    def place(self, path: str, placed: FilePlacement) -> FilePlacement:
        """Where a file belongs: on its own, if the tree knows it so, and not as a part."""
        if placed.names not in self.above and placed.names[:-1] not in self.above:
            return placed
        if placed.partitions or not is_guessed(placed):
            return placed
        if tuple(filter(None, path.split("/")[:-1])) not in self.above:
            return placed  # no file of its folder is known by its own name
        own = place_alone(path)
        if own.names == placed.names or own.names not in self.names:
            return placed
        # A folder may have the same name: what the tree says of the files tells them apart.
        return own if self.files(own.names) == readable(own.files or "") else placed
