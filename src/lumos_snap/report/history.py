"""Reports about the history of datasets: blame, log, evolution and prediction."""

from enum import StrEnum
from typing import Annotated, Literal

from lumos_snap.report.diff import BumpWord, LevelWord
from lumos_snap.report.envelope import Report
from lumos_snap.schema import Maybe, Natural, Text, Value, value_class


@value_class
class CommitInfo(Value):
    """A commit."""

    id: Text
    author: Annotated[str, "the author's name, as the commit has it"]
    mail: str
    date: Annotated[Text, "when it was made, in UTC"]
    authored: Annotated[Text, "when its change was written, in UTC"]
    subject: str


class Certainty(StrEnum):
    """How certain the origin of something is."""

    EXACT = "exact"
    AT_THE_LATEST = "at-the-latest"  # a shallow clone ends at this commit
    NOT_COMMITTED = "not-committed"


class ListWord(StrEnum):
    """The lists of a snapshot that contain columns."""

    FIELDS = "fields"
    KEY_FIELDS = "key_fields"
    PARTITIONING = "partitioning"


@value_class
class Origin(Value):
    """The commit that something originates from."""

    certainty: Certainty
    commit: Maybe[CommitInfo] = None


@value_class
class BlamedColumn(Value):
    """One column at any depth."""

    path: Text
    of: Annotated[ListWord, "the list that it stands in"]
    type: Annotated[Text, "its type in the notation"]
    nullable: Maybe[bool] = None
    since: Annotated[Origin, "since when it is what it is now"]
    first: Annotated[Origin, "when it first appeared, under whatever name"]
    first_path: Annotated[Text, "what it was called then"]


@value_class
class BlameReport(Report):
    """The report of `lumos snap blame`."""

    report: Literal["blame"] = "blame"
    source: Text
    urn: Text
    path: Text
    columns: Annotated[tuple[BlamedColumn, ...], "in the order of the schema, parents first"]
    ends_at: Annotated[Maybe[Text], "the commit before which a shallow clone knows nothing"] = None


@value_class
class DatasetChange(Value):
    """One change of a dataset, with its rule and severity."""

    rule: Annotated[Text, "the id of the rule"]
    slug: Annotated[Text, "the name of the rule"]
    level: LevelWord
    silent: Annotated[bool, "whether other values are read and nothing fails"]
    bump: BumpWord
    field: Annotated[Maybe[Text], "the field path"] = None
    message: Text
    fix: Text


@value_class
class LogEntry(Value):
    """The changes of a dataset in one commit."""

    commit: CommitInfo
    urn: Text
    renamed_from: Annotated[Maybe[Text], "its former urn, where this commit renamed it"] = None
    schema_version: Annotated[Maybe[Text], "its version as of this commit"] = None
    cloud_version: Annotated[Maybe[Text], "the release as of this commit"] = None
    unreadable: Annotated[Maybe[Text], "why this version cannot be read"] = None
    bump: BumpWord
    changes: tuple[DatasetChange, ...]


@value_class
class LogReport(Report):
    """The report of `lumos snap log` about a dataset."""

    report: Literal["log"] = "log"
    source: Text
    urn: Text
    path: Text
    field: Annotated[Maybe[Text], "the column that is asked about"] = None
    entries: Annotated[tuple[LogEntry, ...], "the newest first"]
    is_cut: Annotated[bool, "whether there is more than the limit"]
    ends_at: Annotated[Maybe[Text], "the commit before which a shallow clone knows nothing"] = None


@value_class
class Frequency(Value):
    """The number of changes, by level; silent ones are not counted as breaking."""

    commits: Natural
    silent: Natural
    breaking: Natural
    non_breaking: Natural
    informational: Natural
    unreadable: Annotated[Natural, "versions that cannot be read"]


@value_class
class Bumps(Value):
    """The number of commits by the version step that they required."""

    major: Natural
    minor: Natural
    patch: Natural


@value_class
class DatasetEvolution(Value):
    """The changes of one dataset over time."""

    urn: Text
    path: Text
    changes: Frequency
    bumps: Bumps
    first: Annotated[Text, "when it first changed in the period"]
    last: Annotated[Text, "when it last changed in the period"]


@value_class
class Span(Value):
    """The changes in a month or a week."""

    name: Annotated[Text, "as in 2026-01 or 2026-W03"]
    datasets: Natural
    changes: Frequency


@value_class
class EvolutionReport(Report):
    """The report of `lumos snap log --since` about a whole tree."""

    report: Literal["log-since"] = "log-since"
    source: Text
    since: Annotated[Maybe[Text], "as it was asked for"] = None
    until: Annotated[Maybe[Text], "as it was asked for"] = None
    totals: Frequency
    bumps: Bumps
    datasets: Annotated[tuple[DatasetEvolution, ...], "those that break most often first"]
    spans: Annotated[tuple[Span, ...], "months, or weeks where the period is short, oldest first"]
    ends_at: Annotated[Maybe[Text], "the commit before which a shallow clone knows nothing"] = None


@value_class
class PredictReport(Report):
    """The report of `lumos snap predict`."""

    report: Literal["predict"] = "predict"
    source: Text
    urn: Text
    path: Text
    proposal: Annotated[Text, "the file that was judged"]
    verdict: Literal["pass", "fail"]
    fail_on: Literal["breaking", "non-breaking", "none"]
    bump: BumpWord
    schema_version: Annotated[Maybe[Text], "the present version"] = None
    next_version: Annotated[Maybe[Text], "the version that would follow; none if nothing would"] = (
        None
    )
    changes: tuple[DatasetChange, ...]
