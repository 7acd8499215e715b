"""The interface of a catalog adapter: read documents, write one change, declare capabilities.

`catalogs.sync` decides what to write, and handles order, rate limits, retries, the journal and
reading back. An adapter does none of this: it never decides, never retries and never writes more
than one document at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from lumos_snap.canonical.document_kinds import KINDS, DocumentKind
from lumos_snap.errors import OutsideError
from lumos_snap.schema import Document

DocumentPlace: TypeAlias = tuple[str | tuple[object, ...], ...]
"""The position of a value in a document: keys, and for an item of a set its identifying values.

`("governance", "tags", ("tier-1",))`, or `("ownership", "owners", (None, "team", "STEWARD"))`: the
values of the keys that identify an item of the set, None where an item has none.
"""

_KINDS: Mapping[str, DocumentKind] = {kind.name: kind for kind in KINDS}


class Identity(NamedTuple):
    """The identity of a document: its kind, and its urn or id. Documents are read in this order."""

    kind: str
    id: str

    @property
    def cls(self) -> type:
        """The class that describes the document."""
        return _KINDS[self.kind].cls


@dataclass(frozen=True, slots=True)
class Edit:
    """The last editor of something in the catalog, and the time, as reported by the catalog."""

    who: str = ""
    """The id of the user, if it was one; empty if unknown."""
    when: str = ""
    """A moment such as `2026-01-15T10:00:00Z`; empty if unknown."""
    is_person: bool = True
    """Whether it may be a person, as opposed to the catalog itself or another program."""


@dataclass(frozen=True, slots=True)
class CatalogDocument:
    """The content of a document in a catalog, as plain canonical JSON."""

    identity: Identity
    document: Document
    versions: Mapping[str, str] = field(default_factory=dict)
    """A version token for each part that the catalog stores; a write is refused if one changed."""
    ours: frozenset[DocumentPlace] = frozenset()
    """The keyed items that Lumos added, at the places where the catalog records who did."""
    edits: Mapping[str, Edit] = field(default_factory=dict)
    """The last edit of each part, where it is known."""
    is_removed: bool = False
    """Soft-deleted: stored, but not visible."""
    mark: str = ""
    """A unique mark of this content over the document's history; empty if the catalog has none."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A document that the catalog has or may have, and that cannot be read now."""

    identity: Identity
    reason: str


@dataclass(frozen=True, slots=True)
class UnchangedDocument:
    """A document whose mark the caller already knows; its content is parsed only if needed."""

    identity: Identity
    open: Callable[[], "CatalogDocument | Unreadable | None"]


Reading: TypeAlias = CatalogDocument | Unreadable | UnchangedDocument
NO_MARKS: Mapping[Identity, str] = {}


def open_reading(reading: Reading | None) -> CatalogDocument | Unreadable | None:
    """Parse what was read, if it is still unparsed."""
    return reading.open() if isinstance(reading, UnchangedDocument) else reading


class CatalogError(OutsideError):
    """A failed request to a catalog, and whether to retry it."""

    is_busy = False
    """The catalog did nothing; the request may be repeated."""
    is_passing = True
    """A retry may succeed."""
    after: float | None = None
    """Seconds until the next attempt, if the catalog states them."""


class Loss(NamedTuple):
    """A part of a document that the catalog does not support, and why."""

    at: str
    """A section, or a key of a section: `contract.gate`."""
    reason: str
    item: str = ""
    """The column, owner or other item that it is about, if not all of them."""


