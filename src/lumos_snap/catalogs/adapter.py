"""What an adapter of a catalog is: it reads, it writes one change, and it says what it can hold.

Deciding is `planning`; order, pace, retries, journal and reading back are `running`. An adapter
knows neither: it never decides, never retries and never writes more than one document at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from lumos_snap.canonical.document_kinds import KINDS, DocumentKind
from lumos_snap.errors import OutsideError
from lumos_snap.schema import Document

DocumentPlace: TypeAlias = tuple[str | tuple[Any, ...], ...]
"""Where something stands in a document: keys, and for an item of a set what tells it from others.

`("governance", "tags", ("tier-1",))`, or `("ownership", "owners", (None, "team", "STEWARD"))`: the
values of the keys that the set goes by, None where an item has none.
"""

_KINDS: Mapping[str, DocumentKind] = {kind.name: kind for kind in KINDS}


class Identity(NamedTuple):
    """Which document: its kind, and its urn or id. Everything is read in the order of these."""

    kind: str
    id: str

    @property
    def cls(self) -> type:
        """The class that describes the document."""
        return _KINDS[self.kind].cls


@dataclass(frozen=True, slots=True)
class Edit:
    """Who changed something in the catalog last, and when, as the catalog says it."""

    who: str = ""
    """The id of the user, where it was one; empty where nobody knows."""
    when: str = ""
    """A moment as in `2026-01-15T10:00:00Z`; empty where nobody knows."""
    is_person: bool = True
    """Whether it may have been a person, and not the catalog itself or another program."""


@dataclass(frozen=True, slots=True)
class CatalogDocument:
    """What a catalog holds of a document, as plain canonical JSON."""

    identity: Identity
    document: Document
    versions: Mapping[str, str] = field(default_factory=dict)
    """A token for each part that the catalog keeps; a write is refused where one moved."""
    ours: frozenset[DocumentPlace] = frozenset()
    """The keyed items that Lumos put there, at the places where the catalog knows who did."""
    edits: Mapping[str, Edit] = field(default_factory=dict)
    """Who changed each part last, where that is known."""
    is_removed: bool = False
    """Softly deleted: it is there, and nobody sees it."""
    mark: str = ""
    """Tells what is held from all else that ever was held; empty where the catalog cannot tell."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A document that the catalog has or may have, and that cannot be read now."""

    identity: Identity
    reason: str


@dataclass(frozen=True, slots=True)
class UnchangedDocument:
    """A document that has the mark which the reader knows; what it says is worked out if needed."""

    identity: Identity
    open: Callable[[], "CatalogDocument | Unreadable | None"]


Reading: TypeAlias = CatalogDocument | Unreadable | UnchangedDocument
NO_MARKS: Mapping[Identity, str] = {}


def open_reading(reading: Reading | None) -> CatalogDocument | Unreadable | None:
    """What was read, worked out."""
    return reading.open() if isinstance(reading, UnchangedDocument) else reading


class CatalogError(OutsideError):
    """A catalog did not answer as it was asked, and tells whether to ask again."""

    is_busy = False
    """It did nothing, and may be asked again."""
    is_passing = True
    """Another try may go well."""
    after: float | None = None
    """After how many seconds it may be asked again, where it says so."""


class Loss(NamedTuple):
    """Something of a document that the catalog cannot hold, and why."""

    at: str
    """A section, or a key of a section: `contract.gate`."""
    reason: str
    item: str = ""
    """The column, owner or other item that it is about, if not all of them."""


@dataclass(frozen=True, slots=True)
class Projection:
    """A document as far as the catalog can hold it; `refusal` says why it cannot hold it at all."""

    document: Document
    losses: tuple[Loss, ...] = ()
    refusal: str = ""


