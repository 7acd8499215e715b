"""The index of a tree's lineage, kept in git's own folder: built once, renewed by what changed.

It is keyed by git's id of the folder of snapshots, so an index of anything else is never taken for
this one. Where nothing can be kept, all goes on without.
"""

from dataclasses import dataclass, field

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.errors import OutsideError
from lumos_snap.git import Repository, read_changes
from lumos_snap.git.cache_files import held, hold
from lumos_snap.git.grep import folder_id, tree_changes, within
from lumos_snap.lineage.edges import Said, is_snapshot, read
from lumos_snap.lineage.index import NO_INDEX, Index, lines_of, packed, renewed, unpacked

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
    from lumos_snap.flows.lineage.building import said_at  # noqa: PLC0415 - once for a tree

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
