"""Full-text search over a tree: the index, its update, and queries."""
