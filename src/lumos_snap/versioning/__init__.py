"""From findings to versions: what a release calls each dataset, and what it records."""

from lumos_snap.versioning.cloud import ReleaseNames
from lumos_snap.versioning.release_record import ReleaseRecord, record_release
from lumos_snap.versioning.semantic import FIRST, Version, next_version, parse, step

__all__ = [
    "FIRST",
    "ReleaseNames",
    "ReleaseRecord",
    "Version",
    "next_version",
    "parse",
    "record_release",
    "step",
]
