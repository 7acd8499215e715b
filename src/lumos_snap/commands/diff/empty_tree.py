"""Detection of trees that only appear empty: a check of zero datasets must not pass."""

import os
from collections.abc import Collection

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.errors import OutsideError
from lumos_snap.git import Repository, find_repository, list_tracked, names
from lumos_snap.tree import Tree
from lumos_snap.tree.files import CommitFiles


def require_visible(tree: Tree, snapshots: Collection[str], base: str | None = None) -> None:
    """Raise where no snapshot is visible although git has some here or at a base."""
    if snapshots:
        return
    require_spelling(tree)
    repository = find_repository(tree.root)
    paths = _list_git_snapshots(tree, repository, base) if repository else ()
    if paths:
        raise OutsideError(
            f"cannot decide: {tree.label} shows no snapshots, and git has {len(paths):,}",
            hint="`git sparse-checkout list` shows what is left out; `git restore snapshots` brings"
            " back what was deleted",
        )


def require_spelling(tree: Tree) -> None:
    """Refuse a tree whose snapshot folder is spelled in another case: no reader would find it."""
    if tree.files.form(SNAPSHOT.folder) is not None:
        return
    for name in _folders(tree):
        if name.casefold() == SNAPSHOT.folder:
            raise OutsideError(
                f"cannot decide: {tree.label} has `{name}/` where `{SNAPSHOT.folder}/` is expected",
                hint=f"rename it: `git mv {name} tmp && git mv tmp {SNAPSHOT.folder}`",
            )


def _folders(tree: Tree) -> Collection[str]:
    """The folders beside lumos.yaml."""
    if isinstance(tree.files, CommitFiles):
        return {path.partition("/")[0] for path in names(tree.files.repository, tree.files.commit)}
    try:
        with os.scandir(tree.root) as entries:
            return [one.name for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError:
        return ()  # the listing of documents reports the error


def _list_git_snapshots(tree: Tree, repository: Repository, base: str | None) -> list[str]:
    """The snapshots that git has in the index or at the base."""
    folder = SNAPSHOT.folder
    is_commit = isinstance(tree.files, CommitFiles)  # a commit is always complete
    found = [] if is_commit else list(list_tracked(repository))
    if base is not None:
        found += names(repository, base, (folder,))
    return [path for path in found if path.startswith(f"{folder}/") and path.endswith(".json")]
