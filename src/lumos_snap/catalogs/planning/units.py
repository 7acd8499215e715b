"""One part of a document in three versions: what the catalog is to hold of it, and the tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.planning.decision import Dispute, Winner
from lumos_snap.catalogs.planning.rules import Policy, Rules, Unit
from lumos_snap.catalogs.planning.standing import Standing, agreed
from lumos_snap.merging import ABSENT, merge_key, same
from lumos_snap.shape import Document

_WINNERS: Mapping[Policy, Winner] = {
    Policy.GIT: Winner.GIT,
    Policy.CATALOG: Winner.CATALOG,
    Policy.MERGE: Winner.NOBODY,
}


@dataclass(frozen=True, slots=True)
class Part:
    """What both sides are to say under a key from now on."""

    wanted: Any
    pulled: Any
    disputes: tuple[Dispute, ...] = ()


def part(unit: Unit, base: Any, ours: Any, theirs: Any, standing: Standing) -> Part:
    """What becomes of a part of a document that both sides have, or one of them."""
    if not unit.is_chosen or same(ours, theirs):
        return Part(theirs, ours)
    at = ".".join(unit.at)
    for_tree, conflicts = merge_key(unit.key, base, ours, theirs, at=at)
    disputes = tuple(Dispute(one, _WINNERS[unit.policy]) for one in conflicts)
    if unit.policy is Policy.GIT:
        wanted, pulled = ours, ours
    else:
        # What is in conflict stays as it is on either side: a merge leaves it as its first has it.
        wanted, _ = merge_key(unit.key, base, theirs, ours, at=at)
        pulled = wanted if unit.policy is Policy.CATALOG else for_tree
    return Part(standing.under(unit.key, wanted, theirs, base, unit.at), pulled, disputes)


def agreed_document(
    base: Document | None, ours: Document, theirs: Document, cls: type, rules: Rules
) -> Document:
    """What the base says of a document from now on; all three as far as the catalog can hold it.

    Where both sides say the same, that; where they differ, what it said before.
    """
    found: Document = {}
    for unit in rules.units(cls):
        known = at(base or {}, unit)
        sides = (at(ours, unit), at(theirs, unit))
        put(found, unit, agreed(unit.key, known, *sides) if unit.is_chosen else known)
    return canonical_document(found, cls)


def chosen(document: Document, cls: type, rules: Rules) -> Document:
    """A document with the chosen parts only, and what it must have."""
    found: Document = {}
    for unit in rules.units(cls):
        if unit.is_chosen:
            put(found, unit, at(document, unit))
    return canonical_document(found, cls)


def at(document: Document, unit: Unit) -> Any:
    """What a document holds at a unit."""
    held: Any = document
    for name in unit.at:
        held = held.get(name, ABSENT) if isinstance(held, dict) else ABSENT
    return held


def put(document: Document, unit: Unit, held: Any) -> None:
    """Add what a unit holds to a document that is being made."""
    if held is ABSENT:
        return
    *above, last = unit.at
    for name in above:
        document = document.setdefault(name, {})
    document[last] = held
