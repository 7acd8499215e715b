"""Three sides of one document, drawn, and what a sync makes of them."""

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import CatalogDocument, DocumentPlace, Identity
from lumos_snap.catalogs.sync.column_renames import FollowedSides, follow_renames
from lumos_snap.catalogs.sync.decide import base_after, decide
from lumos_snap.catalogs.sync.decision import SyncDecision, SyncSides
from lumos_snap.catalogs.sync.policy import Rules, SyncPolicy
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Document, Holds, keys_of
from tests.merging.changes import (
    EDITS,
    NAMES,
    TAGS,
    WORDS,
    edited,
    is_ambiguous,
    starts,
)
from tests.strategies.texts import short_texts

CURATING = (*EDITS, *WORDS, *WORDS, *WORDS)
SECTIONS = tuple(keys_of(Snapshot))
ATTRIBUTED = frozenset({"governance.tags", "ownership.owners"})


@dataclass(frozen=True)
class Three:
    """A document as the base, the tree and the catalog have it, and the rules of a team."""

    sides: SyncSides
    rules: Rules

    @property
    def decision(self) -> SyncDecision:
        return decide(self.sides, self.rules)

    @property
    def followed(self) -> FollowedSides:
        """The sides with what is said of columns where the tree has them."""
        base, tree = self.sides.base, self.sides.tree or {}
        return follow_renames(Snapshot, base, tree, self.there, self.rules)

    @property
    def there(self) -> Document:
        assert self.sides.held is not None
        return self.sides.held.document


def snapshot_identity(document: Document) -> Identity:
    return Identity("snapshot", document["urn"])


@st.composite
def curated_branches(draw: st.DrawFn) -> tuple[Document, Document, Document]:
    """A snapshot that people wrote much about, and what two sides made of it."""
    base = draw(starts().filter(lambda one: not is_ambiguous(one)))
    owners = draw(st.sets(NAMES, max_size=3))
    words = {
        "governance": {**base.get("governance", {}), "tags": draw(st.lists(TAGS, unique=True))},
        "ownership": {"owners": [{"user": name} for name in owners]},
        "documentation": {"description": draw(short_texts)},
    }
    base = canonical_document({**base, **words}, Snapshot)
    sides = draw(edited(base, CURATING)), draw(edited(base, CURATING))
    ours, theirs = (base if is_ambiguous(one) else one for one in sides)
    return base, ours, theirs


@st.composite
def threes(draw: st.DrawFn, *, policies: Any = None, has_base: bool | None = None) -> Three:
    """A snapshot that was edited in the tree and in the catalog."""
    base, ours, theirs = draw(curated_branches())
    given = policies if policies is not None else st.sampled_from(tuple(SyncPolicy))
    named = draw(st.dictionaries(st.sampled_from((*SECTIONS, "governance.tags")), given))
    if policies is not None:
        named = dict.fromkeys(SECTIONS, draw(policies))
    rules = Rules(policies=named, attributed=draw(st.sampled_from((frozenset(), ATTRIBUTED))))
    items = sorted(places(theirs), key=str)
    mine = frozenset(draw(st.lists(st.sampled_from(items)))) if items else frozenset()
    held = CatalogDocument(snapshot_identity(base), theirs, ours=mine)
    known = draw(st.integers(0, 3)) > 0 if has_base is None else has_base
    return Three(SyncSides(held.identity, base if known else None, ours, held), rules)


def places(document: Document) -> set[DocumentPlace]:
    """The items of which a catalog may say who put them there."""
    owners = document.get("ownership", {}).get("owners", [])
    tags = document.get("governance", {}).get("tags", [])
    return {
        *(
            ("ownership", "owners", (one.get("user"), one.get("group"), one.get("type")))
            for one in owners
        ),
        *(("governance", "tags", (tag,)) for tag in tags),
    }


def settled(three: Three) -> Three:
    """The same after the catalog was written, the tree pulled, and the base moved on."""
    decision, held, tree = three.decision, three.sides.held, three.sides.tree
    assert held is not None
    assert tree is not None
    now = decision.wanted if decision.action else held.document
    kept = frozenset(held.ours & places(now) | (places(now) - places(held.document)))
    pulled = decision.pulled if decision.pulled is not None else tree
    base = base_after(three.sides, pulled, now, three.rules)
    after = SyncSides(held.identity, base, pulled, replace(held, document=now, ours=kept))
    return Three(after, three.rules)


def parts(key: Any, held: Any, at: DocumentPlace = ()) -> dict[DocumentPlace, Any]:
    """What stands where: the items of sets and maps, the keys of objects, and plain values."""
    if held is None:
        return {}
    if key.holds is Holds.OBJECT:
        return _merged(
            parts(inner, held.get(name), (*at, name)) for name, inner in keys_of(key.item).items()
        )
    if key.holds is Holds.OBJECTS and key.set_by is not None:
        found: dict[DocumentPlace, Any] = {}
        for item in held:
            step = tuple(item.get(name) for name in key.set_by)
            found[(*at, tuple(tuple(s) if isinstance(s, list) else s for s in step))] = None
        return found
    if key.holds is Holds.SCALARS and key.set_by is not None:
        return {(*at, (one,)): None for one in held}
    if key.holds is Holds.FREE:
        return {(*at, (name,)): None for name in held}
    return {at: None}


def _merged(found: Any) -> dict[DocumentPlace, Any]:
    return {place: one for each in found for place, one in each.items()}


def everything(document: Document) -> set[DocumentPlace]:
    """Every place of a snapshot where something stands."""
    return set(
        _merged(parts(key, document.get(name), (name,)) for name, key in keys_of(Snapshot).items())
    )
