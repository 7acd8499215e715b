"""Lineage of a tree from an index, which is a cache in git's own folder.

The cache affects speed, never the result, and is safe to delete. No commit can contain it, so a
clone only has its own. Where it cannot be read or written, work continues without it.
"""

import functools
import hashlib
import mmap
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, NamedTuple, cast

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.concurrency import BackgroundCall
from lumos_snap.errors import OutsideError
from lumos_snap.git import EntryKind, Repository, blobs, names, process, read_changes
from lumos_snap.git.diff import GitChange, changes, records
from lumos_snap.git.refs import fetch_missing, look_up
from lumos_snap.lineage import Graph, graph_of
from lumos_snap.lineage.edges import (
    NO_INDEX,
    DatasetEdges,
    EdgesOrUnreadable,
    LineageIndex,
    UnreadableSnapshot,
    check_path,
    is_snapshot,
    lines_of,
    pack_index,
    parse_canonical,
    read,
    unpack_index,
    update_lines,
)
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import TreeChange
from lumos_snap.tree.files import CommitFiles, Files

# Search in all files of a tree object, without a checkout.


_OPTIONS = (
    *("grep", "--heading", "--no-break", "-n", "-z", "-a", "-F"),
    *("--no-column", "--no-color", "--full-name", "--no-textconv", "--no-recurse-submodules"),
)
_NONE = 1
"""Exit code of git grep without a match."""


class Matches(NamedTuple):
    """Matching lines of one file, and their numbers."""

    path: str
    numbers: Sequence[int]
    lines: Sequence[bytes]


def folder_id(repository: Repository, commit: str, folder: str) -> str | None:
    """The tree id of a folder at a commit; None where the folder does not exist."""
    path = repository.top_path(folder)
    listing = process.run(repository, "ls-tree", "-z", "--full-tree", commit, "--", path)
    for row in records(listing):
        about, _, found = row.partition("\t")
        _, kind, oid = about.split(" ")
        if kind == "tree" and found == path:
            return oid
    return None


def tree_changes(repository: Repository, old: str, new: str) -> tuple[GitChange, ...]:
    """Differences between two tree objects, by paths below them."""
    return changes(without_prefix(repository), old, head=new)


def without_prefix(repository: Repository) -> Repository:
    """The repository without a prefix, because paths in a tree object have none."""
    return replace(repository, prefix="")


def fetch_all(repository: Repository, oids: Sequence[str], *, fetch: bool) -> None:
    """Fetch missing objects of a tree at once, before git requests them one by one."""
    fetch_missing(repository, oids, fetch=fetch)


def matches(repository: Repository, tree: str, texts: Sequence[str]) -> Iterator[Matches]:
    """Find files of a tree that contain one of the texts, with the matching lines."""
    wanted = (argument for text in texts for argument in ("-e", text))
    with process.start_git(repository, *_OPTIONS, *wanted, tree, "--") as running:
        with suppress(BrokenPipeError):
            cast("IO[bytes]", running.stdin).close()
        yield from _files(cast("IO[bytes]", running.stdout), f"{tree}:".encode())
        said = process.complaint(cast("IO[bytes]", running.stderr).read())
        if running.wait() > _NONE:
            raise process.failure("grep", said)


def _files(lines: IO[bytes], opening: bytes) -> Iterator[Matches]:
    """Parse the output: a path, which contains no zero byte, precedes the lines of its file."""
    path = b""
    numbers: list[int] = []
    texts: list[bytes] = []
    for line in lines:
        number, is_line, text = line.partition(b"\0")
        if is_line:
            numbers.append(int(number))
            texts.append(text)
            continue
        if numbers:
            yield _file(path, opening, numbers, texts)
            path, numbers, texts = b"", [], []
        path += line
    if numbers:
        yield _file(path, opening, numbers, texts)


def _file(path: bytes, opening: bytes, numbers: list[int], lines: list[bytes]) -> Matches:
    name = path.removeprefix(opening).removesuffix(b"\n")
    return Matches(name.decode("utf-8", "surrogateescape"), numbers, lines)


_FOLDER = "lumos"


def cache_path(repository: Repository, name: str) -> Path:
    """Path of a cache file; each tree of a repository has its own."""
    mark = hashlib.sha256(os.fsencode(repository.prefix)).hexdigest()[:12]
    return repository.common / _FOLDER / (f"{name}-{mark}" if repository.prefix else name)


def map_cache(repository: Repository, name: str) -> mmap.mmap | None:
    """Map a cache file into memory; None where it is unavailable."""
    with suppress(OSError, ValueError):  # an empty file cannot be mapped
        file = cache_path(repository, name)
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)
    return None


