"""Catalogs: read documents, plan a sync against the tree, and execute it."""
