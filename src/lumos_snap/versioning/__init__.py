"""From findings to versions: what a release calls each dataset, and what it records."""

from lumos_snap.versioning.numbering import Naming
from lumos_snap.versioning.semantic import FIRST, Version, next_version, parse, step
from lumos_snap.versioning.stamping import Stamp, stamped

__all__ = ["FIRST", "Naming", "Stamp", "Version", "next_version", "parse", "stamped", "step"]
