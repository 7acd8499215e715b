"""Downstream lineage of a tree: the consumers of a change, its reach, and advice.

A snapshot stores its upstream edges; this package inverts them. All of it is pure:
`lumos_snap.impact` loads documents and stores the index.
"""

from lumos_snap.lineage.edges import (
    ColumnLink,
    DatasetEdges,
    LineageIndex,
    LineageLink,
    UnreadableSnapshot,
    read,
)
from lumos_snap.lineage.graph import Graph, graph_of

__all__ = [
    "ColumnLink",
    "DatasetEdges",
    "Graph",
    "LineageIndex",
    "LineageLink",
    "UnreadableSnapshot",
    "graph_of",
    "read",
]
