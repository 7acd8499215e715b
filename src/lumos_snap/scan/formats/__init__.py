"""File formats: one folder each, with the probe that runs in executors and its types."""
