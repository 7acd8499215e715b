"""A Spark Connect server that keeps running on this machine, so that scans start faster."""
