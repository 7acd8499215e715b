"""The reports of `lumos snap diff` and `lumos snap check`."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from lumos_snap.report.consumers import Impact, Reach
from lumos_snap.report.envelope import FileFinding, Report
from lumos_snap.schema import Json, Maybe, Natural, Text, Value, value_class

Verdict = Literal["pass", "fail", "undecided"]


class LevelWord(StrEnum):
    """The severity of a change."""

    BREAKING = "breaking"
    NON_BREAKING = "non-breaking"
    INFORMATIONAL = "informational"


class BumpWord(StrEnum):
    """A step of a version."""

    NONE = "none"
    PATCH = "patch"
    MINOR = "minor"
    MAJOR = "major"


class ChangeWord(StrEnum):
    """The kind of a dataset's change."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    CHANGED = "changed"


@value_class
class ComparedSide(Value):
    """One side of a diff."""

    name: Annotated[Text, "the branch, tag, commit or folder, as it was asked for"]
    commit: Annotated[Maybe[Text], "the commit that was read; none for a folder"] = None
    how: Annotated[Maybe[Text], "how the commit was found"] = None


@value_class
class DecisionStep(Value):
    """One step towards a finding's verdict."""

    by: Text
    says: Text


@value_class
class ChangeFinding(Value):
    """One change of a dataset, with its rule and severity."""

    fingerprint: Annotated[Text, "what the finding is, whatever words and lines it is shown with"]
    rule: Annotated[Text, "the id of the rule"]
    slug: Annotated[Text, "the name of the rule"]
    family: Text
    level: LevelWord
    silent: Annotated[bool, "whether other values are read and nothing fails"]
    bump: BumpWord
    blocks: Annotated[bool, "whether it fails the verdict"]
    waived: bool
    urn: Text
    field: Annotated[Maybe[Text], "the field path"] = None
    was: Annotated[Maybe[Text], "the field path before, where it was renamed or moved"] = None
    item: Annotated[Maybe[Text], "the owner, tag, edge or other item"] = None
    subject: Annotated[Text, "what changed, in the model's words"]
    action: Text
    old: Annotated[Json, "the old value, if there is one"] = None
    new: Annotated[Json, "the new value, if there is one"] = None
    message: Text
    reader: Annotated[Maybe[Text], "the reader that decides"] = None
    reads: Annotated[Maybe[Text], "what that reader does, in words"] = None
    shows: Annotated[Maybe[Text], "what it was seen to do, as in `2147483647 → -1`"] = None
    details: Annotated[tuple[str, ...], "what changed inside a property, a line each"] = ()
    why: Text
    fix: Text
    path: Annotated[Text, "the file"]
    line: Annotated[Natural, "the line in the new file; 0 where the file is gone"]
    decisions: tuple[DecisionStep, ...] = ()
    impact: Annotated[Maybe[Impact], "who reads what changed; none where nobody asked"] = None


@value_class
class ChangedDataset(Value):
    """One changed dataset."""

    urn: Text
    path: Text
    change: ChangeWord
    renamed_from: Annotated[Maybe[Text], "its former urn"] = None
    bump: BumpWord
    readers: Annotated[tuple[str, ...], "the engines that judged it"]
    findings: tuple[ChangeFinding, ...]


@value_class
class Counts(Value):
    """The number of findings of each level; silent ones are not counted as breaking."""

    datasets: Natural
    silent: Natural
    breaking: Natural
    non_breaking: Natural
    informational: Natural
    waived: Natural


@value_class
class Remark(Value):
    """A remark about a waiver or an entity."""

    path: Text
    message: Text


Effect = Literal["looser", "stricter", "different"]
WaiverChange = Literal["added", "changed", "moved"]


@value_class
class PolicyChange(Value):
    """A policy setting that this change edits."""

    path: Annotated[Text, "the file"]
    setting: Annotated[Text, "the setting, as in `policy.fail_on`"]
    old: Annotated[str, "the value on the target branch; empty where it is not set"]
    new: Annotated[str, "the value in this change; empty where it is not set"]
    effect: Annotated[Effect, "what it does to the policy"]

    @property
    def says(self) -> str:
        """Format the change in one line."""
        return f"{self.setting}: {self.old or 'not set'} → {self.new or 'not set'} ({self.effect})"