def write_cache(repository: Repository, name: str, content: bytes) -> bool:
    """Write a cache file atomically; whether that was possible.

    No lock is taken: concurrent versions are equally valid, and a command that only reads must not
    block one that writes.
    """
    if repository.work_tree is None:  # a server's repository should not get our files
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
"""Up to this number of changed files, reading them is faster than writing an index."""


@dataclass(slots=True)
class LineageState:
    """An index, and the edges of files that differ from it, by path below the snapshot folder."""

    index: LineageIndex = NO_INDEX
    later: dict[str, EdgesOrUnreadable | None] = field(default_factory=dict)


def load_lineage(repository: Repository, commit: str, *, fetch: bool) -> LineageState:
    """Load the lineage of a tree at a commit."""
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
    """Use the index of another commit with its differences; many differences give a new index."""
    try:
        later = _later(repository, index.tree, tree, fetch=fetch)
    except OutsideError:  # git has pruned the tree of the index
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
    """Records the lineage of changed snapshots during a comparison."""

    later: dict[str, EdgesOrUnreadable | None] = field(default_factory=dict)

    def noting(self, changes: Iterator[TreeChange]) -> Iterator[TreeChange]:
        """Yield the changes unchanged, and record their lineage."""
        for change in changes:
            path = change.path.removeprefix(_BELOW)
            if path != change.path and is_snapshot(path):
                self.later[path] = None if change.after is None else read(path, change.after)
            yield change


def load_tree_lineage(tree: Tree, commit: str, *, fetch: bool) -> LineageState:
    """Load the lineage of a tree at a commit."""
    return load_lineage(tree.repository, commit, fetch=fetch)


def graph_of_folder(tree: Tree) -> Graph:
    """The lineage of a folder without git: all snapshots are read."""
    return join_graph(LineageState(), LineageRecorder(dict(read_lineage_in(tree.files))))


def graph_now(tree: Tree, *, fetch: bool = True) -> Graph:
    """The current lineage of a tree: at its commit, or in its folder with uncommitted changes."""
    if isinstance(tree.files, CommitFiles):
        return join_graph(
            load_tree_lineage(tree, tree.files.commit, fetch=fetch), LineageRecorder()
        )
    tree.files.folder()  # raises where there is no working tree
    commit = _head(tree)
    if commit is None:
        return graph_of_folder(tree)
    before = BackgroundCall(functools.partial(load_tree_lineage, tree, commit, fetch=fetch))
    noted = LineageRecorder()
    for _ in noted.noting(tree.changes_from(commit, fetch=fetch)):
        pass
    return join_graph(before.result(), noted)


def _head(tree: Tree) -> str | None:
    """The commit of a working tree; None without a commit or without git."""
    try:
        found = look_up(tree.repository, ("HEAD",))[0]
    except OutsideError:  # without git the folder can still be read
        return None
    return None if found is None else found.id


def join_graph(found: LineageState, noted: LineageRecorder) -> Graph:
    """Join the lineage of the index with newer recorded edges, which replace it."""
    return graph_of({**found.later, **noted.later}, found.index)


# The canonical layout has one line for each edge and each column edge: these texts match all lines
# from the urn of a dataset to the end of its lineage, and few others.
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
"""Minimum number of lines of a lineage section: its own, its list, and one edge."""


def read_lineage_at(
    repository: Repository, tree: str, *, fetch: bool
) -> Iterator[EdgesOrUnreadable]:
    """Read the lineage of each snapshot in a tree object; only other layouts are read whole."""
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
    """Parse the matching lines, if they have the canonical layout; None otherwise."""
    lines = found.lines
    mentions = [at for at, line in enumerate(lines) if b'"lineage"' in line]
    if not lines[0].startswith(_URN) or len(mentions) > 1:
        return None
    if not mentions:
        return parse_canonical(b"\n" + lines[0])
    start = mentions[0]
    end = _end_of_run(found.numbers, start)
    if end < start + _LEAST:  # empty lists are left out, so the edges have another layout
        return None
    return parse_canonical(b"".join((b"\n", lines[0], b"\n", *lines[start:end], b"    ]")))


def _end_of_run(numbers: Sequence[int], start: int) -> int:
    """Index of the first line that does not follow its predecessor."""
    end = start + 1
    while end < len(numbers) and numbers[end] == numbers[end - 1] + 1:
        end += 1
    return end


def read_lineage_in(files: Files) -> Iterator[tuple[str, EdgesOrUnreadable]]:
    """Path below the snapshot folder and lineage of each snapshot in a folder."""
    below = SNAPSHOT.folder + "/"
    for path, content in files.read_all(files.found((SNAPSHOT.folder,)).documents):
        name = path.removeprefix(below)
        yield (
            name,
            UnreadableSnapshot(name) if isinstance(content, OSError) else read(name, content),
        )
