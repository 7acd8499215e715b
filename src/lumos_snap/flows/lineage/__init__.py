"""The lineage of a tree as commands need it: found, remembered, and asked who feels a change."""
