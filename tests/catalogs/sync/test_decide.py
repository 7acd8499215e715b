"""The table of decisions: what happens where one side, the other, or both changed a thing."""

from typing import Any

import pytest

from lumos_snap.catalogs.adapter import CatalogDocument, Edit, Identity, Projection, WriteAction
from lumos_snap.catalogs.sync.decide import CHANGED_THERE, GONE_THERE, decide
from lumos_snap.catalogs.sync.decision import Becomes, SyncDecision, SyncSides, Winner
from lumos_snap.catalogs.sync.plan import plan
from lumos_snap.catalogs.sync.policy import DEFAULTS, EXISTENCE, Rules, SyncPolicy, policy_names
from lumos_snap.errors import LumosError
from lumos_snap.schema import Document
from tests.catalogs.lake import CLICKS, clicks, edited

GIT, CATALOG, MERGE = SyncPolicy.GIT, SyncPolicy.CATALOG, SyncPolicy.MERGE
PLACE = "documentation"


def said(word: str | None) -> Document:
    return edited(clicks(), documentation=word and {"description": word})


def decided(base: Any, tree: Any, there: Any, policy: SyncPolicy) -> SyncDecision:
    sides = SyncSides(
        CLICKS,
        None if base is ... else said(base),
        said(tree),
        CatalogDocument(CLICKS, said(there), edits={PLACE: Edit("jdoe")}),
    )
    return decide(sides, Rules(policies={PLACE: policy}))


def word(document: Document) -> str | None:
    found: str | None = document.get(PLACE, {}).get("description")
    return found


@pytest.mark.parametrize("policy", SyncPolicy)
@pytest.mark.parametrize(
    ("base", "tree", "there"), [("a", "a", "a"), (None, None, None), ("a", None, None)]
)
def test_where_both_say_the_same_nothing_is_written_or_pulled(
    base: Any, tree: Any, there: Any, policy: SyncPolicy
) -> None:
    decision = decided(base, tree, there, policy)
    assert (decision.action, decision.pulled, decision.disputes) == (None, None, ())
    assert (decision.adopted is None) == (base == tree)


@pytest.mark.parametrize("policy", SyncPolicy)
@pytest.mark.parametrize(("base", "tree"), [("a", "b"), ("a", None), (None, "b")])
def test_an_edit_of_the_tree_is_written(base: Any, tree: Any, policy: SyncPolicy) -> None:
    decision = decided(base, tree, base, policy)
    assert decision.action is WriteAction.UPDATE
    assert word(decision.wanted) == tree
    assert (decision.pulled, decision.disputes, decision.drifts) == (None, (), ())


@pytest.mark.parametrize("policy", [CATALOG, MERGE])
@pytest.mark.parametrize(("base", "there"), [("a", "c"), ("a", None), (None, "c")])
def test_an_edit_of_the_catalog_is_pulled(base: Any, there: Any, policy: SyncPolicy) -> None:
    decision = decided(base, base, there, policy)
    assert decision.action is None
    assert decision.pulled is not None
    assert word(decision.pulled) == there
    assert [(one.becomes, one.edit) for one in decision.drifts] == [(Becomes.PULLED, Edit("jdoe"))]


@pytest.mark.parametrize(("base", "there"), [("a", "c"), ("a", None)])
def test_where_git_wins_an_edit_of_the_catalog_is_reverted(base: Any, there: Any) -> None:
    decision = decided(base, base, there, GIT)
    assert word(decision.wanted) == base
    assert decision.pulled is None
    assert [one.becomes for one in decision.drifts] == [Becomes.REVERTED]


def test_where_git_wins_what_neither_side_knew_stays_and_is_told() -> None:
    decision = decided(None, None, "c", GIT)
    assert (decision.action, decision.pulled) == (None, None)
    assert [one.becomes for one in decision.drifts] == [Becomes.KEPT]


