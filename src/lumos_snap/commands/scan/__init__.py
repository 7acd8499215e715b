"""Scanning storage into the tree."""