class DeleteMode(StrEnum):
    """How a catalog deletes."""

    NONE = "none"
    SOFT = "soft"
    HARD = "hard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a catalog can hold and do."""

    holds: Mapping[str, frozenset[str]]
    """By kind: the sections, or keys of sections (`governance.tags`), that it keeps."""
    attributed: frozenset[str] = frozenset()
    """The sets and maps (`governance.tags`) of which it knows who put each item there."""
    parts: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    """By kind: the parts that a key (`governance.tags`) stands in; left out: its section."""
    has_preconditions: bool
    """Whether it refuses a write over something newer by itself, in one step."""
    needs_referents: bool = True
    """Whether what a document refers to must be there first: then it is written in steps."""
    deletes: DeleteMode = DeleteMode.SOFT
    permanent: frozenset[str] = frozenset()
    """The kinds of documents of which it deletes none."""
    can_search: bool = False
    observes: frozenset[str] = frozenset()
    """The parts of an observation (`data.rows`) whose readings it keeps; none: it takes none."""


class WriteAction(StrEnum):
    """What a write does to a document."""

    CREATE = "create"
    UPDATE = "update"
    REVIVE = "revive"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class DocumentWrite:
    """One write: what the catalog is to hold of a document, and what it was seen to hold.

    What both say alike is not to be touched. A part that differs is written on the condition that
    it still has the version that was seen, or that it is not there where none was seen.
    """

    identity: Identity
    action: WriteAction
    document: Document
    seen: CatalogDocument | None = None
    moved: Mapping[str, str] = field(default_factory=dict)
    """Field paths that are others now, by the former ones: who said what of them is kept."""

    def sections(self) -> tuple[str, ...]:
        """The top-level keys that differ from what was seen."""
        before = self.seen.document if self.seen else {}
        names = {**before, **self.document}
        return tuple(name for name in names if before.get(name) != self.document.get(name))


@dataclass(frozen=True, slots=True)
class WriteConfirmed:
    """The change is stored."""

    versions: Mapping[str, str] = field(default_factory=dict)
    """The new versions of the parts that were written; an empty one where a part is gone."""


@dataclass(frozen=True, slots=True)
class WriteStale:
    """Nothing was stored: somebody changed the document since it was read."""

    reason: str = "it was changed meanwhile"


@dataclass(frozen=True, slots=True)
class WriteRefused:
    """Nothing was stored. What is busy may be asked again, after so many seconds if it says so."""

    reason: str
    is_busy: bool = False
    after: float | None = None


@dataclass(frozen=True, slots=True)
class WriteUnanswered:
    """It may be stored or not: no answer came. What `OutsideError` means, too."""

    reason: str


class ObservedDataset(NamedTuple):
    """A reading of a dataset, and what the dataset is."""

    observation: Document
    snapshot: Document


WriteAnswer: TypeAlias = WriteConfirmed | WriteStale | WriteRefused | WriteUnanswered


class Catalog(Protocol):
    """An adapter. Threads share it: all of it may be called at the same time."""

    @property
    def name(self) -> str:
        """What people call this catalog."""

    @property
    def capabilities(self) -> Capabilities:
        """What it can hold and do."""

    def project(self, identity: Identity, document: Document) -> Projection:
        """The document as the catalog would hold it. Pure, and the same when done twice."""

    def read(
        self, identities: Iterable[Identity], marks: Mapping[Identity, str] = NO_MARKS
    ) -> Iterator[Reading]:
        """What it holds now, in the order asked for; what it does not have is left out.

        Of what has the mark that is named here it may say just that. Reads what was written, not
        an index of it. Raises `OutsideError` where it is out of reach.
        """

    def apply(self, change: DocumentWrite) -> WriteAnswer:
        """Write one change, whole or not at all where the catalog can do that."""

    def search(self, words: str) -> Iterator[Identity]:
        """Documents that the catalog finds for some words; for none, all that it has, in order."""


@runtime_checkable
class Observer(Protocol):
    """What an adapter also is whose capabilities name what it observes."""

    def observe(self, readings: Sequence[ObservedDataset]) -> WriteAnswer:
        """Keep readings, each for good. One that is sent twice is there once."""


@runtime_checkable
class SupportsSettle(Protocol):
    """An adapter that has something to put in order after many writes: all are stored already."""

    def settle(self) -> bool:
        """Put it in order, and say whether it was not; doing so again, or never, loses nothing."""
