"""Every report that a command answers with: a JSON Schema is published for each."""

from lumos_snap.report.blame import Blame
from lumos_snap.report.changes import Difference, Explanation, Waiving
from lumos_snap.report.checked import Checked
from lumos_snap.report.gating import Commented, Gated, Responded
from lumos_snap.report.history import Evolution, Log, Prediction
from lumos_snap.report.lineage import ImpactAnswer
from lumos_snap.report.notices import Notified
from lumos_snap.report.releases import DatasetVersion, Released
from lumos_snap.report.reports import (
    Diagnosis,
    Formatting,
    Imported,
    Initialised,
    Listing,
    Migrated,
    Page,
    Report,
    Validation,
)
from lumos_snap.report.rulebook import Rulebook
from lumos_snap.report.scanning import Placement, Scanned
from lumos_snap.report.search import Found
from lumos_snap.report.sparkserver import SparkServer
from lumos_snap.report.syncing import Synced, SyncLosses, SyncPlan
from lumos_snap.report.verifying import Verified

REPORTS: tuple[type[Report], ...] = (
    DatasetVersion,
    Released,
    Responded,
    Blame,
    Commented,
    Checked,
    Diagnosis,
    Difference,
    Evolution,
    Explanation,
    Formatting,
    ImpactAnswer,
    Gated,
    Found,
    Imported,
    Initialised,
    Listing,
    Log,
    Migrated,
    Notified,
    Page,
    Placement,
    Prediction,
    Rulebook,
    Scanned,
    SparkServer,
    Validation,
    Waiving,
    SyncPlan,
    Synced,
    SyncLosses,
    Verified,
)
