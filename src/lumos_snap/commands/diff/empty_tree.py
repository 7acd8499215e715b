"""Whether a tree that shows no snapshots is really empty: a pass over nothing decides nothing."""

import os
from collections.abc import Collection

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.errors import OutsideError
from lumos_snap.git import Repository, find_repository, list_tracked, names
from lumos_snap.tree import Tree
from lumos_snap.tree.files import CommitFiles


def require_visible(tree: Tree, snapshots: Collection[str], base: str | None = None) -> None:
    """Refuse to decide where no snapshot is seen, though git has some here or at a base."""
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
    """Refuse a tree whose folder of snapshots is spelled in other letters: nothing finds it."""
    if tree.files.form(SNAPSHOT.folder) is not None:
        return
    for name in _folders(tree):
        if name.casefold() == SNAPSHOT.folder:
            raise OutsideError(
                f"cannot decide: {tree.label} has `{name}/` where `{SNAPSHOT.folder}/` is expected",
                hint=f"rename it: `git mv {name} tmp && git mv tmp {SNAPSHOT.folder}`",
            )


def _folders(tree: Tree) -> Collection[str]:
    """The folders that lie beside the settings."""
    if isinstance(tree.files, CommitFiles):
        return {path.partition("/")[0] for path in names(tree.files.repository, tree.files.commit)}
    try:
        with os.scandir(tree.root) as entries:
            return [one.name for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError:
        return ()  # whoever lists the documents says so


def _list_git_snapshots(tree: Tree, repository: Repository, base: str | None) -> list[str]:
    """The snapshots that git has."""
    folder = SNAPSHOT.folder
    is_commit = isinstance(tree.files, CommitFiles)  # it shows all that it has
    found = [] if is_commit else list(list_tracked(repository))
    if base is not None:
        found += names(repository, base, (folder,))
    return [path for path in found if path.startswith(f"{folder}/") and path.endswith(".json")]
