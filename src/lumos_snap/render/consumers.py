"""Who reads what changed, counted in words."""

from collections import Counter

from lumos_snap.render.text import count
from lumos_snap.report.impact import Compatibility, Impact


def downstream(impact: Impact) -> str:
    """How many datasets are made from what changed, and how they get along with it."""
    found = Counter(one.compatibility for one in impact.consumers)
    told = ", ".join(f"{found[one]} {one.value}" for one in Compatibility if found[one])
    return f"{count(len(impact.consumers), 'dataset')} downstream: {told}"
