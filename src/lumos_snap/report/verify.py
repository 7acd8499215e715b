"""The report of `lumos snap verify`: the differences between two sides."""

from typing import Annotated, Literal

from lumos_snap.report.envelope import Report
from lumos_snap.report.sync import SyncChange
from lumos_snap.schema import Natural, Text, Value, value_class

SideWord = Literal["source", "target"]


@value_class
class NamedDocument(Value):
    """A document, by its identity."""

    kind: Text
    id: Text


@value_class
class ComparedCount(Value):
    """The number of something on either side."""

    what: Text
    source: Natural
    target: Natural


@value_class
class DifferentDocument(NamedDocument):
    """A document that differs between the sides."""

    changes: Annotated[tuple[SyncChange, ...], "from the source to the target"]


@value_class
class LostPart(NamedDocument):
    """A part that one of the sides does not support: not a difference."""

    side: Annotated[SideWord, "the side that cannot hold it"]
    at: Annotated[str, "a section, or a key of one; empty for the whole document"]
    reason: Text


@value_class
class DanglingName(NamedDocument):
    """A reference to a document that is missing on that side."""

    side: SideWord
    named_by: Annotated[Text, "the id of a document that names it"]


@value_class
class UnreadableDocument(NamedDocument):
    """A document that cannot be read on one side."""

    side: SideWord
    reason: Text


@value_class
class VerifyReport(Report):
    """The report of `lumos snap verify`."""

    report: Literal["verify"] = "verify"
    source: Text
    target: Text
    counts: tuple[ComparedCount, ...]
    missing: Annotated[tuple[NamedDocument, ...], "the source has them, the target does not"]
    additional: Annotated[tuple[NamedDocument, ...], "the target has them, the source does not"]
    different: tuple[DifferentDocument, ...]
    lost: Annotated[tuple[LostPart, ...], "what a side cannot hold, and so cannot have"]
    dangling: Annotated[tuple[DanglingName, ...], "names that lead to nothing on their side"]
    unreadable: tuple[UnreadableDocument, ...]
