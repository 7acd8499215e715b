"""Documents that a catalog supports only in part: git keeps them, to restore what is lost."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from lumos_snap.canonical.document_kinds import kind_at
from lumos_snap.canonical.encode import encode_document
from lumos_snap.catalogs import sync_state
from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.report import build_losses_report
from lumos_snap.catalogs.sync.drift import facts
from lumos_snap.catalogs.sync.join import iter_documents
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.catalogs.sync_state import Contents, SyncBase, path_of
from lumos_snap.commands.sync.tree_documents import TreeSide
from lumos_snap.git import custom_refs
from lumos_snap.report.sync import SyncLosses
from lumos_snap.schema import Document
from lumos_snap.tree import Tree
from lumos_snap.tree.path_kinds import Form


def find_documents_to_keep(side: TreeSide, base: SyncBase, lossy: Iterable[Identity]) -> Contents:
    """Updates of the kept documents; None for a document that no longer loses anything."""
    paths = {path_of(one): one for one in lossy}
    is_sure = not side.invalid and next(side.identities(), None) is not None
    old = (one for one in sync_state.read_kept(base, but=paths) if side.wants(one.id))
    gone = (one for one in old if is_sure and _may_go(one, side.tree, base))
    return {**dict.fromkeys(gone), **dict(_iter_new(side, base, paths))}


def _iter_new(
    side: TreeSide, base: SyncBase, paths: Mapping[str, Identity]
) -> Iterator[tuple[Identity, Document]]:
    """The documents at some paths that differ from their kept versions."""
    known = sync_state.oids(base)
    there = [path for path in paths if side.tree.files.form(path) is Form.FILE]
    for kind, some in groupby(there, key=kind_at):
        assert kind is not None  # noqa: S101 - they are documents
        for identity, document in side.read(kind, list(some)):
            content = encode_document(document, kind.cls)
            if known.get(path_of(identity)) != custom_refs.blob_id(base.repository, content):
                yield identity, document


def _may_go(one: Identity, tree: Tree, base: SyncBase) -> bool:
    """Whether it no longer loses anything, or was removed from both the tree and the catalog."""
    path = path_of(one)
    return tree.files.form(path) is Form.FILE or path not in base.files


def find_lossy(side: TreeSide, rules: Rules) -> Iterator[Identity]:
    """Documents of a tree that the catalog supports only in part."""
    for identity, document in iter_documents(side):
        found = rules.projected(identity, document)
        if found.losses or found.refusal:
            yield identity


def report_losses(base: SyncBase) -> SyncLosses:
    """Report what git keeps and the catalog lacks, with values, as last confirmed."""
    whole = sync_state.read_kept(base)
    confirmed = (one for one in base.documents() if one[0] in whole)
    held = dict(iter_documents(confirmed))
    return build_losses_report(
        base.name,
        (
            (one, facts(held[one], document, one.cls) if one in held else None)
            for one, document in sorted(whole.items())
        ),
    )
