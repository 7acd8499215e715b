"""Drift: the catalog's differences from the tree, fact by fact, and how each is resolved."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lumos_snap.catalogs.adapter import CatalogDocument, DocumentPlace, Edit
from lumos_snap.catalogs.sync.decision import Becomes, Drift
from lumos_snap.catalogs.sync.policy import Rules, SyncPolicy
from lumos_snap.diff import Fact, diff
from lumos_snap.diff.fact import Spot, order
from lumos_snap.diff.walk import objects
from lumos_snap.merging import same
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Document


class DriftSides(NamedTuple):
    """One document in the base, the tree and the catalog, and in the tree after a pull."""

    base: Document
    mine: Document
    there: Document
    pulled: Document


def drifts(
    held: CatalogDocument, versions: DriftSides, rules: Rules, kept: Sequence[DocumentPlace]
) -> Iterator[Drift]:
    """List the catalog's edits: those that are pulled, and those that the tree overrides."""
    base, mine, there, pulled = versions
    cls = held.identity.cls
    for fact in facts(mine, pulled, cls):
        yield Drift(fact, Becomes.PULLED, edit_of(held, fact, rules))
    restored = {
        unit.at for unit in rules.units(cls) if unit.policy is SyncPolicy.GIT and unit.is_chosen
    }
    ours = {_mark(fact): fact.new for fact in facts(base, mine, cls)}
    for fact in facts(base, there, cls):
        is_known = _mark(fact) in ours and same(ours[_mark(fact)], fact.new)
        if not is_known and not restored.isdisjoint((fact.at[:1], fact.at[:2])):
            stays = any(_is_about(fact.at, place) for place in kept)
            becomes = Becomes.KEPT if stays else Becomes.REVERTED
            yield Drift(fact, becomes, edit_of(held, fact, rules))


def facts(old: Document, new: Document, cls: type) -> tuple[Fact, ...]:
    """The differences between two documents; column by column in snapshots."""
    if same(old, new):
        return ()
    if cls is Snapshot:
        return diff(old, new)
    return tuple(sorted(objects(old, new, cls, Spot("", ()), str), key=order))


def edit_of(held: CatalogDocument, fact: Fact, rules: Rules) -> Edit | None:
    """The last edit of a fact's subject, if the catalog records it.

    A part with the confirmed version was last written by us; its earlier editors are unknown.
    """
    known = rules.confirmed(held.identity) if held.edits else {}
    edits = [
        held.edits[part]
        for part in _parts(held.identity.kind, fact, rules)
        if part in held.edits and held.versions.get(part) != known.get(part, "")
    ]
    return max(edits, key=lambda one: one.when, default=None)


def _parts(kind: str, fact: Fact, rules: Rules) -> Iterator[str]:
    """The parts of a catalog that may store a fact's subject."""
    names = [step for step in fact.at if isinstance(step, str)]
    if kind not in rules.parts:
        yield from names[:1]
        return
    place = "".join(f"{name}." for name in names)
    for key, parts in rules.parts[kind].items():
        if place.startswith(f"{key}.") or f"{key}.".startswith(place):
            yield from parts


def _mark(fact: Fact) -> tuple[object, ...]:
    return fact.subject, fact.at, fact.action


def _is_about(one: DocumentPlace, other: DocumentPlace) -> bool:
    shortest = min(len(one), len(other))
    return one[:shortest] == other[:shortest]
