"""Files of no weight in git's own folder: there to be faster, never to be right, safe to delete.

No commit can bring them along, so what a clone finds there is its own. Where they cannot be read or
written, work goes on without them: nothing here raises.
"""

import functools
import hashlib
import mmap
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.concurrency import BackgroundCall
from lumos_snap.errors import OutsideError
from lumos_snap.git import EntryKind, Repository, blobs, names, read_changes
from lumos_snap.git.grep import Matches, fetch_all, folder_id, matches, tree_changes, without_prefix
from lumos_snap.git.refs import look_up
from lumos_snap.lineage import Graph, graph_of
from lumos_snap.lineage.edges import (
    DatasetEdges,
    EdgesOrUnreadable,
    UnreadableSnapshot,
    check_path,
    is_snapshot,
    parse_canonical,
    read,
)
from lumos_snap.lineage.index import (
    NO_INDEX,
    LineageIndex,
    lines_of,
    pack_index,
    unpack_index,
    update_lines,
)
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import TreeChange
from lumos_snap.tree.files import CommitFiles, Files

_FOLDER = "lumos"


def cache_path(repository: Repository, name: str) -> Path:
    """Where a file lies; each folder that a repository is seen from has its own."""
    mark = hashlib.sha256(os.fsencode(repository.prefix)).hexdigest()[:12]
    return repository.common / _FOLDER / (f"{name}-{mark}" if repository.prefix else name)


def map_cache(repository: Repository, name: str) -> mmap.mmap | None:
    """What lies there, without reading it whole; nothing where nothing can be had."""
    with suppress(OSError, ValueError):  # an empty file cannot be mapped
        file = cache_path(repository, name)
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)
    return None


def write_cache(repository: Repository, name: str, content: bytes) -> bool:
    """Put a file there, whole or not at all; says whether that was possible.

    No lock is taken: of two that are written at once, either one is right, and a command that only
    looks must not stand in the way of one that writes.
    """
    if repository.work_tree is None:  # where others fetch from, nobody expects a file of ours
        return False
    file = cache_path(repository, name)
    temporary = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        try:
            with temporary.open("xb") as opened:
                opened.write(content)
            temporary.replace(file)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        return True
    return False


NAME = "lineage"
_FEW = 100
"""So many files that differ are sooner read again than an index is written."""


@dataclass(slots=True)
class LineageState:
    """An index, and what the files say that differ from it, by path below that of snapshots."""

    index: LineageIndex = NO_INDEX
    later: dict[str, EdgesOrUnreadable | None] = field(default_factory=dict)


def load_lineage(repository: Repository, commit: str, *, fetch: bool) -> LineageState:
    """The lineage of a tree at a commit."""
    tree = folder_id(repository, commit, SNAPSHOT.folder)
    if tree is None:
        return LineageState()
    index = _read_index(repository)
    if index is not None and index.tree != tree:
        return _catch_up(repository, index, tree, fetch=fetch)
    return LineageState(index or _build_index(repository, tree, fetch=fetch))


def _read_index(repository: Repository) -> LineageIndex | None:
    found = map_cache(repository, NAME)
    return None if found is None else unpack_index(found)


def _build_index(repository: Repository, tree: str, *, fetch: bool) -> LineageIndex:

    return _store_index(
        repository, pack_index(tree, lines_of(read_lineage_at(repository, tree, fetch=fetch)))
    )


def _store_index(repository: Repository, content: bytes) -> LineageIndex:
    write_cache(repository, NAME, content)
    return unpack_index(content) or NO_INDEX


def _catch_up(
    repository: Repository, index: LineageIndex, tree: str, *, fetch: bool
) -> LineageState:
    """An index of another commit, and what differs from it; written anew where that is much."""
    try:
        later = _later(repository, index.tree, tree, fetch=fetch)
    except OutsideError:  # git has thrown away what the index is of
        return LineageState(_build_index(repository, tree, fetch=fetch))
    if len(later) <= _FEW:
        return LineageState(index, later)
    said = [one for one in later.values() if one is not None]
    return LineageState(
        _store_index(repository, pack_index(tree, update_lines(index, later, said)))
    )


def _later(
    repository: Repository, old: str, new: str, *, fetch: bool
) -> dict[str, EdgesOrUnreadable | None]:
    found = tree_changes(repository, old, new)
    wanted = [change for change in found if is_snapshot(change.path)]
    contents = read_changes(without_prefix(repository), wanted, fetch=fetch)
    return {one.path: None if one.after is None else read(one.path, one.after) for one in contents}


_BELOW = SNAPSHOT.folder + "/"


