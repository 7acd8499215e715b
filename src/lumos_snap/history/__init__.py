"""The history of datasets in git: versions, renames, and the commits that changed each column."""
