"""What a catalog cannot hold is kept in git: documents as they were, to come back from there."""

from collections.abc import Iterator, Mapping

from lumos_snap.catalogs import wholes
from lumos_snap.catalogs.base import Base, Contents, path_of
from lumos_snap.catalogs.planning.drifting import facts
from lumos_snap.catalogs.planning.joining import worked_out
from lumos_snap.catalogs.planning.rules import Rules
from lumos_snap.catalogs.seam import Identity
from lumos_snap.catalogs.telling import told_of_losses
from lumos_snap.flows.syncing.sides import TreeSide
from lumos_snap.report.syncing import SyncLosses
from lumos_snap.shape import Document
from lumos_snap.tree import Tree
from lumos_snap.tree.forms import Form


def to_keep(side: TreeSide, base: Base, lossy: Mapping[Identity, Document]) -> Contents:
    """What a base is to learn of documents that lose something; None of one that no longer does."""
    known = wholes.kept(base)
    if known == lossy:
        return {}
    is_sure = not side.broken and next(side.identities(), None) is not None
    old = (one for one in known if one not in lossy and side.wants(one.id))
    gone = (one for one in old if is_sure and _may_go(one, side.tree, base))
    new = {one: document for one, document in lossy.items() if known.get(one) != document}
    return {**dict.fromkeys(gone), **new}


def _may_go(one: Identity, tree: Tree, base: Base) -> bool:
    """Whether it loses nothing any more, or has left both the tree and the catalog."""
    path = path_of(one)
    return tree.files.form(path) is Form.FILE or path not in base.files


def lossy_in(side: TreeSide, rules: Rules) -> Iterator[tuple[Identity, Document]]:
    """The documents of a tree of which a catalog cannot hold all."""
    for identity, document in worked_out(side):
        found = rules.projected(identity, document)
        if found.losses or found.refusal:
            yield identity, document


def kept_losses(base: Base) -> SyncLosses:
    """What git keeps that the catalog lacks, with the values, as it was last confirmed."""
    whole = wholes.kept(base)
    confirmed = (one for one in base.documents() if one[0] in whole)
    held = dict(worked_out(confirmed))
    return told_of_losses(
        base.name,
        (
            (one, facts(held[one], document, one.cls) if one in held else None)
            for one, document in sorted(whole.items())
        ),
    )
