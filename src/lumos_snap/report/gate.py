"""The reports of the gate, its comment, and responses to comments."""

from typing import Annotated, Literal

from lumos_snap.report.diff import BumpWord, Counts, DiffReport, Verdict
from lumos_snap.report.envelope import Report
from lumos_snap.schema import Maybe, Natural, Text, Value, value_class


@value_class
class TreeResult(Value):
    """The result of the gate for one tree."""

    name: Annotated[Text, "the tree: its folder, as it was asked for"]
    difference: Annotated[Maybe[DiffReport], "what differs; none where that cannot be told"] = None
    problem: Annotated[Maybe[Text], "why that cannot be told"] = None
    hint: Annotated[str, "what to do about it"] = ""
    exit: Annotated[Natural, "the exit code that a diff of this tree alone has"]


@value_class
class GateReport(Report):
    """The report of `lumos snap gate`."""

    report: Literal["gate"] = "gate"
    verdict: Verdict
    reasons: Annotated[tuple[str, ...], "why the verdict is what it is"]
    bump: Annotated[BumpWord, "the largest bump of any dataset"]
    counts: Counts
    trees: tuple[TreeResult, ...]


@value_class
class RespondReport(Report):
    """The report of `lumos snap respond`."""

    report: Literal["respond"] = "respond"
    outcome: Annotated[
        Literal["ignored", "refused", "waived"], "what became of the comment's command"
    ]
    message: Annotated[Text, "the same, in words"]
    hint: Annotated[str, "what to do about it"] = ""
    path: Annotated[Maybe[Text], "the file of the waiver, from the top of the repository"] = None
    commit: Annotated[Maybe[Text], "the commit that was made"] = None
    verdict: Annotated[Maybe[Verdict], "what the gate decides about that commit"] = None


Outcome = Literal[
    "created",
    "edited",
    "kept",
    "late",
    "silent",
    "not allowed",
    "refused",
    "not sent",
    "nobody asks",
]


@value_class
class CommentReport(Report):
    """The report of `lumos snap comment`."""

    report: Literal["comment"] = "comment"
    outcome: Annotated[Outcome, "what became of the comment"]
    message: Annotated[Text, "the same, in words"]
    url: Annotated[str, "where the comment is"] = ""
    status: Annotated[Maybe[Text], "the commit status that was set"] = None
    refusals: Annotated[tuple[Text, ...], "what the server refused, and why"] = ()
    body: Annotated[Text, "what the comment says"]
