"""The reports of `lumos snap sync` and `verify`: plan, result, unsupported parts, differences."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Annotated, Literal

from lumos_snap.report.envelope import FileFinding, Report
from lumos_snap.schema import Json, Maybe, Natural, Text, Value, value_class


class ActionWord(StrEnum):
    """The write action on a document in a catalog."""

    CREATE = "create"
    UPDATE = "update"
    REVIVE = "revive"
    DELETE = "delete"


class BecomesWord(StrEnum):
    """How an edit in the catalog is resolved."""

    PULLED = "pulled"
    REVERTED = "reverted"
    KEPT = "kept"


class WinnerWord(StrEnum):
    """The winner of a conflict."""

    NOBODY = "nobody"
    GIT = "git"
    CATALOG = "catalog"


class OutcomeWord(StrEnum):
    """The outcome of a document."""

    WRITTEN = "written"
    SETTLED = "settled"
    CONFLICT = "conflict"
    FAILED = "failed"


@value_class
class SyncChange(Value):
    """One change in the catalog."""

    subject: Annotated[Text, "what changes, in the model's words"]
    action: Text
    field: Annotated[Maybe[Text], "the field path"] = None
    item: Annotated[Maybe[Text], "the owner, tag, edge or other item"] = None
    old: Annotated[Json, "the old value, if there is one"] = None
    new: Annotated[Json, "the new value, if there is one"] = None


@value_class
class SyncDrift(SyncChange):
    """One difference of the catalog from the tree."""

    becomes: BecomesWord
    by: Annotated[
        Maybe[Text], "who changed that part last, if the catalog knows, since it was confirmed"
    ] = None
    when: Maybe[Text] = None


@value_class
class SyncConflict(Value):
    """A conflict of edits on both sides; a missing value is absent on that side."""

    at: Annotated[str, "where it stands; empty for the whole document"]
    why: Text
    base: Json = None
    ours: Json = None
    theirs: Json = None
    winner: WinnerWord


@value_class
class SyncLoss(Value):
    """Something that the catalog does not support: it stays in the tree."""

    at: Text
    reason: Text
    item: Maybe[Text] = None


@value_class
class PlannedDocument(Value):
    """One document of a plan with actions or remarks."""

    kind: Text
    id: Text
    action: Annotated[Maybe[ActionWord], "what is written; left out: nothing"] = None
    columns: Annotated[Maybe[Natural], "of a dataset that is new there"] = None
    changes: tuple[SyncChange, ...] = ()
    drifts: tuple[SyncDrift, ...] = ()
    kept: Annotated[tuple[str, ...], "what stays there because it is not ours"] = ()
    conflicts: tuple[SyncConflict, ...] = ()
    losses: tuple[SyncLoss, ...] = ()
    refusal: Annotated[Maybe[Text], "why nothing, or not all, can be done"] = None


@value_class
class SyncCounts(Value):
    """The number of documents by category; a document may be in several."""

    documents: Annotated[Natural, "in the tree"]
    created: Natural
    changed: Natural
    revived: Natural
    deleted: Natural
    drifted: Natural
    conflicting: Annotated[Natural, "that a person must decide about"]
    refused: Natural


@value_class
class SyncCommit(Value):
    """A commit of edits that were made in the catalog."""

    id: Text
    author: Annotated[Maybe[Text], "who edited it; left out: nobody knows"] = None
    email: Maybe[Text] = None
    when: Annotated[Maybe[Text], "the last of the edits"] = None
    paths: tuple[str, ...]


@value_class
class SyncPlan(Report):
    """The plan of a sync."""

    report: Literal["sync-plan"] = "sync-plan"
    catalog: Text
    hash: Annotated[Text, "what tells it from a plan that writes anything else"]
    counts: SyncCounts
    documents: tuple[PlannedDocument, ...]
    losses: Annotated[Mapping[str, int], "what the catalog cannot hold, and of how many documents"]
    observations: Annotated[Natural, "measured since the last ones were sent"] = 0
    written: Annotated[tuple[str, ...], "the files that a pull has changed"] = ()
    commits: Annotated[tuple[SyncCommit, ...], "what a pull has committed, in order"] = ()
    damaged: Annotated[
        tuple[FileFinding, ...], "invalid files of the tree, which are left out"
    ] = ()


@value_class
class SyncedDocument(Value):
    """The outcome of one document."""

    kind: Text
    id: Text
    action: Maybe[ActionWord] = None
    outcome: OutcomeWord
    reason: Maybe[Text] = None
    conflicts: Annotated[tuple[SyncConflict, ...], "what is left to a person, beside"] = ()


@value_class
class SyncReport(Report):
    """The result of a sync."""

    report: Literal["sync"] = "sync"
    catalog: Text
    counts: Annotated[Mapping[str, int], "how many documents there are of each outcome"]
    documents: tuple[SyncedDocument, ...]
    journal: Annotated[Maybe[Text], "what finishes the run, where it is not finished"] = None
    observations: Annotated[Natural, "how many were sent"] = 0
    unsent: Annotated[Mapping[str, str], "the datasets whose observations were not, and why"] = (
        field(default_factory=dict)
    )
    damaged: Annotated[
        tuple[FileFinding, ...], "invalid files of the tree, which are left out"
    ] = ()


@value_class
class LostDocument(Value):
    """A document that a catalog does not support completely."""

    kind: Text
    id: Text
    is_whole: Annotated[bool, "the catalog cannot hold any of it"]
    lost: Annotated[tuple[SyncChange, ...], "what it lacks there, as old and new value"] = ()


@value_class
class SyncLosses(Report):
    """The parts of documents that a catalog does not support and that git keeps."""

    report: Literal["sync-losses"] = "sync-losses"
    catalog: Text
    documents: tuple[LostDocument, ...]


# The report of `lumos snap verify`: the differences between two sides.


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
