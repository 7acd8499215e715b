"""Downstream impact of changes, from the lineage index of a tree."""