@pytest.mark.parametrize(
    ("policy", "winner", "written", "pulled"),
    [
        (GIT, Winner.GIT, "b", None),
        (CATALOG, Winner.CATALOG, None, "c"),
        (MERGE, Winner.NOBODY, None, None),
    ],
)
@pytest.mark.parametrize("base", ["a", None, ...])
def test_where_both_edited_it_the_policy_decides_or_a_person(
    base: Any, policy: SyncPolicy, winner: Winner, written: Any, pulled: Any
) -> None:
    decision = decided(base, "b", "c", policy)
    assert [one.winner for one in decision.disputes] == [winner]
    (conflict,) = (one.conflict for one in decision.disputes)
    assert (conflict.ours, conflict.theirs) in (
        ("b", "c"),
        ({"description": "b"}, {"description": "c"}),
    )
    assert (decision.action and word(decision.wanted)) == written
    assert (decision.pulled and word(decision.pulled)) == pulled


@pytest.mark.parametrize("policy", SyncPolicy)
def test_a_document_that_the_catalog_never_had_is_created(policy: SyncPolicy) -> None:
    rules = Rules(policies={EXISTENCE: policy})
    decision = decide(SyncSides(CLICKS, None, said("a")), rules)
    assert (decision.action, decision.wanted) == (WriteAction.CREATE, said("a"))


@pytest.mark.parametrize("is_removed", [True, False])
def test_a_document_that_vanished_there_comes_back_or_is_left_to_a_person(
    is_removed: bool,
) -> None:
    held = CatalogDocument(CLICKS, said("a"), is_removed=True) if is_removed else None
    sides = SyncSides(CLICKS, said("a"), said("b"), held)
    decision = decide(sides, Rules())
    assert decision.action is (WriteAction.REVIVE if is_removed else WriteAction.CREATE)
    assert word(decision.wanted) == "b"
    assert [one.conflict.why for one in decision.disputes] == [GONE_THERE]
    left = decide(sides, Rules(policies={EXISTENCE: MERGE}))
    assert (left.action, left.is_open) == (None, True)


def test_what_a_removed_document_says_beside_the_tree_comes_back_with_it() -> None:
    held = CatalogDocument(CLICKS, edited(said("old"), properties={"by": "hand"}), is_removed=True)
    decision = decide(SyncSides(CLICKS, None, said("new"), held), Rules())
    assert decision.action is WriteAction.REVIVE
    assert decision.wanted == edited(said("new"), properties={"by": "hand"})
    assert not decision.disputes


def test_what_left_the_tree_is_deleted_only_where_nobody_changed_it() -> None:
    held = CatalogDocument(CLICKS, said("a"))
    assert decide(SyncSides(CLICKS, said("a"), None, held), Rules()).action is WriteAction.DELETE
    left = decide(SyncSides(CLICKS, said("b"), None, held), Rules())
    assert left.action is None
    assert [one.conflict.why for one in left.disputes] == [CHANGED_THERE]
    unknown = decide(SyncSides(CLICKS, None, None, held), Rules())
    assert unknown.is_quiet


@pytest.mark.parametrize("held", [None, CatalogDocument(CLICKS, said("a"), is_removed=True)])
def test_what_is_gone_on_both_sides_is_forgotten(held: CatalogDocument | None) -> None:
    decision = decide(SyncSides(CLICKS, said("a"), None, held), Rules())
    assert (decision.action, decision.is_forgotten) == (None, True)


def test_what_cannot_be_read_or_cannot_be_held_is_refused_by_name() -> None:
    unreadable = SyncSides(CLICKS, said("a"), said("b"), unreadable="its aspect is damaged")
    assert decide(unreadable, Rules()).refusal == "its aspect is damaged"
    rules = Rules(project=lambda _, document: Projection(document, refusal="has no such platform"))
    refused = decide(SyncSides(CLICKS, None, said("b")), rules)
    assert (refused.action, refused.refusal) == (None, "has no such platform")


def test_a_key_of_a_section_may_have_a_policy_of_its_own() -> None:
    held = CatalogDocument(
        CLICKS, edited(clicks(), governance={"tags": ["theirs"], "domain": "theirs"})
    )
    base = edited(clicks(), governance={"tags": ["raw"], "domain": "base"})
    rules = Rules(policies={"governance": GIT, "governance.domain": CATALOG})
    decision = decide(SyncSides(CLICKS, base, base, held), rules)
    assert decision.wanted["governance"] == {"tags": ["raw", "theirs"], "domain": "theirs"}
    assert decision.pulled is not None
    assert decision.pulled["governance"] == {"tags": ["raw"], "domain": "theirs"}


