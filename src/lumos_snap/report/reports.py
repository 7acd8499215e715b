"""One class per command that has a machine-readable answer.

Values stand as they are: what a terminal must not obey is spelled out where it is printed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from lumos_snap.shape import Json, Maybe, Natural, Text, Value, document_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Value):
    """One thing that is wrong with one file."""

    path: Text
    line: Natural
    column: Natural
    rule: Text
    message: Text
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Value):
    """What every answer begins with."""

    report: str
    version: Literal[1] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation(Report):
    """The answer of `lumos snap validate`."""

    report: Literal["validate"] = "validate"
    source: Text
    checked: Natural
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatting(Report):
    """The answer of `lumos snap fmt`."""

    report: Literal["fmt"] = "fmt"
    checked: Natural
    changed: tuple[str, ...]
    written: bool
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Report):
    """The answer of `lumos snap ls`."""

    report: Literal["ls"] = "ls"
    source: Text
    datasets: tuple[ListedDataset, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Report):
    """The answer of `lumos snap show`."""

    report: Literal["show"] = "show"
    source: Text
    path: Text
    digest: Text
    snapshot: Mapping[str, Json]
    observation: Mapping[str, Json] = field(default_factory=dict)
    downstream: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Value):
    """Something that an import or migration decided, and where it went."""

    subject: Text
    source: str
    target: str
    message: Text


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated(Report):
    """The answer of `lumos snap migrate-format`."""

    report: Literal["migrate-format"] = "migrate-format"
    format_version: Text
    checked: Natural
    changed: tuple[str, ...]
    written: bool
    notes: tuple[Note, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised(Report):
    """The answer of `lumos snap init`."""

    report: Literal["init"] = "init"
    root: Text
    written: tuple[str, ...]
    extended: tuple[str, ...]
    kept: tuple[str, ...]


class Health(StrEnum):
    """How well one thing is that a command needs."""

    OK = "ok"
    OPTIONAL = "optional"  # missing, and only some work needs it
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup(Value):
    """One thing that the doctor looked at."""

    name: Text
    health: Health
    found: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis(Report):
    """The answer of `lumos doctor`."""

    report: Literal["doctor"] = "doctor"
    checks: tuple[Checkup, ...]


REPORTS: tuple[type[Report], ...] = (
    Diagnosis,
    Formatting,
    Imported,
    Initialised,
    Listing,
    Migrated,
    Page,
    Validation,
)


def answer(report: Report) -> dict[str, Any]:
    """A report as the JSON object that `--json` prints: lists are there even when empty."""
    return document_of(report, keep_empty=True)
