"""Versions of releases: derived from findings and recorded in snapshots."""

from lumos_snap.versioning.release_record import ReleaseRecord, record_release
from lumos_snap.versioning.versions import FIRST, ReleaseNames, Version, next_version, parse, step

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
