"""The write order of a plan: referenced documents come before those that refer to them."""

import functools
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs.adapter import CatalogDocument, DocumentWrite, Identity, WriteAction
from lumos_snap.catalogs.sync.decision import SyncDecision
from lumos_snap.merging import same
from lumos_snap.model.contract import Contract
from lumos_snap.model.curated_metadata import FieldGovernance, Governance, Owner
from lumos_snap.model.entities import Domain, Group, Job, Term, User
from lumos_snap.model.lineage import Edge
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Document, Holds, NameKind, keys_of


class WriteStage(IntEnum):
    """A stage of writes, finished before the next one starts."""

    WORDS = 0  # tags, terms, domains, users, groups
    PROPERTIES = 1
    DATASETS = 2
    LINEAGE = 3
    ASSERTIONS = 4
    DELETES = 5


_STAGES: Mapping[str, WriteStage] = {
    "tag": WriteStage.WORDS,
    "term": WriteStage.WORDS,
    "domain": WriteStage.WORDS,
    "user": WriteStage.WORDS,
    "group": WriteStage.WORDS,
    "property": WriteStage.PROPERTIES,
    SNAPSHOT.name: WriteStage.DATASETS,
    "job": WriteStage.LINEAGE,  # it refers to the datasets that it reads and writes
}
_LATER: Mapping[str, WriteStage] = {"lineage": WriteStage.LINEAGE, "quality": WriteStage.ASSERTIONS}
"""Sections of a snapshot that refer to other documents, or become entities of their own."""


def change_at(
    decision: SyncDecision,
    held: CatalogDocument | None,
    stage: WriteStage,
    *,
    in_steps: bool = True,
) -> DocumentWrite | None:
    """The write of a document in a stage, given the catalog's current content.

    Without steps, the whole document is written in its first stage.
    """
    identity = decision.identity
    if decision.action is WriteAction.DELETE:
        return (
            DocumentWrite(identity, WriteAction.DELETE, {}, held)
            if stage is WriteStage.DELETES
            else None
        )
    first = _STAGES[identity.kind]
    if decision.action is None or stage < first or stage is WriteStage.DELETES:
        return None
    there = held.document if held else {}
    wanted = decision.wanted
    after = _up_to(stage, there, wanted, identity.kind) if in_steps else wanted
    if held is None or held.is_removed:
        return DocumentWrite(
            identity, WriteAction.REVIVE if held else WriteAction.CREATE, after, held
        )
    if same(after, there):
        return None
    return DocumentWrite(identity, WriteAction.UPDATE, after, held, decision.moved)


def _up_to(stage: WriteStage, there: Document, wanted: Document, kind: str) -> Document:
    """The catalog's content, with all wanted sections up to a stage."""
    if kind != SNAPSHOT.name:
        return wanted
    names = {one for one in {**there, **wanted} if _LATER.get(one, WriteStage.DATASETS) <= stage}
    kept = {name: one for name, one in there.items() if name not in names}
    taken = {name: one for name, one in wanted.items() if name in names}
    return {**kept, **taken}


_BY_ID: Mapping[tuple[type, str], str] = {
    (Owner, "user"): "user",
    (Owner, "group"): "group",
    (Governance, "domain"): "domain",
    (Governance, "tags"): "tag",
    (Governance, "terms"): "term",
    (FieldGovernance, "tags"): "tag",
    (FieldGovernance, "terms"): "term",
    (Edge, "via"): "job",
    (Snapshot, "properties"): "property",
    (User, "groups"): "group",
    (Group, "members"): "user",
    (Term, "parent"): "term",
    (Term, "domain"): "domain",
    (Term, "related"): "term",
    (Domain, "parent"): "domain",
    (Job, "inputs"): SNAPSHOT.name,
    (Job, "outputs"): SNAPSHOT.name,
}
"""The keys that refer to documents by id; references to datasets are marked in the model."""

_PAST = frozenset({(Contract, "renamed_from")})
"""Former names, which need not exist any more."""


def references(document: Document, cls: type) -> Iterator[Identity]:
    """Every document that a document refers to, possibly repeated."""
    for name, leads in _referring(cls):
        held = document.get(name)
        if not held:
            continue
        if isinstance(leads, str):
            yield from (Identity(leads, one) for one in _names(held))
        else:
            for one in (held,) if isinstance(held, dict) else held:
                yield from references(one, leads)


def _names(held: Any) -> Iterator[str]:
    yield from (held,) if isinstance(held, str) else held


@functools.cache
def _referring(cls: type) -> tuple[tuple[str, str | type], ...]:
    """The keys of a class that refer to a kind of document, or hold a class that does."""
    return tuple(_walk(cls, ()))


def _walk(cls: type, above: tuple[type, ...]) -> Iterator[tuple[str, str | type]]:
    for key in keys_of(cls).values():
        kind = _BY_ID.get((cls, key.name))
        if key.scalar is not None and key.scalar.names is NameKind.DATASET:
            kind = SNAPSHOT.name
        if (cls, key.name) in _PAST:
            continue
        if kind is not None:
            yield key.name, kind
        elif key.item is not None and key.holds in (Holds.OBJECT, Holds.OBJECTS):
            is_new = key.item not in above
            if is_new and any(_walk(key.item, (*above, cls))):
                yield key.name, key.item
