"""Catalogs: what they hold beside the tree, what a sync would do about it, and doing it."""
