"""The lineage of a tree, downstream: who reads what changed, how far that reaches, what to do.

A snapshot stores the edges that lead to it; here they are turned round. All of it is pure: where
documents and the index lie is the business of `flows/lineage`.
"""

from lumos_snap.lineage.edges import ColumnLink, DatasetEdges, LineageLink, UnreadableSnapshot, read
from lumos_snap.lineage.graph import Graph, graph_of
from lumos_snap.lineage.index import LineageIndex

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