@dataclass(frozen=True, slots=True)
class Projection:
    """The supported part of a document; `refusal` says why the catalog cannot store it at all."""

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
    """The documents, keys and operations that a catalog supports."""

    holds: Mapping[str, frozenset[str]]
    """By kind: the sections, or keys of sections (`governance.tags`), that it stores."""
    attributed: frozenset[str] = frozenset()
    """The sets and maps (`governance.tags`) for which it records who added each item."""
    parts: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    """By kind: the parts that store a key (`governance.tags`); default: the part of its section."""
    has_preconditions: bool
    """Whether it rejects a write over a newer version by itself, atomically."""
    needs_referents: bool = True
    """Whether referenced documents must exist first: then writes are done in steps."""
    deletes: DeleteMode = DeleteMode.SOFT
    permanent: frozenset[str] = frozenset()
    """The kinds of documents that it cannot delete."""
    can_search: bool = False
    observes: frozenset[str] = frozenset()
    """The parts of an observation (`data.rows`) that it stores; empty: it takes no observations."""


class WriteAction(StrEnum):
    """What a write does to a document."""

    CREATE = "create"
    UPDATE = "update"
    REVIVE = "revive"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class DocumentWrite:
    """One write: the content to store, and the content last read from the catalog.

    Parts that are equal in both are not touched. A part that differs is written on the condition
    that it still has the version that was read, or that it does not exist if none was read.
    """

    identity: Identity
    action: WriteAction
    document: Document
    seen: CatalogDocument | None = None
    moved: Mapping[str, str] = field(default_factory=dict)
    """Current field paths by former paths, so that metadata of renamed columns is kept."""

    def sections(self) -> tuple[str, ...]:
        """The top-level keys that differ from what was read."""
        before = self.seen.document if self.seen else {}
        names = {**before, **self.document}
        return tuple(name for name in names if before.get(name) != self.document.get(name))


@dataclass(frozen=True, slots=True)
class WriteConfirmed:
    """The change is stored."""

    versions: Mapping[str, str] = field(default_factory=dict)
    """The new versions of the written parts; empty for a part that was deleted."""


@dataclass(frozen=True, slots=True)
class WriteStale:
    """Nothing was stored: the document changed after it was read."""

    reason: str = "it was changed meanwhile"


@dataclass(frozen=True, slots=True)
class WriteRefused:
    """Nothing was stored. If busy, retry after `after` seconds, where the catalog states them."""

    reason: str
    is_busy: bool = False
    after: float | None = None


@dataclass(frozen=True, slots=True)
class WriteUnanswered:
    """No answer, so the write may be stored or not. An `OutsideError` means the same."""

    reason: str


class ObservedDataset(NamedTuple):
    """An observation of a dataset, with the dataset's snapshot."""

    observation: Document
    snapshot: Document


WriteAnswer: TypeAlias = WriteConfirmed | WriteStale | WriteRefused | WriteUnanswered


class Catalog(Protocol):
    """A catalog adapter. Threads share it: all methods may be called concurrently."""

    @property
    def name(self) -> str:
        """The display name of this catalog."""

    @property
    def capabilities(self) -> Capabilities:
        """The documents, keys and operations that it supports."""

    def project(self, identity: Identity, document: Document) -> Projection:
        """Reduce a document to what the catalog can store. Pure and idempotent."""

    def read(
        self, identities: Iterable[Identity], marks: Mapping[Identity, str] = NO_MARKS
    ) -> Iterator[Reading]:
        """Read the current documents, in the order of `identities`; missing ones are left out.

        A document whose mark equals the one in `marks` may be returned as unchanged. Reads stored
        data, not a search index. Raises `OutsideError` if the catalog is unreachable.
        """

    def apply(self, change: DocumentWrite) -> WriteAnswer:
        """Write one change, atomically where the catalog can do that."""

    def search(self, words: str) -> Iterator[Identity]:
        """Find documents that match some words; without words, list all documents, in order."""


@runtime_checkable
class Observer(Protocol):
    """An adapter that also stores observations, if its capabilities list any."""

    def observe(self, readings: Sequence[ObservedDataset]) -> WriteAnswer:
        """Store observations permanently. Sending one twice stores it once."""


@runtime_checkable
class SupportsSettle(Protocol):
    """An adapter with cleanup work after many writes, all of which are already stored."""

    def settle(self) -> bool:
        """Clean up; return whether there was work. Repeating or omitting it loses nothing."""
