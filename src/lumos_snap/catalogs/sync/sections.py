"""One part of a document in three versions: what the catalog is to hold of it, and the tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.sync.decision import Dispute, Winner
from lumos_snap.catalogs.sync.policy import Policy, Rules, Unit
from lumos_snap.catalogs.sync.preserve import Standing, agreed
from lumos_snap.merging import ABSENT, merge_key, same
from lumos_snap.schema import Document

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
    """What the base says of a document from now on; all three canonical, and as far as held.

    Where both sides say the same, that; where they differ, what it said before.
    """
    found = Building(cls)
    for unit in rules.units(cls):
        known, mine = at(base or {}, unit), at(ours, unit)
        held = agreed(unit.key, known, mine, at(theirs, unit)) if unit.is_chosen else known
        found.put(unit, held, known, mine)
    return found.document()


def chosen(document: Document, cls: type, rules: Rules) -> Document:
    """A canonical document with the chosen parts only, and what it must have."""
    found = Building(cls)
    for unit in rules.units(cls):
        held = at(document, unit)
        found.put(unit, held if unit.is_chosen else ABSENT, held)
    return found.document()


class Building:
    """A document that is put together, unit by unit, out of parts of canonical ones."""

    def __init__(self, cls: type) -> None:
        self._cls = cls
        self._found: Document = {}
        self._has_new = False

    def put(self, unit: Unit, held: Any, *given: Any) -> None:
        """Add what a unit holds; what is none of the given parts is new, and in no order."""
        if held is ABSENT:
            return
        self._has_new |= not any(held is one for one in given)
        *above, last = unit.at
        place = self._found
        for name in above:
            place = place.setdefault(name, {})
        place[last] = held

    def document(self) -> Document:
        """All of it, in order."""
        return canonical_document(self._found, self._cls) if self._has_new else self._found


def at(document: Document, unit: Unit) -> Any:
    """What a document holds at a unit."""
    held: Any = document
    for name in unit.at:
        held = held.get(name, ABSENT) if isinstance(held, dict) else ABSENT
    return held
