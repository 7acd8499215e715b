"""From findings to versions: what a release calls each dataset, and what it records."""

from lumos_snap.versioning.cloud import Naming
from lumos_snap.versioning.release_record import Stamp, stamped
from lumos_snap.versioning.semantic import FIRST, Version, next_version, parse, step

__all__ = ["FIRST", "Naming", "Stamp", "Version", "next_version", "parse", "stamped", "step"]
