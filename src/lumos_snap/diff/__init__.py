"""Differences between two snapshots, as facts without judgement."""

from typing import TYPE_CHECKING

from lumos_snap._lazy import lazily

if TYPE_CHECKING:
    from lumos_snap.diff.apply import apply
    from lumos_snap.diff.fact import Action, Comparison, Fact, Likeness
    from lumos_snap.diff.snapshots import compare, diff

__all__ = ["Action", "Comparison", "Fact", "Likeness", "apply", "compare", "diff"]

__getattr__ = lazily(
    __name__,
    {
        "Action": "lumos_snap.diff.fact",
        "Comparison": "lumos_snap.diff.fact",
        "Fact": "lumos_snap.diff.fact",
        "Likeness": "lumos_snap.diff.fact",
        "apply": "lumos_snap.diff.apply",
        "compare": "lumos_snap.diff.snapshots",
        "diff": "lumos_snap.diff.snapshots",
    },
)
