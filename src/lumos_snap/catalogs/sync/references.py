"""What a document refers to: found by the table of keys, so that no reference is missed."""

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs.adapter import Identity
from lumos_snap.model.contract import Contract
from lumos_snap.model.curated import FieldGovernance, Governance, Owner
from lumos_snap.model.entities import Domain, Group, Job, Term, User
from lumos_snap.model.lineage import Edge
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Document, Holds, Names, keys_of

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
"""The keys that name documents by their ids; those that name datasets carry a mark in the model."""

_PAST = frozenset({(Contract, "renamed_from")})
"""What was once called so need not be there any more."""


def references(document: Document, cls: type) -> Iterator[Identity]:
    """Every document that a document refers to, at times more than once."""
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
        if key.scalar is not None and key.scalar.names is Names.DATASET:
            kind = SNAPSHOT.name
        if (cls, key.name) in _PAST:
            continue
        if kind is not None:
            yield key.name, kind
        elif key.item is not None and key.holds in (Holds.OBJECT, Holds.OBJECTS):
            is_new = key.item not in above
            if is_new and any(_walk(key.item, (*above, cls))):
                yield key.name, key.item
