"""What holds of every decision, whatever was edited on either side and whoever wins."""

from hypothesis import event, given
from hypothesis import strategies as st

from lumos_snap.catalogs.adapter import CatalogDocument, WriteAction
from lumos_snap.catalogs.sync.decide import decide
from lumos_snap.catalogs.sync.decision import Becomes, SyncSides
from lumos_snap.catalogs.sync.policy import Rules, SyncPolicy
from lumos_snap.merging import merge, same
from lumos_snap.model.snapshot import Snapshot
from tests.catalogs.sync.sides import Three, everything, places, settled, snapshot_identity, threes
from tests.merging.changes import Document, branches, is_ambiguous
from tests.strategies import LAW


@LAW
@given(threes())
def test_a_second_plan_writes_nothing_and_pulls_nothing(three: Three) -> None:
    after = settled(three).decision
    event("conflict" if after.is_open else "no conflict")
    assert after.action is None
    assert after.pulled is None
    assert after.adopted is None


@LAW
@given(threes())
def test_without_a_conflict_both_sides_end_alike_but_for_what_is_not_ours(three: Three) -> None:
    decision, end = three.decision, settled(three)
    assert end.sides.tree is not None
    if decision.refusal or decision.unpulled or decision.is_open:
        return  # told, and left to a person
    only_there = everything(end.there) - everything(end.sides.tree)
    kept = set(decision.kept)
    assert all(any(place[: len(one)] == one for one in kept) for place in only_there)
    assert everything(end.sides.tree) <= everything(end.there)


@LAW
@given(threes())
def test_nothing_is_removed_that_the_base_did_not_have(three: Three) -> None:
    now = three.followed
    gone = everything(now.there) - everything(three.decision.wanted or three.there)
    assert gone <= everything(now.known or {})


@LAW
@given(threes())
def test_nothing_is_removed_that_the_catalog_says_somebody_else_put_there(three: Three) -> None:
    if not three.rules.attributed:
        return
    assert three.sides.held is not None
    theirs = places(three.there) - three.sides.held.ours
    assert theirs <= places(three.decision.wanted or three.there)


@LAW
@given(threes(has_base=False))
def test_without_a_base_nothing_is_removed_on_either_side(three: Three) -> None:
    decision = three.decision
    assert three.sides.tree is not None
    if decision.disputes:  # who wins may have another name for what has one id
        return
    now = three.followed
    assert everything(now.there) <= everything(decision.wanted or three.there)
    assert everything(now.mine) <= everything(decision.pulled or three.sides.tree)


@LAW
@given(threes())
def test_every_edit_of_the_catalog_is_in_the_result_or_told(three: Three) -> None:
    """Nothing is lost: what the catalog says is kept, pulled, reverted and told, or in dispute."""
    decision = three.decision
    if decision.action is None or same(decision.wanted, three.there):
        return
    now = three.followed
    new = everything(now.there) - everything(now.known or {})
    assert new <= everything(decision.wanted)
    told = bool(decision.changes) or any(d.becomes is Becomes.REVERTED for d in decision.drifts)
    assert told or decision.action is WriteAction.CREATE


@LAW
@given(branches().filter(lambda three: not any(map(is_ambiguous, three))))
def test_where_both_sides_merge_cleanly_the_result_is_that_of_the_merge(
    three: tuple[Document, Document, Document],
) -> None:
    base, ours, theirs = three
    rules = Rules(policies=dict.fromkeys(SNAPSHOT_KEYS, SyncPolicy.MERGE))
    held = CatalogDocument(snapshot_identity(base), theirs)
    decision = decide(SyncSides(held.identity, base, ours, held), rules)
    merged = merge(base, ours, theirs, Snapshot)
    if not merged.conflicts:
        assert same(decision.wanted, merged.document)
        assert same(decision.pulled or ours, merged.document)


SNAPSHOT_KEYS = (
    "storage", "schema", "contract", "contract.deprecated", "contract.sunset",
    "contract.replaced_by", "lineage", "ownership", "governance", "documentation", "quality",
    "schedule", "properties", "versioning", "environment", "kind",
)  # fmt: skip


@LAW
@given(threes(policies=st.just(SyncPolicy.GIT), has_base=True))
def test_where_git_wins_nothing_is_pulled(three: Three) -> None:
    assert three.decision.pulled is None
    assert not three.decision.is_open


@LAW
@given(threes(policies=st.just(SyncPolicy.CATALOG), has_base=True))
def test_where_the_catalog_wins_its_edits_stay(three: Three) -> None:
    decision = three.decision
    assert not decision.is_open
    kept = everything(decision.wanted or three.there)
    now = three.followed
    assert everything(now.there) - everything(now.known or {}) <= kept


@LAW
@given(threes())
def test_who_is_asked_first_does_not_matter(three: Three) -> None:
    """A pull before the write and one after it lead to the same end."""
    end = settled(three)
    tree = three.decision.pulled or three.sides.tree
    pulled_first = Three(
        SyncSides(three.sides.identity, three.sides.base, tree, three.sides.held), three.rules
    )
    assert same(settled(pulled_first).there, end.there)
    assert same(settled(pulled_first).sides.tree, end.sides.tree)
