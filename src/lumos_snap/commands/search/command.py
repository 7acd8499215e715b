"""The story of a search: hold the index, let it follow the tree, ask it."""

from contextlib import closing, suppress
from dataclasses import dataclass

from lumos_snap.commands.search.options import Wanted
from lumos_snap.commands.search.refresh import Progress, follow
from lumos_snap.commands.search.results import Answer, answer
from lumos_snap.errors import LumosError
from lumos_snap.report.search import Found
from lumos_snap.search.fingerprints import stamp_of, stamper
from lumos_snap.search.index import Index, require_sqlite
from lumos_snap.search.index_file import Announce, Shelf, in_memory, shelf
from lumos_snap.tree import Tree
from lumos_snap.tree.folder import FolderFiles

SMALL = 10_000
"""Up to so many files are looked at one by one in each search."""
LATELY = 10_000_000_000
"""For so many nanoseconds, a look at every file of a larger tree counts."""


@dataclass(frozen=True, slots=True)
class Ways:
    """What a search is told of the world: the time, whom to tell, and how sure to be."""

    now: int
    announce: Announce
    progress: Progress
    thorough: bool = False
    small: int = SMALL


def search(tree: Tree, wanted: Wanted, ways: Ways) -> Found:
    """The datasets of a tree that hold all words and pass all filters, the best first."""
    if not (wanted.text.strip() or wanted.filters):
        raise LumosError("there is nothing to search for", hint="`lumos snap ls` lists everything")
    require_sqlite()
    files = _files(tree)
    with shelf(files.root, ways.announce) as held:
        found = None if held is None else _kept(held, files, wanted, ways)
        return _in_memory(files, wanted, ways) if found is None else found


def _files(tree: Tree) -> FolderFiles:
    tree.files.folder()  # says so where there is no working tree
    if not isinstance(tree.files, FolderFiles):
        raise LumosError(f"{tree.label} cannot be searched", hint="search the working tree")
    return tree.files


def _in_memory(files: FolderFiles, wanted: Wanted, ways: Ways) -> Found:
    with closing(Index(None)) as index:
        follow(index, files, stamper(ways.now), whole=True, progress=ways.progress)
        return answer(index, files, wanted).report


def _kept(held: Shelf, files: FolderFiles, wanted: Wanted, ways: Ways) -> Found | None:
    """The answer of the index beside the tree; nothing where none can be kept there."""
    import sqlite3  # noqa: PLC0415 - some Pythons are built without it

    why = ""
    for _ in range(2):
        try:
            with held.index() as (index, looked_at):
                return _Search(held, index, looked_at, files, wanted, ways).answer().report
        except (sqlite3.Error, ValueError, OSError) as exc:  # damaged, or the disk is full
            why = str(exc)
            with suppress(OSError):
                held.discard()
    ways.announce(in_memory(f"none can be kept: {why}"))
    return None


@dataclass(frozen=True, slots=True)
class _Search:
    """One search with an index that lies beside the tree."""

    held: Shelf
    index: Index
    looked_at: int
    files: FolderFiles
    wanted: Wanted
    ways: Ways

    def answer(self) -> Answer:
        """What the index says, once it says what the tree says."""
        whole = self._must_look_at_all()
        self._follow(whole=whole)
        found = answer(self.index, self.files, self.wanted)
        if whole or not self._is_stale(found):
            return found
        self._follow(whole=True)
        return answer(self.index, self.files, self.wanted)

    def _must_look_at_all(self) -> bool:
        lately = 0 <= self.ways.now - self.looked_at <= LATELY
        return self.ways.thorough or not lately or self._is_small()

    def _is_small(self) -> bool:
        return self.index.count() <= self.ways.small

    def _follow(self, *, whole: bool) -> None:
        stamp = stamper(self.ways.now)
        is_changed = follow(self.index, self.files, stamp, whole=whole, progress=self.ways.progress)
        if is_changed or (whole and not self._is_small()):
            looked_at = self.ways.now if whole else self.looked_at
            self.held.seal(looked_at, is_changed=is_changed)

    def _is_stale(self, found: Answer) -> bool:
        """Whether a file that is about to be shown is not as the index knows it."""
        stamp = stamper(self.ways.now)
        return any(
            not met.stamp or stamp_of(self.files, met.path, stamp) != met.stamp for met in found.met
        )
