"""The reports of all commands: a JSON Schema is published for each."""

from lumos_snap.report.check import CheckReport
from lumos_snap.report.command_reports import (
    DoctorReport,
    FormatReport,
    ImportReport,
    InitReport,
    ListReport,
    MigrateReport,
    Report,
    ShowReport,
    ValidateReport,
)
from lumos_snap.report.consumers import ImpactReport
from lumos_snap.report.diff import DiffReport, ExplainReport, WaiveReport
from lumos_snap.report.gate import CommentReport, GateReport, RespondReport
from lumos_snap.report.history import BlameReport, EvolutionReport, LogReport, PredictReport
from lumos_snap.report.notify import NotifyReport
from lumos_snap.report.release import DatasetVersion, ReleaseReport
from lumos_snap.report.rules import Rulebook
from lumos_snap.report.scan import PlacementReport, ScanReport
from lumos_snap.report.search import SearchReport
from lumos_snap.report.spark_server import SparkServer
from lumos_snap.report.sync import SyncLosses, SyncPlan, SyncReport
from lumos_snap.report.verify import VerifyReport

REPORTS: tuple[type[Report], ...] = (
    DatasetVersion,
    ReleaseReport,
    RespondReport,
    BlameReport,
    CommentReport,
    CheckReport,
    DoctorReport,
    DiffReport,
    EvolutionReport,
    ExplainReport,
    FormatReport,
    ImpactReport,
    GateReport,
    SearchReport,
    ImportReport,
    InitReport,
    ListReport,
    LogReport,
    MigrateReport,
    NotifyReport,
    ShowReport,
    PlacementReport,
    PredictReport,
    Rulebook,
    ScanReport,
    SparkServer,
    ValidateReport,
    WaiveReport,
    SyncPlan,
    SyncReport,
    SyncLosses,
    VerifyReport,
)
