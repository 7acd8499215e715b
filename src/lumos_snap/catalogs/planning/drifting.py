"""What a catalog says that the tree does not, fact by fact, and what becomes of each."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lumos_snap.catalogs.planning.decision import Becomes, Drift
from lumos_snap.catalogs.planning.rules import Policy, Rules
from lumos_snap.catalogs.seam import Edit, Held, Place
from lumos_snap.diff import Fact, diff
from lumos_snap.diff.fact import Spot, order
from lumos_snap.diff.walk import objects
from lumos_snap.merging import same
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.shape import Document


class Versions(NamedTuple):
    """One document as the base, the tree and the catalog have it, and the tree after a pull."""

    base: Document
    mine: Document
    there: Document
    pulled: Document


def drifts(held: Held, versions: Versions, rules: Rules, kept: Sequence[Place]) -> Iterator[Drift]:
    """What the catalog has that a pull brings, and what its edits are that the tree overrules."""
    base, mine, there, pulled = versions
    cls = held.identity.cls
    for fact in facts(mine, pulled, cls):
        yield Drift(fact, Becomes.PULLED, _edit(held, fact))
    restored = {
        unit.at for unit in rules.units(cls) if unit.policy is Policy.GIT and unit.is_chosen
    }
    ours = {_mark(fact): fact.new for fact in facts(base, mine, cls)}
    for fact in facts(base, there, cls):
        is_known = _mark(fact) in ours and same(ours[_mark(fact)], fact.new)
        if not is_known and not restored.isdisjoint((fact.at[:1], fact.at[:2])):
            stays = any(_is_about(fact.at, place) for place in kept)
            yield Drift(fact, Becomes.KEPT if stays else Becomes.REVERTED, _edit(held, fact))


def facts(old: Document, new: Document, cls: type) -> tuple[Fact, ...]:
    """What differs between two documents, column by column where there are columns."""
    if same(old, new):
        return ()
    if cls is Snapshot:
        return diff(old, new)
    return tuple(sorted(objects(old, new, cls, Spot("", ()), str), key=order))


def _edit(held: Held, fact: Fact) -> Edit | None:
    return held.edits.get(str(fact.at[0])) if fact.at else None


def _mark(fact: Fact) -> tuple[Any, ...]:
    return fact.subject, fact.at, fact.action


def _is_about(one: Place, other: Place) -> bool:
    shortest = min(len(one), len(other))
    return one[:shortest] == other[:shortest]
