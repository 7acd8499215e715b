"""Which documents may be deleted: few, and none that anybody still refers to."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lumos_snap.catalogs.adapter import DeleteMode, Identity, WriteAction
from lumos_snap.catalogs.sync.decision import SyncDecision
from lumos_snap.catalogs.sync.join import Named, parse_side
from lumos_snap.catalogs.sync.write_order import references

MOST, SHARE = 20, 10
"""So many documents may go at once, and so many in a hundred; the smaller number counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteGuard:
    """What stands between a plan and its deletes."""

    most: int | None = None
    """How many a person allows to go; left out: few."""
    forbidden: Callable[[], str] = str
    """Says, when all documents were seen, why nothing may go at all: some were broken, maybe."""
    deleting: DeleteMode = DeleteMode.SOFT
    permanent: frozenset[str] = frozenset()
    """The kinds of which the catalog deletes none."""
    whole: Iterable[Named] | None = None
    """All of the tree, where only a part of it is looked at: the rest refers to things, too."""


def guard_deletes(
    decisions: Sequence[SyncDecision],
    tree: Iterable[Named],
    *,
    known: int,
    present: int,
    guard: DeleteGuard,
) -> tuple[SyncDecision, ...]:
    """The decisions, with every delete refused that must not be."""
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
    """How many of so many known documents may go at once where nobody said more: one always may."""
    return min(MOST, max(1, known * SHARE // 100))


def _find_references(going: frozenset[Identity], tree: Iterable[Named]) -> dict[Identity, str]:
    """Why some must stay: what is in the tree still refers to them."""
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
