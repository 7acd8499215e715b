"""Canonical bytes and paths: how a document is encoded, and its path in the tree."""
