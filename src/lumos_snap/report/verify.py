"""What two sides hold that should hold the same."""

from typing import Annotated, Literal

from lumos_snap.report.envelope import Report
from lumos_snap.report.sync import SyncChange
from lumos_snap.schema import Natural, Text, Value, value_class

SideWord = Literal["source", "target"]


@value_class
class NamedDocument(Value):
    """A document, by what it is known by."""

    kind: Text
    id: Text


@value_class
class ComparedCount(Value):
    """How many of something there are on either side."""

    what: Text
    source: Natural
    target: Natural


@value_class
class DifferentDocument(NamedDocument):
    """A document that both sides have, and that does not say the same."""

    changes: Annotated[tuple[SyncChange, ...], "from the source to the target"]


@value_class
class LostPart(NamedDocument):
    """Something that one of the sides cannot hold: no difference."""

    side: Annotated[SideWord, "the side that cannot hold it"]
    at: Annotated[str, "a section, or a key of one; empty for the whole document"]
    reason: Text


@value_class
class DanglingName(NamedDocument):
    """A document that is named on a side, and is not there."""

    side: SideWord
    named_by: Annotated[Text, "the id of a document that names it"]


@value_class
class UnreadableDocument(NamedDocument):
    """A document that a side has, and that cannot be read."""

    side: SideWord
    reason: Text


@value_class
class VerifyReport(Report):
    """The answer of `lumos snap verify`."""

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
