"""Every report that a command answers with: a JSON Schema is published for each."""

from lumos_snap.report.check import Checked
from lumos_snap.report.command_reports import (
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
from lumos_snap.report.consumers import ImpactAnswer
from lumos_snap.report.diff import Difference, Explanation, Waiving
from lumos_snap.report.gate import Commented, Gated, Responded
from lumos_snap.report.history import Blame, Evolution, Log, Prediction
from lumos_snap.report.notify import Notified
from lumos_snap.report.release import DatasetVersion, Released
from lumos_snap.report.rules import Rulebook
from lumos_snap.report.scan import Placement, Scanned
from lumos_snap.report.search import Found
from lumos_snap.report.spark_server import SparkServer
from lumos_snap.report.sync import Synced, SyncLosses, SyncPlan
from lumos_snap.report.verify import Verified

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
