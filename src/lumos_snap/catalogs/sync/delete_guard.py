"""The delete guard: limits the number of deletes, and protects referenced documents."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lumos_snap.catalogs.adapter import DeleteMode, Identity, WriteAction
from lumos_snap.catalogs.sync.decision import SyncDecision
from lumos_snap.catalogs.sync.join import Named, parse_side
from lumos_snap.catalogs.sync.write_order import references

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
