"""Implementations of the commands, one module or package per verb; no printing, no clock access."""
