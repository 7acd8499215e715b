"""The snapshot tree: documents in a folder or at a commit, read alike and written atomically."""

from lumos_snap.tree.changes import TreeChange
from lumos_snap.tree.files import Form
from lumos_snap.tree.tree import Tree, WriteResult, find_root, open_tree

__all__ = ["Form", "Tree", "TreeChange", "WriteResult", "find_root", "open_tree"]
