"""The schema of a dataset from those of its files: union, common types, disagreements."""
