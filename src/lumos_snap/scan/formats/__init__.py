"""File formats: a folder for each, with the probe that runs in executors and the types it finds."""
