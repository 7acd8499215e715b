"""Access to git: repositories, refs, and changes between commits. No other package runs git.

Reading never touches the work tree, the index or a branch. The only exception is requested: a
shallow or partial clone fetches what a decision needs.
"""

from lumos_snap.git.blobs import Contents, blobs, read_changes
from lumos_snap.git.diff import (
    EntryKind,
    GitChange,
    GitEntry,
    WorkFile,
    changes,
    list_tracked,
    merge_texts,
    names,
)
from lumos_snap.git.links import (
    find_linked_steps,
    refuse_committed,
    refuse_committed_links,
    refuse_committed_links_in,
    refuse_new_submodule,
)
from lumos_snap.git.merge_base import MergeBase, commit_of, merge_base
from lumos_snap.git.refs import Commit, current_branch, resolve
from lumos_snap.git.repository import (
    OLDEST_GIT,
    Location,
    Repository,
    attributes,
    configure,
    find_repository,
    hint_for_bare,
    locate,
    open_repository,
    settings,
    steps_below,
    user_name,
)

__all__ = [
    "OLDEST_GIT",
    "Commit",
    "Contents",
    "EntryKind",
    "GitChange",
    "GitEntry",
    "Location",
    "MergeBase",
    "Repository",
    "WorkFile",
    "attributes",
    "blobs",
    "changes",
    "commit_of",
    "configure",
    "current_branch",
    "find_linked_steps",
    "find_repository",
    "hint_for_bare",
    "list_tracked",
    "locate",
    "merge_base",
    "merge_texts",
    "names",
    "open_repository",
    "read_changes",
    "refuse_committed",
    "refuse_committed_links",
    "refuse_committed_links_in",
    "refuse_new_submodule",
    "resolve",
    "settings",
    "steps_below",
    "user_name",
]
