"""The same trees as for the tree itself."""

from tests.tree.conftest import bare, shop, victim

__all__ = ["bare", "shop", "victim"]
