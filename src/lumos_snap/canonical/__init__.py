"""Bytes and places: how a document is written, and where it lies in the tree."""