@value_class
class NewWaiver(Value):
    """A waiver that the target branch does not have, or that differs there."""

    path: Annotated[Text, "the file"]
    change: Annotated[WaiverChange, "against the target branch"]
    fingerprint: Annotated[Maybe[Text], "the finding that it accepts"] = None
    rule: Annotated[Maybe[Text], "the rule that it accepts findings of"] = None
    dataset: Annotated[Maybe[Text], "of which datasets, where it names a rule"] = None
    field: Annotated[Maybe[Text], "of which field, where it names one"] = None
    reason: Text
    owner: Text
    expires: Text
    counts: Annotated[bool, "whether it accepts anything yet"]
    decision: Annotated[Text, "why it counts, or why it does not"]

    @property
    def says(self) -> str:
        """Format the waiver in one line: scope, expiry, owner, reason, and whether it counts."""
        of = self.fingerprint or " ".join(filter(None, (self.rule, self.dataset, self.field)))
        fate = "counts" if self.counts else "does not count"
        told = f"{self.change} waiver of {of} until {self.expires} ({self.owner}): {self.reason}"
        return f"{told} [{fate}: {self.decision}]"


@value_class
class DiffReport(Report):
    """The report of `lumos snap diff`."""

    report: Literal["diff"] = "diff"
    base: ComparedSide
    head: ComparedSide
    root: Annotated[Maybe[Text], "where the tree lies in its repository; none at the top"] = None
    verdict: Verdict
    reasons: Annotated[tuple[str, ...], "why the verdict is what it is"]
    fail_on: Literal["breaking", "non-breaking", "none"]
    bump: Annotated[BumpWord, "the largest bump of any dataset"]
    counts: Counts
    policy_changes: Annotated[
        tuple[PolicyChange, ...], "settings of the policy that this change edits"
    ] = ()
    new_waivers: Annotated[
        tuple[NewWaiver, ...], "waivers that the target branch does not have, or has otherwise"
    ] = ()
    datasets: tuple[ChangedDataset, ...]
    entities: Annotated[tuple[ChangeFinding, ...], "changes of users, groups, terms and the like"]
    damaged: Annotated[
        tuple[FileFinding, ...], "what is wrong with files of the new side that the change touches"
    ]
    undecided: Annotated[tuple[FileFinding, ...], "files of the old side that cannot be read"]
    remarks: tuple[Remark, ...]
    reach: Annotated[
        Maybe[Reach], "how far the changes reach; none where nobody asked, or nothing matters"
    ] = None


@value_class
class ExplainReport(Report):
    """The report of `lumos snap explain`."""

    report: Literal["explain"] = "explain"
    base: ComparedSide
    head: ComparedSide
    finding: ChangeFinding


@value_class
class WaiveReport(Report):
    """The report of `lumos snap waive`."""

    report: Literal["waive"] = "waive"
    path: Annotated[Text, "the file of the waiver"]
    finding: ChangeFinding
    written: bool
    text: Annotated[Text, "what the file says"]


# The report of `lumos snap check`: whether datasets meet the policy requirements.


@value_class
class CheckCounts(Value):
    """The number of findings, by their effect."""

    blocking: Natural
    other: Annotated[Natural, "those that do not block: warnings"]
    waived: Natural


@value_class
class CheckReport(Report):
    """The report of `lumos snap check`."""

    report: Literal["check"] = "check"
    source: Annotated[Text, "the tree that was looked at"]
    base: Annotated[Maybe[ComparedSide], "where only what changed since was looked at"] = None
    demands: Annotated[Natural, "how much the settings ask for; where it is 0, all passes"]
    checked: Annotated[Natural, "how many datasets were checked"]
    verdict: Literal["pass", "fail"]
    reasons: Annotated[tuple[str, ...], "why the verdict is what it is"]
    fail_on: Literal["breaking", "non-breaking", "none"]
    counts: CheckCounts
    policy_changes: Annotated[
        tuple[PolicyChange, ...], "settings of the policy that this change edits"
    ] = ()
    new_waivers: Annotated[
        tuple[NewWaiver, ...], "waivers that the target branch does not have, or has otherwise"
    ] = ()
    findings: Annotated[tuple[ChangeFinding, ...], "those that block first"]
    damaged: Annotated[tuple[FileFinding, ...], "what is wrong with files, as `validate` has it"]
    remarks: tuple[Remark, ...]


# A diff as a stream of lines, each with one item.


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
