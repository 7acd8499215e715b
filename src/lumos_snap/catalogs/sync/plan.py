"""The plan of a sync: how tree and catalog differ, what to do about it, and a limit on deletes."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import orjson

from lumos_snap.canonical.encode import rfc8785
from lumos_snap.catalogs.adapter import DeleteMode, Identity, Projection, Reading, WriteAction
from lumos_snap.catalogs.sync.decide import decide
from lumos_snap.catalogs.sync.decision import SyncDecision, SyncSides
from lumos_snap.catalogs.sync.join import JoinedDocument, Named, join_sides, parse_side
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.catalogs.sync.write_order import references

# The delete guard: limits the number of deletes, and protects referenced documents.


MOST, SHARE = 20, 10
"""The default limit of deletes at once, as a number and a percentage; the smaller one applies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteGuard:
    """The limits on the deletes of a plan."""

    most: int | None = None
    """The number of deletes that the user allows; None: the default limit."""
    forbidden: Callable[[], str] = str
    """Called after all documents were read; says why no delete is allowed, such as broken files."""
    deleting: DeleteMode = DeleteMode.SOFT
    permanent: frozenset[str] = frozenset()
    """The kinds that the catalog cannot delete."""
    whole: Iterable[Named] | None = None
    """The complete tree, if the plan covers only a part: the rest has references, too."""


def guard_deletes(
    decisions: Sequence[SyncDecision],
    tree: Iterable[Named],
    *,
    known: int,
    present: int,
    guard: DeleteGuard,
) -> tuple[SyncDecision, ...]:
    """Replace each forbidden delete by a refusal."""
    going = [one.identity for one in decisions if one.action is WriteAction.DELETE]
    if not going:
        return tuple(decisions)
    whole = tree if guard.whole is None else guard.whole
    is_empty = not present and next(iter(whole), None) is None
    why = _why_none(len(going), known=known, is_empty=is_empty, guard=guard)
    reasons = dict.fromkeys(going, why) if why else _find_references(frozenset(going), whole)
    kept = [one for one in going if one.kind in guard.permanent]
    reasons |= {one: f"this catalog deletes no {one.kind}: do it there" for one in kept}
    return tuple(_unless(one, reasons) for one in decisions)


def _unless(decision: SyncDecision, reasons: Mapping[Identity, str]) -> SyncDecision:
    reason = reasons.get(decision.identity)
    if decision.action is not WriteAction.DELETE or reason is None:
        return decision
    return replace(decision, action=None, refusal=f"is not deleted: {reason}")


def _why_none(going: int, *, known: int, is_empty: bool, guard: DeleteGuard) -> str:
    if guard.deleting is DeleteMode.NONE:
        return "this catalog deletes nothing"
    if forbidden := guard.forbidden():
        return forbidden
    if is_empty:
        return "the tree is empty"
    most = default_limit(known) if guard.most is None else guard.most
    if going <= most:
        return ""
    return f"{going:,} would go, and at most {most:,} may at once: `--deletes {going}` lets them"


def default_limit(known: int) -> int:
    """The default number of deletes for so many known documents; at least one."""
    return min(MOST, max(1, known * SHARE // 100))


def _find_references(going: frozenset[Identity], tree: Iterable[Named]) -> dict[Identity, str]:
    """Find why documents must stay: documents of the tree still refer to them."""
    by: dict[Identity, list[str]] = {}
    for identity, document in tree:
        for one in set(references(parse_side(document) or {}, identity.cls)) & going:
            by.setdefault(one, []).append(identity.id)
    return {one: _describe_references(names) for one, names in by.items()}


def _describe_references(names: Sequence[str]) -> str:
    first, *others = names
    return (
        f"{first} and {len(others):,} more still refer to it"
        if others
        else f"{first} still refers to it"
    )


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
