"""Merging: two versions of a document and what both come from, as one. Pure.

`merge` works key by key and column by column, so that what two people change side by side comes
together, and only what both changed differently is a conflict.
"""

from lumos_snap.merging.merge import encode_conflicts, merge, merge_key
from lumos_snap.merging.versions import ABSENT, Absent, Conflict, MergeResult, same

__all__ = [
    "ABSENT",
    "Absent",
    "Conflict",
    "MergeResult",
    "encode_conflicts",
    "merge",
    "merge_key",
    "same",
]
