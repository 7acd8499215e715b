"""The reports of the gate, its comment, responses to comments, and notifications."""

from typing import Annotated, Literal

from lumos_snap.report.diff import BumpWord, ComparedSide, Counts, DiffReport, Verdict
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


# The report of `lumos snap notify`: owners, and the breaking changes that concern them.


@value_class
class BreakingChange(Value):
    """One breaking change in the notice of one owner."""

    urn: Annotated[Text, "the dataset that changed"]
    rule: Annotated[Text, "the id of the rule"]
    slug: Annotated[Text, "the name of the rule"]
    message: Text
    why: Text
    fix: Text
    silent: Annotated[bool, "whether other values are read and nothing fails"]
    waived: Annotated[bool, "whether it was accepted"]
    path: Annotated[Text, "the file"]
    line: Natural
    reads: Annotated[tuple[str, ...], "the datasets of the owner that are made from it"] = ()


@value_class
class OwnerNotice(Value):
    """The notice to one owner."""

    owner: Annotated[Maybe[Text], "the id of the user or group; none where nobody owns it"] = None
    email: Annotated[Maybe[Text], "where the owner can be written to, if an entity says it"] = None
    owned: Annotated[tuple[BreakingChange, ...], "what breaks of the owner's own datasets"]
    read: Annotated[
        tuple[BreakingChange, ...], "what breaks of those that the owner's are made from"
    ]
    files: Annotated[tuple[str, ...], "what was written for the owner"] = ()


@value_class
class NotifyReport(Report):
    """The report of `lumos snap notify`."""

    report: Literal["notify"] = "notify"
    base: ComparedSide
    head: ComparedSide
    breaking: Annotated[Natural, "how many breaking changes there are, silent ones included"]
    unread: Annotated[Natural, "files that cannot be read: what breaks there, nobody knows"]
    notices: tuple[OwnerNotice, ...]
    posted: Annotated[Natural, "how many messages the webhook took"]
