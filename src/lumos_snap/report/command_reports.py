"""One class per command that has a machine-readable answer.

Values stand as they are: what a terminal must not obey is spelled out where it is printed.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Literal

from lumos_snap.report.envelope import Finding, Report, answer
from lumos_snap.schema import Json, Maybe, Natural, Text, Value, stored

__all__ = [
    "Checkup",
    "Diagnosis",
    "Finding",
    "Formatting",
    "Health",
    "Imported",
    "Initialised",
    "ListedDataset",
    "Listing",
    "Migrated",
    "Note",
    "Page",
    "Report",
    "Validation",
    "answer",
]


@stored
class Validation(Report):
    """The answer of `lumos snap validate`."""

    report: Literal["validate"] = "validate"
    source: Text
    checked: Natural
    findings: tuple[Finding, ...]


@stored
class Formatting(Report):
    """The answer of `lumos snap fmt`."""

    report: Literal["fmt"] = "fmt"
    checked: Natural
    changed: tuple[str, ...]
    written: bool
    findings: tuple[Finding, ...]


@stored
class ListedDataset(Value):
    """One dataset of a listing."""

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


@stored
class Listing(Report):
    """The answer of `lumos snap ls`."""

    report: Literal["ls"] = "ls"
    source: Text
    datasets: tuple[ListedDataset, ...]
    findings: tuple[Finding, ...]


@stored
class Page(Report):
    """The answer of `lumos snap show`."""

    report: Literal["show"] = "show"
    source: Text
    path: Text
    digest: Text
    snapshot: Mapping[str, Json]
    observation: Mapping[str, Json] = field(default_factory=dict)
    downstream: tuple[str, ...]


@stored
class Note(Value):
    """Something that an import or migration decided, and where it went."""

    subject: Text
    source: str
    target: str
    message: Text


@stored
class Imported(Report):
    """The answer of `lumos snap import`."""

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
    findings: tuple[Finding, ...]


@stored
class Migrated(Report):
    """The answer of `lumos snap migrate-format`."""

    report: Literal["migrate-format"] = "migrate-format"
    format_version: Text
    checked: Natural
    changed: tuple[str, ...]
    written: bool
    notes: tuple[Note, ...]
    findings: tuple[Finding, ...]


@stored
class Initialised(Report):
    """The answer of `lumos snap init`."""

    report: Literal["init"] = "init"
    root: Text
    written: tuple[str, ...]
    extended: tuple[str, ...]
    kept: tuple[str, ...]
    configured: tuple[str, ...]  # settings of git that were missing
    unconfigured: str  # why git could not be told, if it could not


class Health(StrEnum):
    """How well one thing is that a command needs."""

    OK = "ok"
    OPTIONAL = "optional"  # missing, and only some work needs it
    WARNING = "warning"
    PROBLEM = "problem"


@stored
class Checkup(Value):
    """One thing that the doctor looked at."""

    name: Text
    health: Health
    found: str
    fix: str


@stored
class Warmed(Value):
    """The class-data archive that was made, and how long that took."""

    path: Text
    bytes: Natural
    milliseconds: Natural


@stored
class Diagnosis(Report):
    """The answer of `lumos doctor`."""

    report: Literal["doctor"] = "doctor"
    checks: tuple[Checkup, ...]
    warmed: Maybe[Warmed] = None
