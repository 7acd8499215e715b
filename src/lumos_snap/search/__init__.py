"""Full-text search over a tree: an index that follows the files, and the questions it answers."""
