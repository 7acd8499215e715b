"""The scanner: list files, group them into datasets, read schemas, merge them into snapshots."""
