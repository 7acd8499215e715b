"""The report of `lumos snap check`: whether datasets meet the policy requirements."""

from typing import Annotated, Literal

from lumos_snap.report.diff import ChangeFinding, ComparedSide, NewWaiver, PolicyChange, Remark
from lumos_snap.report.envelope import FileFinding, Report
from lumos_snap.schema import Maybe, Natural, Text, Value, value_class


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
