"""Grouping of files into datasets: names, partitions and templates. Pure functions of paths."""
