"""The lineage of a tree: what is remembered of a commit, and what has changed since."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.concurrency import Ahead
from lumos_snap.errors import OutsideError
from lumos_snap.flows.lineage.remembering import Remembered, remembered
from lumos_snap.git.refs import look_up
from lumos_snap.lineage import Graph, graph_of
from lumos_snap.lineage.edges import Said, is_snapshot, read
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Changed
from lumos_snap.tree.files import CommitFiles

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
    from lumos_snap.flows.lineage.building import said_in  # noqa: PLC0415 - only where all is read

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
