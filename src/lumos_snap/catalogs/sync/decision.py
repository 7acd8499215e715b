"""What was decided about one document, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lumos_snap.catalogs.adapter import (
    CatalogDocument,
    DocumentPlace,
    Edit,
    Identity,
    Loss,
    WriteAction,
)
from lumos_snap.diff import Fact
from lumos_snap.merging import Conflict
from lumos_snap.schema import Document


@dataclass(frozen=True, slots=True)
class SyncSides:
    """One document in the base, in the tree and in the catalog; None where it is not there."""

    identity: Identity
    base: Document | None = None
    tree: Document | None = None
    held: CatalogDocument | None = None
    unreadable: str = ""
    """Why the catalog's side is not known."""


class Becomes(StrEnum):
    """What becomes of an edit that was made in the catalog."""

    PULLED = "pulled"  # it goes into the tree
    REVERTED = "reverted"  # the tree's word is restored
    KEPT = "kept"  # it is not ours: it stays, and the tree does not have it


@dataclass(frozen=True, slots=True)
class Drift:
    """Something that the catalog says and the tree does not, and what becomes of it."""

    fact: Fact
    becomes: Becomes
    edit: Edit | None = None


class Winner(StrEnum):
    """Who a conflict is decided for."""

    NOBODY = "nobody"  # a person decides; both sides stay as they are
    GIT = "git"
    CATALOG = "catalog"


@dataclass(frozen=True, slots=True)
class Dispute:
    """Something that both sides changed differently, and who wins."""

    conflict: Conflict
    winner: Winner = Winner.NOBODY


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncDecision:
    """All that a sync has to say about one document, and to do about it."""

    sides: SyncSides
    mine: Document | None = None
    """The tree's document as far as the catalog can hold it."""
    action: WriteAction | None = None
    wanted: Document = field(default_factory=dict)
    """What the catalog is to hold after the action."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Columns that the tree calls otherwise than the catalog's words about them, by former path."""
    pulled: Document | None = None
    """What the tree is to hold after a pull, if the catalog has something for it."""
    changes: tuple[Fact, ...] = ()
    """What the action changes in the catalog; nothing is listed of a document that is new there."""
    drifts: tuple[Drift, ...] = ()
    kept: tuple[DocumentPlace, ...] = ()
    """What stays in the catalog though the tree lacks it, because it is not ours."""
    disputes: tuple[Dispute, ...] = ()
    losses: tuple[Loss, ...] = ()
    refusal: str = ""
    """Why nothing is done about it."""
    unpulled: str = ""
    """Why the catalog's edits cannot go into the tree."""
    adopted: Document | None = None
    """What the base may say already, where both sides say the same and it does not know."""
    is_forgotten: bool = False
    """Neither side has it any more, and the base still does."""

    @property
    def identity(self) -> Identity:
        """Which document."""
        return self.sides.identity

    @property
    def is_open(self) -> bool:
        """Whether something is left that a person must decide."""
        return any(one.winner is Winner.NOBODY for one in self.disputes)

    @property
    def is_quiet(self) -> bool:
        """Whether both sides and the base say the same."""
        return not (
            self.action
            or self.pulled
            or self.drifts
            or self.kept
            or self.disputes
            or self.refusal
            or self.unpulled
            or self.adopted is not None
            or self.is_forgotten
        )
