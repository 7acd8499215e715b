"""A diff as a stream of lines, each with one item."""

from typing import Annotated, ClassVar, Literal

from lumos_snap.report.diff import (
    BumpWord,
    ChangeFinding,
    ChangeWord,
    ComparedSide,
    Counts,
    NewWaiver,
    PolicyChange,
    Remark,
    Verdict,
)
from lumos_snap.report.envelope import FileFinding, Report
from lumos_snap.report.impact import Reach
from lumos_snap.schema import Maybe, Text, Value, value_class


@value_class
class DiffSummary(Value):
    """The verdict and summary of a diff."""

    base: ComparedSide
    head: ComparedSide
    root: Annotated[Maybe[Text], "where the tree lies in its repository; none at the top"] = None
    verdict: Verdict
    reasons: Annotated[tuple[str, ...], "why the verdict is what it is"]
    fail_on: Literal["breaking", "non-breaking", "none"]
    bump: Annotated[BumpWord, "the largest bump of any dataset"]
    counts: Counts
    reach: Annotated[Maybe[Reach], "how far the changes reach; none where nobody asked"] = None


@value_class
class DatasetSummary(Value):
    """One changed dataset; a line for each of its findings follows."""

    urn: Text
    path: Text
    change: ChangeWord
    renamed_from: Annotated[Maybe[Text], "its former urn"] = None
    bump: BumpWord
    readers: Annotated[tuple[str, ...], "the engines that judged it"]


_HOLDS = (
    *("diff", "policy_change", "new_waiver", "undecided", "damaged"),
    *("dataset", "finding", "entity", "remark"),
)


@value_class
class DiffLine(Report):
    """A line of `lumos snap diff --output ndjson`: exactly one item."""

    SCHEMA_EXTRA: ClassVar = {"oneOf": [{"required": [name]} for name in _HOLDS]}

    report: Literal["diff-line"] = "diff-line"
    diff: Annotated[Maybe[DiffSummary], "the first line"] = None
    policy_change: Annotated[Maybe[PolicyChange], "a setting that this change edits"] = None
    new_waiver: Annotated[Maybe[NewWaiver], "a waiver that the target branch does not have"] = None
    undecided: Annotated[Maybe[FileFinding], "a file of the old side that cannot be read"] = None
    damaged: Annotated[
        Maybe[FileFinding], "something that is wrong with a file of the new side"
    ] = None
    dataset: Annotated[Maybe[DatasetSummary], "a dataset that changed"] = None
    finding: Annotated[Maybe[ChangeFinding], "a change of the dataset before it"] = None
    entity: Annotated[Maybe[ChangeFinding], "a change of a user, group, term or the like"] = None
    remark: Annotated[Maybe[Remark], "something about a waiver, a reader or an entity"] = None