def test_a_policy_for_a_section_holds_for_the_keys_that_have_another_by_default() -> None:
    base = edited(clicks(), contract={"lifecycle": "stable", "deprecated": "a"})
    held = CatalogDocument(
        CLICKS, edited(clicks(), contract={"lifecycle": "beta", "deprecated": "c"})
    )
    usual = decide(SyncSides(CLICKS, base, base, held), Rules())
    assert usual.wanted["contract"] == {"lifecycle": "stable", "deprecated": "c"}
    strict = decide(SyncSides(CLICKS, base, base, held), Rules(policies={"contract": GIT}))
    assert strict.wanted["contract"] == {"lifecycle": "stable", "deprecated": "a"}


def test_only_chosen_sections_are_looked_at() -> None:
    held = CatalogDocument(CLICKS, said("a"))
    tree = edited(said("b"), governance={"tags": ["new"]})
    decision = decide(
        SyncSides(CLICKS, said("a"), tree, held), Rules(sections=frozenset({"governance"}))
    )
    assert word(decision.wanted) == "a"
    assert decision.wanted["governance"] == {"tags": ["new"]}


def test_a_new_document_has_what_it_must_have_whatever_sections_are_chosen() -> None:
    rules = Rules(sections=frozenset({"governance"}))
    decision = decide(SyncSides(CLICKS, None, said("a")), rules)
    assert decision.wanted.keys() >= {"urn", "name", "platform", "governance"}
    assert PLACE not in decision.wanted


def test_what_the_catalog_cannot_hold_is_no_difference_and_stays_in_the_tree() -> None:
    def project(_: object, document: Document) -> Projection:
        return Projection({name: one for name, one in document.items() if name != "schedule"})

    base, there = project(None, said("a")).document, project(None, said("c")).document
    decision = decide(
        SyncSides(CLICKS, base, said("a"), CatalogDocument(CLICKS, there)), Rules(project=project)
    )
    assert decision.pulled is not None
    assert decision.pulled == said("c")
    assert "schedule" in decision.pulled


def test_an_edit_that_breaks_a_law_of_the_tree_does_not_get_in() -> None:
    broken = edited(clicks(), documentation={"fields": [{"path": "`", "description": "c"}]})
    decision = decide(
        SyncSides(CLICKS, clicks(), clicks(), CatalogDocument(CLICKS, broken)), Rules()
    )
    assert decision.pulled is None
    assert decision.refusal == ""
    assert decision.unpulled.startswith("documentation.fields.0.path: ")


def test_policies_have_names_that_are_there() -> None:
    assert policy_names() >= {*DEFAULTS, EXISTENCE, "governance.tags", "members"}
    assert "governance.tag" not in policy_names()


def test_half_a_character_in_a_catalog_stops_nobody_else() -> None:
    held = CatalogDocument(CLICKS, {**clicks(), "documentation": {"description": "\ud800"}})
    found = plan([(CLICKS, clicks())], [(CLICKS, clicks())], [held], rules=Rules())
    assert [one.refusal.partition(":")[0] for one in found.decisions] == [
        "what the catalog holds of it is no JSON"
    ]


def test_a_document_that_does_not_map_is_refused_by_its_own_words() -> None:
    def project(identity: Identity, _: Document) -> Projection:
        raise LumosError(f"{identity.id}: has no platform there")

    found = plan([], [(CLICKS, clicks())], [], rules=Rules(project=project))
    assert [one.refusal for one in found.decisions] == [f"{CLICKS.id}: has no platform there"]


def test_where_only_some_sections_are_looked_at_nothing_is_deleted() -> None:
    sides = SyncSides(CLICKS, clicks(), None, CatalogDocument(CLICKS, clicks()))
    assert decide(sides, Rules(sections=frozenset({"governance"}))).is_quiet
