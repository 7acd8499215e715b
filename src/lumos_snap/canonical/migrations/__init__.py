"""Older documents as documents of format 1.0.0.

Frozen: what these functions make of a document never changes, so they share nothing with the
living model. A newer format gets functions of its own beside them.

A value lands in its own place, or is kept as it was below `properties.imported` of the snapshot;
what changes with the data is kept below `properties.imported` of the observation.
"""

from lumos_snap.canonical.migrations.registry import SHAPES, format_of, in_format, shape_of
from lumos_snap.canonical.migrations.result import (
    LegacyShape,
    MigrationNote,
    MigrationProblem,
    MigrationResult,
)

__all__ = [
    "SHAPES",
    "LegacyShape",
    "MigrationNote",
    "MigrationProblem",
    "MigrationResult",
    "format_of",
    "in_format",
    "shape_of",
]
