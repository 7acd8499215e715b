"""Since when the columns of a dataset are what they are."""

from enum import StrEnum
from typing import Annotated, Literal

from lumos_snap.report.envelope import Report
from lumos_snap.schema import Maybe, Text, Value, stored


@stored
class CommitInfo(Value):
    """A commit."""

    id: Text
    author: Annotated[str, "the author's name, as the commit has it"]
    mail: str
    date: Annotated[Text, "when it was made, in UTC"]
    authored: Annotated[Text, "when its change was written, in UTC"]
    subject: str


class Certainty(StrEnum):
    """How well it is known since when something is so."""

    EXACT = "exact"
    AT_THE_LATEST = "at-the-latest"  # a shallow clone ends at this commit
    NOT_COMMITTED = "not-committed"


class ListWord(StrEnum):
    """The lists of a snapshot that hold columns."""

    FIELDS = "fields"
    KEY_FIELDS = "key_fields"
    PARTITIONING = "partitioning"


@stored
class Origin(Value):
    """Since when something is so."""

    certainty: Certainty
    commit: Maybe[CommitInfo] = None


@stored
class BlamedColumn(Value):
    """One column at any depth."""

    path: Text
    of: Annotated[ListWord, "the list that it stands in"]
    type: Annotated[Text, "its type in the notation"]
    nullable: Maybe[bool] = None
    since: Annotated[Origin, "since when it is what it is now"]
    first: Annotated[Origin, "when it first appeared, under whatever name"]
    first_path: Annotated[Text, "what it was called then"]


@stored
class Blame(Report):
    """The answer of `lumos snap blame`."""

    report: Literal["blame"] = "blame"
    source: Text
    urn: Text
    path: Text
    columns: Annotated[tuple[BlamedColumn, ...], "in the order of the schema, parents first"]
    ends_at: Annotated[Maybe[Text], "the commit before which a shallow clone knows nothing"] = None
