"""Reports about releases, and the versions of a dataset."""

from typing import Annotated, Literal

from lumos_snap.report.diff import BumpWord, LevelWord
from lumos_snap.report.envelope import Report
from lumos_snap.schema import Maybe, Text, Value, value_class

# Pipelines read these keys by the names that are common in such reports.
# ruff: noqa: N815


@value_class
class Decider(Value):
    """The change that determines a version step."""

    rule: Annotated[Text, "the id of the rule"]
    slug: Annotated[Text, "the name of the rule"]
    level: LevelWord
    message: Text
    fingerprint: Annotated[Text, "what `lumos snap explain` takes"]


@value_class
class ReleasedDataset(Value):
    """One dataset of a release."""

    urn: Text
    path: Text
    renamedFrom: Annotated[Maybe[Text], "its urn at the last release"] = None
    bump: BumpWord
    previousVersion: Annotated[Maybe[Text], "none where it was never released"] = None
    schemaVersion: Text
    decidedBy: Maybe[Decider] = None
    changes: Annotated[tuple[str, ...], "a line each, the gravest first, as its history has them"]


@value_class
class RemovedDataset(Value):
    """A dataset that was removed since the last release."""

    urn: Text
    path: Text
    previousVersion: Annotated[Maybe[Text], "its last version"] = None


@value_class
class ReleaseReport(Report):
    """The report of `lumos snap bump`."""

    report: Literal["bump"] = "bump"
    cloudVersion: Annotated[str, "the release; the last one where nothing changed; may be empty"]
    schemaVersion: Annotated[
        str, "of one dataset its version; of several that of the whole tree; may be empty"
    ]
    gitTag: Annotated[str, "the tag that is or would be made; may be empty"]
    changesDetected: Annotated[bool, "whether anything changed since the last release"]
    bump: Annotated[BumpWord, "the largest step of any dataset"]
    since: Annotated[Text, "what changes are counted from; `none` for a first release"]
    dryRun: bool
    committed: Annotated[bool, "whether the release stands in a commit"]
    pushed: Annotated[bool, "whether the remote has its commit and its tag"]
    datasets: tuple[ReleasedDataset, ...]
    removed: tuple[RemovedDataset, ...]


@value_class
class PastRelease(Value):
    """One released version of a dataset."""

    cloud_version: Maybe[Text] = None
    schema_version: Maybe[Text] = None
    released_at: Maybe[Text] = None
    bump: Maybe[Text] = None
    tag: Maybe[Text] = None
    changes: tuple[str, ...] = ()


@value_class
class UnreleasedChanges(Value):
    """The unreleased changes of a dataset."""

    since: Annotated[Text, "the last release; `none` where there was none"]
    bump: BumpWord
    next_version: Annotated[Text, "the version that a release now would give"]
    changes: tuple[str, ...]


@value_class
class DatasetVersion(Report):
    """The report of `lumos snap version`."""

    report: Literal["version"] = "version"
    source: Text
    urn: Text
    path: Text
    schema_version: Annotated[Maybe[Text], "none where it was never released"] = None
    cloud_version: Annotated[Maybe[Text], "the release that gave it"] = None
    unreleased: Annotated[Maybe[UnreleasedChanges], "left out where nothing changed since"] = None
    history: Annotated[tuple[PastRelease, ...], "the newest first, where it is asked for"] = ()
