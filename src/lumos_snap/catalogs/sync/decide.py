"""Decide about one document from base, tree and catalog: what to push and what to pull."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.canonical.rules import find_violations
from lumos_snap.catalogs.adapter import CatalogDocument, Identity, Projection, WriteAction
from lumos_snap.catalogs.sync.column_renames import (
    FollowedSides,
    follow_renames,
    places,
    update_base,
)
from lumos_snap.catalogs.sync.decision import (
    Becomes,
    Dispute,
    Drift,
    SyncDecision,
    SyncSides,
    Winner,
)
from lumos_snap.catalogs.sync.drift import DriftSides, drifts, facts
from lumos_snap.catalogs.sync.policy import Rules, SyncPolicy, SyncUnit
from lumos_snap.catalogs.sync.preserve import ForeignPreserver, agree_value
from lumos_snap.documents.position import Pointer
from lumos_snap.merging import ABSENT, Conflict, merge, merge_key, same
from lumos_snap.schema import Document

_WINNERS: Mapping[SyncPolicy, Winner] = {
    SyncPolicy.GIT: Winner.GIT,
    SyncPolicy.CATALOG: Winner.CATALOG,
    SyncPolicy.MERGE: Winner.NOBODY,
}


@dataclass(frozen=True, slots=True)
class PartDecision:
    """The values of a key to write to the catalog and to the tree."""

    wanted: Any
    pulled: Any
    disputes: tuple[Dispute, ...] = ()


def part(
    unit: SyncUnit, base: Any, ours: Any, theirs: Any, standing: ForeignPreserver
) -> PartDecision:
    """Decide about a part of a document."""
    if not unit.is_chosen or same(ours, theirs):
        return PartDecision(theirs, ours)
    at = ".".join(unit.at)
    for_tree, conflicts = merge_key(unit.key, base, ours, theirs, at=at)
    disputes = tuple(Dispute(one, _WINNERS[unit.policy]) for one in conflicts)
    if unit.policy is SyncPolicy.GIT:
        wanted, pulled = ours, ours
    else:
        # Conflicting values stay as they are on either side: a merge keeps its first side.
        wanted, _ = merge_key(unit.key, base, theirs, ours, at=at)
        pulled = wanted if unit.policy is SyncPolicy.CATALOG else for_tree
    return PartDecision(standing.under(unit.key, wanted, theirs, base, unit.at), pulled, disputes)


def build_base(
    base: Document | None, ours: Document, theirs: Document, cls: type, rules: Rules
) -> Document:
    """Build the new base of a document from three canonical, supported versions.

    Where both sides agree, their value; where they differ, the base's former value.
    """
    found = DocumentBuilder(cls)
    for unit in rules.units(cls):
        known, mine = at(base or {}, unit), at(ours, unit)
        held = agree_value(unit.key, known, mine, at(theirs, unit)) if unit.is_chosen else known
        found.put(unit, held, known, mine)
    return found.document()


def choose_parts(document: Document, cls: type, rules: Rules) -> Document:
    """Reduce a canonical document to its selected and required parts."""
    found = DocumentBuilder(cls)
    for unit in rules.units(cls):
        held = at(document, unit)
        found.put(unit, held if unit.is_chosen else ABSENT, held)
    return found.document()


class DocumentBuilder:
    """Builds a document from parts of canonical documents."""

    def __init__(self, cls: type) -> None:
        self._cls = cls
        self._found: dict[str, Any] = {}
        self._has_new = False

    def put(self, unit: SyncUnit, held: object, *given: Any) -> None:
        """Add the value of a unit; if it is none of the given parts, it may be unordered."""
        if held is ABSENT:
            return
        self._has_new |= not any(held is one for one in given)
        *above, last = unit.at
        place = self._found
        for name in above:
            place = place.setdefault(name, {})
        place[last] = held

    def document(self) -> Document:
        """The complete document, in canonical order."""
        return canonical_document(self._found, self._cls) if self._has_new else self._found


def at(document: Document, unit: SyncUnit) -> Any:
    """The value of a unit in a document."""
    held: Any = document
    for name in unit.at:
        held = held.get(name, ABSENT) if isinstance(held, dict) else ABSENT
    return held


GONE_THERE = "the catalog has it no longer"
CHANGED_THERE = "removed in the tree, changed in the catalog"


def decide(sides: SyncSides, rules: Rules, projection: Projection | None = None) -> SyncDecision:
    """Decide about one document whose sides differ.

    `projection` is that of the tree's document, if already known.
    """
    unreadable = sides.unreadable or _nonsense(sides.held)
    if unreadable:
        return SyncDecision(sides=sides, refusal=unreadable)
    if sides.tree is None:
        return _without_tree(sides, rules)
    ours = projection or rules.projected(sides.identity, sides.tree)
    if ours.refusal:
        return SyncDecision(sides=sides, refusal=ours.refusal)
    mine = _once(canonical_document(ours.document, sides.identity.cls), sides.tree)
    if sides.held is None or sides.held.is_removed:
        return _missing(sides, mine, ours, rules)
    return _both(sides, sides.held, mine, ours, rules)


def _nonsense(held: CatalogDocument | None) -> str:
    """Why a catalog's document is not valid JSON, if so: lone surrogates, too large numbers."""
    try:
        orjson.dumps(held.document if held else None)
    except orjson.JSONEncodeError as exc:
        return f"what the catalog holds of it is no JSON: {exc}"
    return ""


