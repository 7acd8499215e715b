"""Three-way merge of a document from two versions and their common base. Pure.

`merge` works key by key and column by column: independent changes are combined, and only what both
sides changed differently is a conflict.
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
