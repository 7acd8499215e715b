"""The decision about one document, as values."""

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
    """One document in the base, in the tree and in the catalog; None where it is missing."""

    identity: Identity
    base: Document | None = None
    tree: Document | None = None
    held: CatalogDocument | None = None
    unreadable: str = ""
    """Why the catalog's side is unknown."""


class Becomes(StrEnum):
    """The result of an edit that was made in the catalog."""

    PULLED = "pulled"  # it goes into the tree
    REVERTED = "reverted"  # the tree's value is restored
    KEPT = "kept"  # it is not ours: it stays in the catalog only


@dataclass(frozen=True, slots=True)
class Drift:
    """A difference of the catalog from the tree, and how it is resolved."""

    fact: Fact
    becomes: Becomes
    edit: Edit | None = None


class Winner(StrEnum):
    """The winner of a conflict."""

    NOBODY = "nobody"  # a person decides; both sides stay as they are
    GIT = "git"
    CATALOG = "catalog"


@dataclass(frozen=True, slots=True)
class Dispute:
    """A conflict of edits on both sides, and who wins."""

    conflict: Conflict
    winner: Winner = Winner.NOBODY


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncDecision:
    """The complete decision of a sync about one document."""

    sides: SyncSides
    mine: Document | None = None
    """The supported part of the tree's document."""
    action: WriteAction | None = None
    wanted: Document = field(default_factory=dict[str, object])
    """The catalog's content after the action."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Current paths of columns whose metadata has another path in the catalog, by former path."""
    pulled: Document | None = None
    """The tree's document after a pull, if the catalog changed something."""
    changes: tuple[Fact, ...] = ()
    """The action's changes in the catalog; empty for a document that is new there."""
    drifts: tuple[Drift, ...] = ()
    kept: tuple[DocumentPlace, ...] = ()
    """Content that stays in the catalog although the tree lacks it, because it is not ours."""
    disputes: tuple[Dispute, ...] = ()
    losses: tuple[Loss, ...] = ()
    refusal: str = ""
    """Why no action is taken."""
    unpulled: str = ""
    """Why the catalog's edits cannot go into the tree."""
    adopted: Document | None = None
    """The new base, if both sides agree on something that the base lacks."""
    is_forgotten: bool = False
    """Both sides have deleted it, and the base still has it."""

    @property
    def identity(self) -> Identity:
        """The identity of the document."""
        return self.sides.identity

    @property
    def is_open(self) -> bool:
        """Whether a conflict is left that a person must decide."""
        return any(one.winner is Winner.NOBODY for one in self.disputes)

    @property
    def is_quiet(self) -> bool:
        """Whether both sides and the base agree."""
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