def _missing(sides: SyncSides, mine: Document, ours: Projection, rules: Rules) -> SyncDecision:
    """Decide about a document that the catalog never had, or that was deleted there."""
    was_there, is_git = sides.base is not None, rules.existence is SyncPolicy.GIT
    conflict = Conflict("", GONE_THERE, base=sides.base, ours=mine)
    disputes = (Dispute(conflict, Winner.GIT if is_git else Winner.NOBODY),) if was_there else ()
    if was_there and not is_git:
        return SyncDecision(sides=sides, mine=mine, disputes=disputes, losses=ours.losses)
    if sides.held is not None:
        # Its content was not visible: the tree wins, and foreign content beside it is restored.
        revived = _both(sides, sides.held, mine, ours, rules.with_git())
        return replace(revived, disputes=disputes)
    return SyncDecision(
        sides=sides,
        mine=mine,
        action=WriteAction.CREATE,
        wanted=choose_parts(mine, sides.identity.cls, rules),
        disputes=disputes,
        losses=ours.losses,
    )


def _without_tree(sides: SyncSides, rules: Rules) -> SyncDecision:
    """Decide about a document that is missing in the tree: delete it if nobody changed it."""
    if sides.base is None or rules.sections:
        return SyncDecision(sides=sides)
    held = sides.held
    if held is None or held.is_removed:
        return SyncDecision(sides=sides, is_forgotten=True)
    cls = sides.identity.cls
    base = project_document(sides.base, sides.identity, rules)
    there = canonical_document(held.document, cls)
    if same(base, there):
        return SyncDecision(sides=sides, action=WriteAction.DELETE, wanted=there)
    conflict = Conflict("", CHANGED_THERE, base=base, theirs=there)
    return SyncDecision(sides=sides, disputes=(Dispute(conflict),))


def base_after(sides: SyncSides, mine: Document, there: Document, rules: Rules) -> Document:
    """Build the base of a document after a push, a pull or both.

    `mine` is the supported part of the tree's new version, and `there` the catalog's new version.
    """
    cls = sides.identity.cls
    known = None if sides.base is None else project_document(sides.base, sides.identity, rules)
    if known is not None:  # the tree's own metadata at a former path is not moved yet
        known = update_base(cls, known, mine, rules)
    return _once(build_base(known, mine, canonical_document(there, cls), cls, rules), there)


def _once(found: Document, known: Document) -> Document:
    """The known one of two equal documents, to save memory: a plan holds many of them."""
    return known if orjson.dumps(found) == orjson.dumps(known) else found


def project_document(document: Document, identity: Identity, rules: Rules) -> Document:
    """Reduce a document to what the catalog supports."""
    return canonical_document(rules.projected(identity, document).document, identity.cls)


def _both(
    sides: SyncSides, held: CatalogDocument, mine: Document, ours: Projection, rules: Rules
) -> SyncDecision:
    cls = sides.identity.cls
    there = canonical_document(held.document, cls)
    known = None if sides.base is None else project_document(sides.base, sides.identity, rules)
    now = follow_renames(cls, known, mine, there, rules)
    # Without a base, the content that both have in common serves as base: nothing is lost.
    base = now.known or build_base(None, now.mine, now.there, cls, rules)
    standing = ForeignPreserver(places(held.ours, now.moved), rules.attributed)
    in_catalog, in_tree = DocumentBuilder(cls), DocumentBuilder(cls)
    disputes: tuple[Dispute, ...] = ()
    for unit in rules.units(cls):
        given = at(base, unit), at(now.mine, unit), at(now.there, unit)
        one = part(unit, *given, standing)
        in_catalog.put(unit, one.wanted, *given)
        in_tree.put(unit, one.pulled, *given)
        disputes += one.disputes
    wanted, pulled = in_catalog.document(), in_tree.document()
    whole, problem = _take_over(sides.tree or {}, now, pulled, cls)
    adopted = build_base(known, mine, there, cls, rules)
    return SyncDecision(
        sides=sides,
        mine=mine,
        action=_action(held, wanted, there),
        wanted=wanted,
        pulled=whole,
        changes=facts(there, wanted, cls),
        moved=now.moved,
        drifts=(
            *(Drift(fact, Becomes.PULLED) for fact in facts(mine, now.mine, cls)),
            *drifts(held, DriftSides(base, now.mine, now.there, pulled), rules, standing.kept),
        ),
        kept=tuple(standing.kept),
        disputes=disputes,
        losses=ours.losses,
        unpulled=problem,
        adopted=None if known is not None and same(known, adopted) else adopted,
    )


def _action(held: CatalogDocument, wanted: Document, there: Document) -> WriteAction | None:
    if held.is_removed:
        return WriteAction.REVIVE
    return None if same(wanted, there) else WriteAction.UPDATE


def _take_over(
    tree: Document, now: FollowedSides, pulled: Document, cls: type
) -> tuple[Document | None, str]:
    """Merge the catalog's changes into the tree's document, or return why that fails.

    The tree's unsupported parts are kept.
    """
    ours = now.tree(tree)
    if same(now.mine, pulled):
        return (None if ours is tree else ours), ""
    merged = merge(now.mine, ours, pulled, cls)
    why = next((f"{one.at}: {one.why}" for one in merged.conflicts), "")
    why = why or find_problem(merged.document, cls)
    if why:
        return None, why
    return merged.document, ""


def find_problem(document: Document, cls: type) -> str:
    """The first problem of a document, if any: a catalog may hold invalid documents."""
    from lumos_snap.schema.validation import misfits  # noqa: PLC0415 - the validator takes its time to load

    misfit = next(iter(misfits(document, cls)), None)
    if misfit is not None:
        return f"{_format_pointer(misfit.pointer)}: {misfit.message}"
    breach = next(iter(find_violations(document, cls)), None)
    return "" if breach is None else f"{_format_pointer(breach.pointer)}: {breach.message}"


def _format_pointer(pointer: Pointer) -> str:
    return ".".join(map(str, pointer))
