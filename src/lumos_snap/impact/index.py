"""The index of a tree's lineage, kept in git's own folder: built once, renewed by what changed.

It is keyed by git's id of the folder of snapshots, so an index of anything else is never taken for
this one. Where nothing can be kept, all goes on without.
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.concurrency import Ahead
from lumos_snap.errors import OutsideError
from lumos_snap.git import Kind, Repository, blobs, names, read_changes
from lumos_snap.git.cache_files import held, hold
from lumos_snap.git.grep import Matches, fetch_all, folder_id, matches, tree_changes, within
from lumos_snap.git.refs import look_up
from lumos_snap.lineage import Graph, graph_of
from lumos_snap.lineage.edges import Broken, Said, Stated, in_layout, is_snapshot, placed, read
from lumos_snap.lineage.index import NO_INDEX, Index, lines_of, packed, renewed, unpacked
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Changed
from lumos_snap.tree.files import CommitFiles, Files

NAME = "lineage"
_FEW = 100
"""So many files that differ are sooner read again than an index is written."""


@dataclass(slots=True)
class Remembered:
    """An index, and what the files say that differ from it, by path below that of snapshots."""

    index: Index = NO_INDEX
    later: dict[str, Said | None] = field(default_factory=dict)


def remembered(repository: Repository, commit: str, *, fetch: bool) -> Remembered:
    """The lineage of a tree at a commit."""
    tree = folder_id(repository, commit, SNAPSHOT.folder)
    if tree is None:
        return Remembered()
    index = _kept(repository)
    if index is not None and index.tree != tree:
        return _caught_up(repository, index, tree, fetch=fetch)
    return Remembered(index or _built(repository, tree, fetch=fetch))


def _kept(repository: Repository) -> Index | None:
    found = held(repository, NAME)
    return None if found is None else unpacked(found)


def _built(repository: Repository, tree: str, *, fetch: bool) -> Index:

    return _keep(repository, packed(tree, lines_of(said_at(repository, tree, fetch=fetch))))


def _keep(repository: Repository, content: bytes) -> Index:
    hold(repository, NAME, content)
    return unpacked(content) or NO_INDEX


def _caught_up(repository: Repository, index: Index, tree: str, *, fetch: bool) -> Remembered:
    """An index of another commit, and what differs from it; written anew where that is much."""
    try:
        later = _later(repository, index.tree, tree, fetch=fetch)
    except OutsideError:  # git has thrown away what the index is of
        return Remembered(_built(repository, tree, fetch=fetch))
    if len(later) <= _FEW:
        return Remembered(index, later)
    said = [one for one in later.values() if one is not None]
    return Remembered(_keep(repository, packed(tree, renewed(index, later, said))))


def _later(repository: Repository, old: str, new: str, *, fetch: bool) -> dict[str, Said | None]:
    found = tree_changes(repository, old, new)
    wanted = [change for change in found if is_snapshot(change.path)]
    contents = read_changes(within(repository), wanted, fetch=fetch)
    return {one.path: None if one.after is None else read(one.path, one.after) for one in contents}


_BELOW = SNAPSHOT.folder + "/"


@dataclass(slots=True)
class Noted:
    """What the snapshots say that differ, noted while a comparison passes them by."""

    later: dict[str, Said | None] = field(default_factory=dict)

    def noting(self, changes: Iterator[Changed]) -> Iterator[Changed]:
        """The same changes."""
        for change in changes:
            path = change.path.removeprefix(_BELOW)
            if path != change.path and is_snapshot(path):
                self.later[path] = None if change.after is None else read(path, change.after)
            yield change


def remembered_of(tree: Tree, commit: str, *, fetch: bool) -> Remembered:
    """What is remembered of a commit of a tree."""
    return remembered(tree.repository, commit, fetch=fetch)


def graph_of_folder(tree: Tree) -> Graph:
    """The lineage of a tree that git need not know: all of it is read."""
    return joined(Remembered(), Noted(dict(said_in(tree.files))))


def graph_now(tree: Tree, *, fetch: bool = True) -> Graph:
    """The lineage of a tree as it is: at its commit, or in its folder, committed or not."""
    if isinstance(tree.files, CommitFiles):
        return joined(remembered_of(tree, tree.files.commit, fetch=fetch), Noted())
    tree.files.folder()  # says so where there is no working tree
    commit = _head(tree)
    if commit is None:
        return graph_of_folder(tree)
    before = Ahead(functools.partial(remembered_of, tree, commit, fetch=fetch))
    noted = Noted()
    for _ in noted.noting(tree.changes_from(commit, fetch=fetch)):
        pass
    return joined(before.result(), noted)


def _head(tree: Tree) -> str | None:
    """The commit that a working tree is of; nothing where there is none, or no git."""
    try:
        found = look_up(tree.repository, ("HEAD",))[0]
    except OutsideError:  # there is no git, but the folder can be read
        return None
    return None if found is None else found.id


def joined(found: Remembered, noted: Noted) -> Graph:
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


def said_at(repository: Repository, tree: str, *, fetch: bool) -> Iterator[Said]:
    """What each snapshot of a tree object says; only those of another layout are read whole."""
    entries = names(within(repository), tree)
    wanted = {
        path: entry.oid
        for path, entry in entries.items()
        if entry.kind is Kind.FILE and is_snapshot(path)
    }
    fetch_all(repository, tuple(wanted.values()), fetch=fetch)
    doubtful = dict(wanted)
    for found in matches(repository, tree, _TEXTS):
        said = _quick(found) if found.path in wanted else None
        if said is not None:
            del doubtful[found.path]
            yield placed(found.path, said)
    contents = blobs(repository, doubtful.values(), fetch=fetch)
    for path, (_, raw) in zip(doubtful, contents, strict=True):
        yield read(path, raw)


def _quick(found: Matches) -> Stated | None:
    """What the lines say, where they are those of the canonical layout."""
    lines = found.lines
    mentions = [at for at, line in enumerate(lines) if b'"lineage"' in line]
    if not lines[0].startswith(_URN) or len(mentions) > 1:
        return None
    if not mentions:
        return in_layout(b"\n" + lines[0])
    start = mentions[0]
    end = _end_of_run(found.numbers, start)
    if end < start + _LEAST:  # what is empty is left out, so an edge is on lines of other forms
        return None
    return in_layout(b"".join((b"\n", lines[0], b"\n", *lines[start:end], b"    ]")))


def _end_of_run(numbers: Sequence[int], start: int) -> int:
    """Where lines that follow each other end."""
    end = start + 1
    while end < len(numbers) and numbers[end] == numbers[end - 1] + 1:
        end += 1
    return end


def said_in(files: Files) -> Iterator[tuple[str, Said]]:
    """What each snapshot in a folder says, and its path below that of snapshots."""
    below = SNAPSHOT.folder + "/"
    for path, content in files.read_all(files.found((SNAPSHOT.folder,)).documents):
        name = path.removeprefix(below)
        yield name, Broken(name) if isinstance(content, OSError) else read(name, content)
