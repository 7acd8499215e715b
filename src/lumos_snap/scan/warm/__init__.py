"""A Spark server that keeps running on this machine, so that scans need not start one."""
