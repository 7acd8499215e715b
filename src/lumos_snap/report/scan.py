"""The answers of `lumos snap scan`."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from lumos_snap.report.envelope import Report
from lumos_snap.schema import Maybe, Natural, Text, Value, value_class


class ScanOutcome(StrEnum):
    """What became of a dataset."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    MOVED = "moved"  # added under another urn, with the words of the one that it was
    KEPT = "kept"  # nothing of it could be read: it stays as it was
    FAILED = "failed"  # nothing of it could be read, and nothing was known of it
    VANISHED = "vanished"
    REMOVED = "removed"


@value_class
class ScannedDataset(Value):
    """A dataset that is not as it was, or of which there is something to say."""

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
class ScannedSource(Value):
    """How much was met in a source."""

    name: Text
    files: Natural
    bytes: Natural
    datasets: Natural
    looked_at: Natural
    passed_over: Mapping[str, int]
    complete: bool


@value_class
class FailedSource(Value):
    """A source that could not be reached, and why."""

    name: Text
    problem: Text
    hint: Maybe[Text] = None


@value_class
class ScanEngine(Value):
    """What has read files, and where."""

    name: Literal["spark", "local"]
    place: Maybe[Text] = None  # the master of Spark, or the address of its server
    start_ms: Maybe[Natural] = None  # how long the scan waited for Spark to start


@value_class
class ScanReport(Report):
    """The answer of `lumos snap scan`."""

    report: Literal["scan"] = "scan"
    engine: Maybe[ScanEngine] = None  # nothing where no file had to be read
    sources: tuple[ScannedSource, ...]
    datasets: tuple[ScannedDataset, ...]
    counts: Mapping[str, int]
    bad_files: tuple[BadFile, ...]
    failed: tuple[FailedSource, ...]
    written: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[str, ...]  # changed by somebody else meanwhile
    broken: tuple[str, ...]  # snapshots that somebody must mend first
    dry_run: bool
    commit: Maybe[Text] = None
    branch: Maybe[Text] = None
    remarks: tuple[str, ...]


@value_class
class PathStep(Value):
    """A part of a path, and what a scan takes it for."""

    part: str
    meaning: Text


@value_class
class PlacementReport(Report):
    """The answer of `lumos snap scan --explain`."""

    report: Literal["scan-explain"] = "scan-explain"
    source: Text
    path: Text
    urn: Maybe[Text] = None
    document: Maybe[Text] = None
    rule: Maybe[Text] = None
    why: Maybe[Text] = None
    last: Maybe[Text] = None  # what the last scan here has put together under this urn
    ignored: Maybe[Text] = None
    steps: tuple[PathStep, ...]
