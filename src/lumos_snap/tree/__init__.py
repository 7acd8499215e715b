"""The snapshot tree: documents in a folder or at a commit, read alike, written whole."""

from lumos_snap.tree.changes import Changed
from lumos_snap.tree.path_kinds import Form
from lumos_snap.tree.tree import Tree, Written, find_root, open_tree

__all__ = ["Changed", "Form", "Tree", "Written", "find_root", "open_tree"]
