"""Deciding about one document: is it to be written, pulled, deleted, or left to a person?"""

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.planning.decision import Decision, Dispute, Sides, Winner
from lumos_snap.catalogs.planning.drifting import Versions, drifts, facts
from lumos_snap.catalogs.planning.rules import Policy, Rules
from lumos_snap.catalogs.planning.standing import Standing
from lumos_snap.catalogs.planning.units import agreed_document, at, part, put
from lumos_snap.catalogs.seam import Action, Held, Projection
from lumos_snap.merging import Conflict, merge, same
from lumos_snap.shape import Document

GONE_THERE = "the catalog has it no longer"
CHANGED_THERE = "removed in the tree, changed in the catalog"


def decide(sides: Sides, rules: Rules) -> Decision:
    """What is to be done about one document of which some side is not like the others."""
    if sides.unreadable:
        return Decision(sides=sides, refusal=sides.unreadable)
    if sides.tree is None:
        return _without_tree(sides, rules)
    ours = rules.project(sides.identity, sides.tree)
    if ours.refusal:
        return Decision(sides=sides, refusal=ours.refusal)
    mine = canonical_document(ours.document, sides.identity.cls)
    held = sides.held
    if sides.base is not None and (held is None or held.is_removed):
        return _gone(sides, mine, ours, rules)
    if held is None:
        return _new(sides, mine, ours)
    return _both(sides, held, mine, ours, rules)


def _new(sides: Sides, mine: Document, ours: Projection) -> Decision:
    return Decision(sides=sides, mine=mine, action=Action.CREATE, wanted=mine, losses=ours.losses)


def _gone(sides: Sides, mine: Document, ours: Projection, rules: Rules) -> Decision:
    """It was there, and somebody deleted it in the catalog."""
    is_restored = rules.existence is Policy.GIT
    conflict = Conflict("", GONE_THERE, base=sides.base, ours=mine)
    return Decision(
        sides=sides,
        mine=mine,
        action=(Action.REVIVE if sides.held else Action.CREATE) if is_restored else None,
        wanted=mine,
        disputes=(Dispute(conflict, Winner.GIT if is_restored else Winner.NOBODY),),
        losses=ours.losses,
    )


def _without_tree(sides: Sides, rules: Rules) -> Decision:
    """It is not in the tree: deleted if it was there, and nobody else wants it."""
    if sides.base is None:
        return Decision(sides=sides)
    held = sides.held
    if held is None or held.is_removed:
        return Decision(sides=sides, is_forgotten=True)
    cls = sides.identity.cls
    base = _known(sides, rules)
    there = canonical_document(held.document, cls)
    if same(base, there):
        return Decision(sides=sides, action=Action.DELETE, wanted=there)
    conflict = Conflict("", CHANGED_THERE, base=base, theirs=there)
    return Decision(sides=sides, disputes=(Dispute(conflict),))


def _known(sides: Sides, rules: Rules) -> Document:
    projected = rules.project(sides.identity, sides.base or {})
    return canonical_document(projected.document, sides.identity.cls)


def _both(sides: Sides, held: Held, mine: Document, ours: Projection, rules: Rules) -> Decision:
    cls = sides.identity.cls
    there = canonical_document(held.document, cls)
    known = None if sides.base is None else _known(sides, rules)
    # Without a base, what both say is taken for it: so nothing is lost that only one says.
    base = agreed_document(None, mine, there, cls, rules) if known is None else known
    standing = Standing(held.ours, rules.attributed)
    wanted: Document = {}
    pulled: Document = {}
    disputes: tuple[Dispute, ...] = ()
    for unit in rules.units(cls):
        one = part(unit, at(base, unit), at(mine, unit), at(there, unit), standing)
        put(wanted, unit, one.wanted)
        put(pulled, unit, one.pulled)
        disputes += one.disputes
    wanted, pulled = canonical_document(wanted, cls), canonical_document(pulled, cls)
    whole, problem = _taken_over(sides.tree or {}, mine, pulled, cls)
    is_agreed = agreed_document(known, mine, there, cls, rules)
    return Decision(
        sides=sides,
        mine=mine,
        action=_action(held, wanted, there),
        wanted=wanted,
        pulled=whole,
        changes=facts(there, wanted, cls),
        drifts=tuple(drifts(held, Versions(base, mine, there, pulled), rules, standing.kept)),
        kept=tuple(standing.kept),
        disputes=disputes,
        losses=ours.losses,
        refusal=problem,
        is_adopted=known is None or not same(known, is_agreed),
    )


def _action(held: Held, wanted: Document, there: Document) -> Action | None:
    if held.is_removed:
        return Action.REVIVE
    return None if same(wanted, there) else Action.UPDATE


def _taken_over(
    tree: Document, mine: Document, pulled: Document, cls: type
) -> tuple[Document | None, str]:
    """The tree's document with the catalog's words in it; or why that cannot be.

    What the catalog cannot hold stays in it.
    """
    if same(mine, pulled):
        return None, ""
    merged = merge(mine, tree, pulled, cls)
    if merged.conflicts:
        first = merged.conflicts[0]
        return None, f"the catalog's edit cannot go into the tree: {first.at}: {first.why}"
    return merged.document, ""
