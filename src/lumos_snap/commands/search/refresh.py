"""Update of an index from the tree: only changed files are read."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lumos_snap.search.fingerprints import (
    TOP,
    FileState,
    FolderState,
    Stamper,
    find_gone_or_changed,
    walk_folders,
)
from lumos_snap.search.index import IndexedFile, SearchIndex
from lumos_snap.tree.folder import FolderFiles

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class IndexChange:
    """Differences between a tree and its index."""

    gone: list[str] = field(default_factory=list)
    """Removed folders."""
    stamps: dict[str, str] = field(default_factory=dict)
    """Stamps of the folders that were listed."""
    dropped: list[str] = field(default_factory=list)
    """Files that were removed, or must be read again."""
    files: dict[str, tuple[str, FileState]] = field(default_factory=dict)
    """Files to read, by path, each with the folder that lists it."""

    def __bool__(self) -> bool:
        return bool(self.gone or self.stamps or self.dropped or self.files)


def refresh_index(
    index: SearchIndex, files: FolderFiles, stamp: Stamper, *, whole: bool, progress: Progress
) -> bool:
    """Update an index from the tree; returns whether anything had changed.

    Without `whole`, a file counts as unchanged if no name in its folder has changed.
    """
    change = find_changes(index, files, stamp, whole=whole)
    if change:
        with index.changing():
            _apply(index, files, change, progress)
    return bool(change)


def find_changes(
    index: SearchIndex, files: FolderFiles, stamp: Stamper, *, whole: bool
) -> IndexChange:
    """Find the differences between a tree and its index."""
    known = index.folders()
    gone, stale = find_gone_or_changed(files, known, stamp)
    change = IndexChange(gone=gone)
    there = known.keys() - set(gone)
    below = _by_parent(there)
    met: set[str] = set()
    for start in (TOP, *(sorted(there) if whole else stale)):
        for path, found in walk_folders(files, start, stamp, known=there):
            if path not in met:
                met.add(path)
                _compare(change, index, path, found, known.get(path))
                for lost in below.get(path, set()) - set(found.folders):
                    change.gone += _with_all_below(lost, below)
    return change


def _by_parent(folders: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in folders:
        found.setdefault(path.rpartition("/")[0], set()).add(path)
    return found


def _with_all_below(path: str, below: Mapping[str, set[str]]) -> Iterator[str]:
    """A path that is no longer a folder, and all known folders below it."""
    yield path
    for one in below.get(path, ()):
        yield from _with_all_below(one, below)


def _compare(
    change: IndexChange, index: SearchIndex, path: str, found: FolderState, before: str | None
) -> None:
    if path != TOP and before != found.stamp:
        change.stamps[path] = found.stamp
    known = index.stamps(path)
    for file, seen in found.files.items():
        if not seen.stamp or known.get(file) != seen.stamp:
            change.files[file] = (path, seen)
    change.dropped += [file for file in known if file not in found.files or file in change.files]


def _apply(index: SearchIndex, files: FolderFiles, change: IndexChange, progress: Progress) -> None:
    for folder in change.gone:
        index.drop_folder(folder)
    index.drop(change.dropped)
    for folder, stamp in change.stamps.items():
        index.set_folder(folder, stamp)
    if change.files:
        _read_changes(index, files, change, progress)


def _read_changes(
    index: SearchIndex, files: FolderFiles, change: IndexChange, progress: Progress
) -> None:
    from lumos_snap.commands.search import index_entry  # noqa: PLC0415 - takes its time to load

    is_new = not index.count()
    documents = []
    for path, (folder, seen) in sorted(change.files.items(), key=_by_path):
        if seen.stray or seen.unreadable:
            index_entry.put_problem(index, IndexedFile(folder, path, seen.stamp), seen)
        else:
            documents.append(path)
    is_few = len(documents) <= index_entry.FEW
    for done, (path, content) in enumerate(files.read_all(documents), 1):
        folder, seen = change.files[path]
        file = IndexedFile(folder, path, seen.stamp)
        index_entry.put_document(index, file, content, is_one_of_few=is_few)
        progress(done, len(documents))
    if not is_few:
        index.settle(is_ordered=is_new)


def _by_path(file: tuple[str, object]) -> bytes:
    """Sort key of paths in an index: names may contain bytes that are not UTF-8."""
    return os.fsencode(file[0])
