"""What differs between two snapshots, noticed and not judged."""

from lumos_snap.diff.applying import apply
from lumos_snap.diff.comparison import Comparison
from lumos_snap.diff.fact import Action, Fact, Likeness
from lumos_snap.diff.snapshots import compare, diff

__all__ = ["Action", "Comparison", "Fact", "Likeness", "apply", "compare", "diff"]
