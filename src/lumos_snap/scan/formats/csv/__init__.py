"""Delimited text: the probe for executors, and its types as portable types."""
