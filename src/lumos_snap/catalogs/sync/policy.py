"""Sync policies: which side wins in each section, and the other rules of a plan."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import KINDS
from lumos_snap.catalogs.adapter import Identity, Projection
from lumos_snap.errors import LumosError
from lumos_snap.schema import Document, Holds, Key, keys_of


class SyncPolicy(StrEnum):
    """How an edit in the catalog is resolved.

    With `git`, the tree's value is restored. With `catalog`, the edit goes into the tree, even if
    the tree was edited too. With `merge`, both are merged key by key, and a person decides about
    conflicts.
    """

    GIT = "git"
    CATALOG = "catalog"
    MERGE = "merge"


DEFAULTS: Mapping[str, SyncPolicy] = {
    "lumos_version": SyncPolicy.GIT,
    "urn": SyncPolicy.GIT,
    "id": SyncPolicy.GIT,
    "platform": SyncPolicy.GIT,
    "environment": SyncPolicy.GIT,
    "kind": SyncPolicy.GIT,
    "storage": SyncPolicy.GIT,
    "schema": SyncPolicy.GIT,
    "lineage": SyncPolicy.GIT,
    "quality": SyncPolicy.GIT,
    "schedule": SyncPolicy.GIT,
    "contract": SyncPolicy.GIT,
    "contract.deprecated": SyncPolicy.CATALOG,
    "contract.sunset": SyncPolicy.CATALOG,
    "contract.replaced_by": SyncPolicy.CATALOG,
    "versioning": SyncPolicy.GIT,
    "documentation": SyncPolicy.CATALOG,
    "description": SyncPolicy.CATALOG,
}
"""All other sections are merged: owners, tags, terms, domains, properties, members, links."""

ALL = "*"
"""The name of the policy for all sections without an explicit one."""
EXISTENCE = "existence"
"""The name of the policy for documents that were deleted in the catalog."""

_USUAL_EXISTENCE = SyncPolicy.GIT


class SyncUnit(NamedTuple):
    """A part of a document with one policy: a section, or a key of one."""

    at: tuple[str, ...]
    key: Key
    policy: SyncPolicy
    is_chosen: bool


def _whole(_identity: Identity, document: Document) -> Projection:
    return Projection(document)


def _none(_identity: Identity) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Everything that a decision about one document depends on besides its three sides."""

    project: Callable[[Identity, Document], Projection] = _whole
    attributed: frozenset[str] = frozenset()
    parts: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    """By kind: the parts of the catalog that store a key."""
    confirmed: Callable[[Identity], Mapping[str, str]] = _none
    """The versions of a document's parts when it was last confirmed."""
    policies: Mapping[str, SyncPolicy] = field(default_factory=dict)
    """The policies that differ from the defaults, by section or key of a section."""
    sections: frozenset[str] = frozenset()
    """The only sections to sync; empty: all."""

    @property
    def existence(self) -> SyncPolicy:
        """The policy for documents that were deleted in the catalog."""
        return self.policies.get(EXISTENCE, _USUAL_EXISTENCE)

    def projected(self, identity: Identity, document: Document) -> Projection:
        """Reduce a document to what the catalog supports."""
        try:
            return self.project(identity, document)
        except LumosError as exc:
            return Projection(document, refusal=exc.message)

    def with_git(self) -> "Rules":
        """The same rules with the policy `git` everywhere."""
        return replace(
            self, policies=dict.fromkeys((*DEFAULTS, *self.policies, ALL), SyncPolicy.GIT)
        )

    def units(self, cls: type) -> tuple[SyncUnit, ...]:
        """The units of a document of a class."""
        return _units(cls, frozenset(self.policies.items()), self.sections)


def policy_names() -> frozenset[str]:
    """Every name that a policy can have."""
    keys = [(key.name, key) for kind in KINDS for key in keys_of(kind.cls).values()]
    inner = {
        f"{name}.{one}" for name, key in keys if key.item and key.holds is Holds.OBJECT
        for one in keys_of(key.item)
    }  # fmt: skip
    return frozenset({EXISTENCE, ALL, *(name for name, _ in keys), *inner})


@functools.lru_cache(maxsize=256)
def _units(
    cls: type, given: frozenset[tuple[str, SyncPolicy]], sections: frozenset[str]
) -> tuple[SyncUnit, ...]:
    policies = {**DEFAULTS, **dict(given)}
    parts = {name.partition(".")[0] for name in (*policies, *sections) if "." in name}
    found: list[SyncUnit] = []
    for name, key in keys_of(cls).items():
        # A policy of a section applies to all of its keys, except those with their own.
        mine = {**policies, **({} if name not in dict(given) else _without(policies, name, given))}
        if name in parts and key.holds is Holds.OBJECT and key.item is not None:
            found += (
                _unit((name, inner.name), inner, mine, sections)
                for inner in keys_of(key.item).values()
            )
        else:
            found.append(_unit((name,), key, mine, sections))
    return tuple(found)


def _without(
    policies: Mapping[str, SyncPolicy], name: str, given: frozenset[tuple[str, SyncPolicy]]
) -> dict[str, SyncPolicy]:
    named = {one for one, _ in given}
    below = (one for one in policies if one.startswith(f"{name}.") and one not in named)
    return dict.fromkeys(below, policies[name])


def _unit(
    at: tuple[str, ...], key: Key, policies: Mapping[str, SyncPolicy], sections: frozenset[str]
) -> SyncUnit:
    names = (".".join(at), at[0])
    policy = next((policies[one] for one in (*names, ALL) if one in policies), SyncPolicy.MERGE)
    is_chosen = not sections or key.is_required or not sections.isdisjoint(names)
    return SyncUnit(at, key, policy, is_chosen)
