"""Who wins where: a policy for each section, and what else a plan must be told."""

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
    """What happens where the catalog was edited.

    With `git`, the tree's word is restored. With `catalog`, the edit goes into the tree, also
    where the tree was edited too. With `merge`, both come together key by key, and a person
    decides where they clash.
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
"""What is not named here is merged: owners, tags, terms, domains, properties, members, links."""

ALL = "*"
"""The name under which a policy is given for all sections that nothing is said of."""
EXISTENCE = "existence"
"""The name under which a policy may be given for documents that vanished from the catalog."""

_USUAL_EXISTENCE = SyncPolicy.GIT


class SyncUnit(NamedTuple):
    """A part of a document that one policy decides about: a section, or a key of one."""

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
    """All that deciding about one document depends on beside its three sides."""

    project: Callable[[Identity, Document], Projection] = _whole
    attributed: frozenset[str] = frozenset()
    parts: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    """By kind: the parts of the catalog that a key stands in."""
    confirmed: Callable[[Identity], Mapping[str, str]] = _none
    """The versions that the parts of a document had when it was last confirmed."""
    policies: Mapping[str, SyncPolicy] = field(default_factory=dict)
    """By section, or key of a section: what a team wants otherwise than by default."""
    sections: frozenset[str] = frozenset()
    """The only sections to look at; none named: all."""

    @property
    def existence(self) -> SyncPolicy:
        """Who wins where a document vanished from the catalog."""
        return self.policies.get(EXISTENCE, _USUAL_EXISTENCE)

    def projected(self, identity: Identity, document: Document) -> Projection:
        """A document as far as the catalog can hold it."""
        try:
            return self.project(identity, document)
        except LumosError as exc:
            return Projection(document, refusal=exc.message)

    def with_git(self) -> "Rules":
        """The same, where the tree's word holds everywhere."""
        return replace(
            self, policies=dict.fromkeys((*DEFAULTS, *self.policies, ALL), SyncPolicy.GIT)
        )

    def units(self, cls: type) -> tuple[SyncUnit, ...]:
        """The parts of a document of a class."""
        return _units(cls, frozenset(self.policies.items()), self.sections)


def policy_names() -> frozenset[str]:
    """Every name that a policy can be given under."""
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
        # What a team says of a section holds for all of it, but for keys that it names.
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
