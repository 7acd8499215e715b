"""Promises of speed, measured against floors in the same run."""
