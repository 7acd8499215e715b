"""The snapshot tree: documents in a folder or at a commit, read alike, written whole."""

from lumos_snap.tree.tree import Tree, find_root, open_tree

__all__ = ["Tree", "find_root", "open_tree"]
