"""`lumos snap search`: an index that follows the tree, and what it answers."""
