"""Migrations: convert older documents to format 1.0.0.

Frozen: the output of these functions never changes, so they share nothing with the current model. A
newer format gets functions of its own beside them.

A value is moved to its own place, or is kept unchanged below `properties.imported` of the snapshot;
values that change with the data are kept below `properties.imported` of the observation.
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
