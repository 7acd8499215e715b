"""The report of `lumos snap notify`: owners, and the breaking changes that concern them."""

from typing import Annotated, Literal

from lumos_snap.report.diff import ComparedSide
from lumos_snap.report.envelope import Report
from lumos_snap.schema import Maybe, Natural, Text, Value, value_class


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
