"""The plan of a sync: how tree and catalog differ, and what to do about it."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import orjson

from lumos_snap.canonical.encode import rfc8785
from lumos_snap.catalogs.adapter import Identity, Projection, Reading
from lumos_snap.catalogs.sync.decide import decide
from lumos_snap.catalogs.sync.decision import SyncDecision, SyncSides
from lumos_snap.catalogs.sync.delete_guard import DeleteGuard, guard_deletes
from lumos_snap.catalogs.sync.join import JoinedDocument, Named, join_sides
from lumos_snap.catalogs.sync.policy import Rules

_GUARD = DeleteGuard()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The decisions of a sync; documents without differences are only counted."""

    decisions: tuple[SyncDecision, ...]
    """In the order of identities."""
    documents: int
    """The number of documents in the tree."""
    losses: Mapping[str, int] = field(default_factory=dict)
    """The unsupported keys, with the number of documents that have them."""
    lossy: tuple[Identity, ...] = ()
    """Those documents, and the ones that are not supported at all."""

    @property
    def writes(self) -> tuple[SyncDecision, ...]:
        """The decisions that write to the catalog."""
        return tuple(one for one in self.decisions if one.action is not None)

    def hash(self) -> str:
        """A digest of the writes and of the versions that they are based on."""
        digest = hashlib.sha256()
        for one in self.writes:
            held = one.sides.held
            versions = dict(held.versions) if held else None
            digest.update(rfc8785([list(one.identity), one.action, one.wanted, versions]) + b"\n")
        return digest.hexdigest()


def plan(
    base: Iterable[Named],
    tree: Iterable[Named],
    catalog: Iterable[Reading],
    *,
    rules: Rules,
    guard: DeleteGuard = _GUARD,
) -> Plan:
    """Plan a sync; each side is in the order of identities, without repeats.

    The base is the last confirmed state of this catalog; if it is empty, nothing is deleted. The
    tree is iterated a second time if something is to be deleted.
    """
    if iter(tree) is tree:
        raise TypeError("the tree must be something that can be gone through twice")
    tally = _Tally(rules)
    told = filter(None, map(tally.decided, join_sides(base, tree, catalog)))
    found = [one for one in told if not one.is_quiet]
    kept = guard_deletes(found, tree, known=tally.known, present=tally.present, guard=guard)
    return Plan(
        decisions=kept,
        documents=tally.present,
        losses=dict(sorted(tally.losses.items())),
        lossy=tuple(tally.lossy),
    )


class _Tally:
    """Decides about documents one by one, and counts."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.known = 0
        self.present = 0
        self.losses: Counter[str] = Counter()
        self.lossy: list[Identity] = []

    def decided(self, row: JoinedDocument) -> SyncDecision | None:
        """Decide about a document, unless all sides are equal."""
        if row.is_as_confirmed:
            self.known += 1
            self.present += 1
            return None
        sides = row.sides()
        self.known += sides.base is not None
        if sides.tree is None:
            return decide(sides, self._rules)
        self.present += 1
        ours = self._rules.projected(sides.identity, sides.tree)
        for at in {loss.at for loss in ours.losses}:
            self.losses[at] += 1
        if ours.losses or ours.refusal:
            self.lossy.append(sides.identity)
        return None if _is_settled(sides, ours) else decide(sides, self._rules, ours)


def _is_settled(sides: SyncSides, ours: Projection) -> bool:
    """Whether all three sides are equal as they are: most documents of most plans."""
    held = sides.held
    if held is None or sides.base is None or held.is_removed or ours.refusal:
        return False
    # Compared as bytes, because True equals 1 in Python; another key order means no shortcut.
    said = orjson.dumps(ours.document)
    try:
        return said == orjson.dumps(held.document) and said == orjson.dumps(sides.base)
    except orjson.JSONEncodeError:
        return False