@dataclass(slots=True)
class LineageRecorder:
    """What the snapshots say that differ, noted while a comparison passes them by."""

    later: dict[str, EdgesOrUnreadable | None] = field(default_factory=dict)

    def noting(self, changes: Iterator[TreeChange]) -> Iterator[TreeChange]:
        """The same changes."""
        for change in changes:
            path = change.path.removeprefix(_BELOW)
            if path != change.path and is_snapshot(path):
                self.later[path] = None if change.after is None else read(path, change.after)
            yield change


def load_tree_lineage(tree: Tree, commit: str, *, fetch: bool) -> LineageState:
    """What is remembered of a commit of a tree."""
    return load_lineage(tree.repository, commit, fetch=fetch)


def graph_of_folder(tree: Tree) -> Graph:
    """The lineage of a tree that git need not know: all of it is read."""
    return join_graph(LineageState(), LineageRecorder(dict(read_lineage_in(tree.files))))


def graph_now(tree: Tree, *, fetch: bool = True) -> Graph:
    """The lineage of a tree as it is: at its commit, or in its folder, committed or not."""
    if isinstance(tree.files, CommitFiles):
        return join_graph(
            load_tree_lineage(tree, tree.files.commit, fetch=fetch), LineageRecorder()
        )
    tree.files.folder()  # says so where there is no working tree
    commit = _head(tree)
    if commit is None:
        return graph_of_folder(tree)
    before = BackgroundCall(functools.partial(load_tree_lineage, tree, commit, fetch=fetch))
    noted = LineageRecorder()
    for _ in noted.noting(tree.changes_from(commit, fetch=fetch)):
        pass
    return join_graph(before.result(), noted)


def _head(tree: Tree) -> str | None:
    """The commit that a working tree is of; nothing where there is none, or no git."""
    try:
        found = look_up(tree.repository, ("HEAD",))[0]
    except OutsideError:  # there is no git, but the folder can be read
        return None
    return None if found is None else found.id


def join_graph(found: LineageState, noted: LineageRecorder) -> Graph:
    """The lineage of what is remembered, with what was noted since in its place."""
    return graph_of({**found.later, **noted.later}, found.index)


# The canonical layout gives each edge, and each column of one, a line: these are all lines from
# the urn of a dataset to the end of its lineage, and few others.
_TEXTS = (
    '"urn"',
    '"lineage"',
    '    "upstream": [',
    '        {"from": ',
    '        {"to": ',
    "      ]}",
)
_URN = b'  "urn": "'
_LEAST = 3
"""Lines of a lineage: its own, that of its list, and one for an edge."""


def read_lineage_at(
    repository: Repository, tree: str, *, fetch: bool
) -> Iterator[EdgesOrUnreadable]:
    """What each snapshot of a tree object says; only those of another layout are read whole."""
    entries = names(without_prefix(repository), tree)
    wanted = {
        path: entry.oid
        for path, entry in entries.items()
        if entry.kind is EntryKind.FILE and is_snapshot(path)
    }
    fetch_all(repository, tuple(wanted.values()), fetch=fetch)
    doubtful = dict(wanted)
    for found in matches(repository, tree, _TEXTS):
        said = _quick(found) if found.path in wanted else None
        if said is not None:
            del doubtful[found.path]
            yield check_path(found.path, said)
    contents = blobs(repository, doubtful.values(), fetch=fetch)
    for path, (_, raw) in zip(doubtful, contents, strict=True):
        yield read(path, raw)


def _quick(found: Matches) -> DatasetEdges | None:
    """What the lines say, where they are those of the canonical layout."""
    lines = found.lines
    mentions = [at for at, line in enumerate(lines) if b'"lineage"' in line]
    if not lines[0].startswith(_URN) or len(mentions) > 1:
        return None
    if not mentions:
        return parse_canonical(b"\n" + lines[0])
    start = mentions[0]
    end = _end_of_run(found.numbers, start)
    if end < start + _LEAST:  # what is empty is left out, so an edge is on lines of other forms
        return None
    return parse_canonical(b"".join((b"\n", lines[0], b"\n", *lines[start:end], b"    ]")))


def _end_of_run(numbers: Sequence[int], start: int) -> int:
    """Where lines that follow each other end."""
    end = start + 1
    while end < len(numbers) and numbers[end] == numbers[end - 1] + 1:
        end += 1
    return end


def read_lineage_in(files: Files) -> Iterator[tuple[str, EdgesOrUnreadable]]:
    """What each snapshot in a folder says, and its path below that of snapshots."""
    below = SNAPSHOT.folder + "/"
    for path, content in files.read_all(files.found((SNAPSHOT.folder,)).documents):
        name = path.removeprefix(below)
        yield (
            name,
            UnreadableSnapshot(name) if isinstance(content, OSError) else read(name, content),
        )
