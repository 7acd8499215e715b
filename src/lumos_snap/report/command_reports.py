"""Reports of commands, one class each.

Values are stored unchanged: control characters are escaped when they are printed.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Literal

from lumos_snap.report.envelope import FileFinding, Report
from lumos_snap.schema import Json, Maybe, Natural, Text, Value, value_class

__all__ = [
    "Checkup",
    "DoctorReport",
    "FileFinding",
    "FormatReport",
    "Health",
    "Hit",
    "ImportReport",
    "InitReport",
    "JvmArchive",
    "ListReport",
    "ListedDataset",
    "Match",
    "MigrateReport",
    "Note",
    "Report",
    "SearchReport",
    "ShowReport",
    "Suggestion",
    "ValidateReport",
]


@value_class
class ValidateReport(Report):
    """The report of `lumos snap validate`."""

    report: Literal["validate"] = "validate"
    source: Text
    checked: Natural
    findings: tuple[FileFinding, ...]


@value_class
class FormatReport(Report):
    """The report of `lumos snap fmt`."""

    report: Literal["fmt"] = "fmt"
    checked: Natural
    changed: tuple[str, ...]
    written: bool
    findings: tuple[FileFinding, ...]


@value_class
class ListedDataset(Value):
    """One dataset of a list."""

    urn: Text
    path: Text
    name: Text
    platform: Text
    kind: Maybe[Text] = None
    format: Maybe[Text] = None
    columns: Natural
    owners: tuple[str, ...]
    tags: tuple[str, ...]
    domain: Maybe[Text] = None
    description: Maybe[Text] = None
    schema_version: Maybe[Text] = None


@value_class
class ListReport(Report):
    """The report of `lumos snap ls`."""

    report: Literal["ls"] = "ls"
    source: Text
    datasets: tuple[ListedDataset, ...]
    findings: tuple[FileFinding, ...]


@value_class
class ShowReport(Report):
    """The report of `lumos snap show`."""

    report: Literal["show"] = "show"
    source: Text
    path: Text
    digest: Text
    snapshot: Mapping[str, Json]
    observation: Mapping[str, Json] = field(default_factory=dict)
    downstream: tuple[str, ...]


@value_class
class Note(Value):
    """A decision of an import or migration, with source and target."""

    subject: Text
    source: str
    target: str
    message: Text


@value_class
class ImportReport(Report):
    """The report of `lumos snap import`."""

    report: Literal["import"] = "import"
    file: Text
    shape: Text
    datasets: Natural
    entities: Natural
    observations: Natural
    written: tuple[str, ...]
    unchanged: Natural
    dry_run: bool
    notes: tuple[Note, ...]
    findings: tuple[FileFinding, ...]


@value_class
class MigrateReport(Report):
    """The report of `lumos snap migrate-format`."""

    report: Literal["migrate-format"] = "migrate-format"
    format_version: Text
    checked: Natural
    changed: tuple[str, ...]
    written: bool
    notes: tuple[Note, ...]
    findings: tuple[FileFinding, ...]


@value_class
class InitReport(Report):
    """The report of `lumos snap init`."""

    report: Literal["init"] = "init"
    root: Text
    written: tuple[str, ...]
    extended: tuple[str, ...]
    kept: tuple[str, ...]
    configured: tuple[str, ...]  # git settings that were missing
    unconfigured: str  # why git could not be configured, if it could not
    data: tuple[str, ...]  # folders of data files that git does not ignore


class Health(StrEnum):
    """The state of something that a command needs."""

    OK = "ok"
    OPTIONAL = "optional"  # missing, but only needed for some tasks
    WARNING = "warning"
    PROBLEM = "problem"


@value_class
class Checkup(Value):
    """One check of the doctor."""

    name: Text
    health: Health
    found: str
    fix: str


@value_class
class JvmArchive(Value):
    """The class-data archive that was created, and how long that took."""

    path: Text
    bytes: Natural
    milliseconds: Natural


@value_class
class DoctorReport(Report):
    """The report of `lumos doctor`."""

    report: Literal["doctor"] = "doctor"
    checks: tuple[Checkup, ...]
    warmed: Maybe[JvmArchive] = None


# The report of `lumos snap search`.


@value_class
class Match(Value):
    """A matching field (name, column, words, owner, …) and its text."""

    field: Text
    text: str


@value_class
class Hit(Value):
    """A dataset that was found."""

    urn: Text
    path: Text
    name: Text
    platform: Text
    kind: Maybe[Text] = None
    format: Maybe[Text] = None
    columns: Natural
    owners: tuple[str, ...]
    tags: tuple[str, ...]
    terms: tuple[str, ...]
    domain: Maybe[Text] = None
    description: Maybe[Text] = None
    quality: Maybe[Text] = None  # the score as a share of the maximum, if requested
    matches: tuple[Match, ...]


@value_class
class Suggestion(Value):
    """A word without matches, and similar words."""

    word: Text
    like: tuple[str, ...]


@value_class
class SearchReport(Report):
    """The report of `lumos snap search`: the best match first."""

    report: Literal["search"] = "search"
    source: Text
    query: str
    total: Natural  # total number of matches; `hits` may be limited
    hits: tuple[Hit, ...]
    suggestions: tuple[Suggestion, ...]
    remarks: tuple[str, ...]
    findings: tuple[FileFinding, ...]  # unreadable files, which were skipped
