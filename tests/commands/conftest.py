"""The same trees as for the tree itself, and the same histories as for the history."""

from tests.history.conftest import made
from tests.tree.conftest import bare, shop, victim

__all__ = ["bare", "made", "shop", "victim"]
