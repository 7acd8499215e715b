"""The reports of `lumos snap scan` and `lumos spark`."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from lumos_snap.report.envelope import Report
from lumos_snap.schema import Maybe, Natural, Text, Value, value_class


class ScanOutcome(StrEnum):
    """The outcome of a scan for a dataset."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    MOVED = "moved"  # added under another urn, with the curated metadata of the former one
    KEPT = "kept"  # unreadable: the existing snapshot stays unchanged
    FAILED = "failed"  # unreadable, and without an existing snapshot
    VANISHED = "vanished"
    REMOVED = "removed"


@value_class
class ScannedDataset(Value):
    """A dataset that changed, or that has notes."""

    urn: Text
    path: Text
    outcome: ScanOutcome
    format: Maybe[Text] = None
    columns: Maybe[Natural] = None
    files: Maybe[Natural] = None
    looked_at: Maybe[Natural] = None
    bytes: Maybe[Natural] = None
    rows: Maybe[Natural] = None
    moved_from: Maybe[Text] = None
    notes: tuple[str, ...]


@value_class
class BadFile(Value):
    """A file or folder that could not be read, and why."""

    source: Text
    path: Text
    reason: Text
    detail: str
    dataset: Maybe[Text] = None


@value_class
class SkippedFile(Value):
    """A file that is no data of a dataset, and why."""

    path: Text
    reason: Text


@value_class
class ScannedSource(Value):
    """The contents of a source."""

    name: Text
    files: Natural
    bytes: Natural
    datasets: Natural
    looked_at: Natural
    passed_over: Mapping[str, int]
    passed_over_files: tuple[SkippedFile, ...]  # the first 100 for each reason
    complete: bool


@value_class
class FailedSource(Value):
    """A source that could not be reached, and why."""

    name: Text
    problem: Text
    hint: Maybe[Text] = None


@value_class
class ScanEngine(Value):
    """The engine that read the files."""

    name: Literal["spark", "local"]
    place: Maybe[Text] = None  # the master of Spark, or the address of its server
    start_ms: Maybe[Natural] = None  # how long the scan waited for Spark to start


@value_class
class ScanReport(Report):
    """The report of `lumos snap scan`."""

    report: Literal["scan"] = "scan"
    engine: Maybe[ScanEngine] = None  # None if no file had to be read
    sources: tuple[ScannedSource, ...]
    datasets: tuple[ScannedDataset, ...]
    counts: Mapping[str, int]
    bad_files: tuple[BadFile, ...]
    failed: tuple[FailedSource, ...]
    written: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[str, ...]  # changed by others meanwhile
    broken: tuple[str, ...]  # snapshots that must be repaired first
    dry_run: bool
    commit: Maybe[Text] = None
    branch: Maybe[Text] = None
    remarks: tuple[str, ...]


@value_class
class PathStep(Value):
    """A part of a path, and how a scan interprets it."""

    part: str
    meaning: Text


@value_class
class PlacementReport(Report):
    """The report of `lumos snap scan --explain`."""

    report: Literal["scan-explain"] = "scan-explain"
    source: Text
    path: Text
    urn: Maybe[Text] = None
    document: Maybe[Text] = None
    rule: Maybe[Text] = None
    why: Maybe[Text] = None
    last: Maybe[Text] = None  # what the last scan on this machine grouped under this urn
    ignored: Maybe[Text] = None
    steps: tuple[PathStep, ...]


# The reports of `lumos spark`.


@value_class
class SparkServer(Report):
    """The report of `lumos spark start`, `stop` and `status`."""

    report: Literal["spark-server"] = "spark-server"
    running: bool
    change: Maybe[Literal["started", "stopped"]] = None  # what the command did
    url: Maybe[Text] = None
    pid: Maybe[Natural] = None
    spark: Maybe[Text] = None  # the version of PySpark
    memory: Maybe[Text] = None
    idle_seconds: Maybe[Natural] = None  # it stops after so many seconds without a scan
    in_use: Maybe[bool] = None
    unused_seconds: Maybe[Natural] = None  # since the last scan, or since the start
    not_used_because: Maybe[Text] = None  # why scans from here do not use it
