"""What others wrote stays: it is pulled, told or left alone, and never lost."""

import pytest

from lumos_snap.catalogs.adapter import (
    CatalogDocument,
    DocumentWrite,
    WriteAction,
    WriteConfirmed,
    WriteStale,
)
from lumos_snap.catalogs.sync.decision import Becomes, Winner
from lumos_snap.catalogs.sync.execute import WriteOutcome
from tests.catalogs.contract.subjects import Subject
from tests.catalogs.faults import Faulty
from tests.catalogs.lake import CLICKS, GOLD, ORDERS, edited
from tests.catalogs.world import World


@pytest.fixture
def pushed(world: World) -> World:
    world.push()
    return world


def test_an_edit_of_another_section_stays(pushed: World, subject: Subject) -> None:
    there = edited(subject.shown()[CLICKS], documentation={"description": "By hand"})
    subject.edit(CLICKS, there)
    pushed.tree[CLICKS] = edited(pushed.tree[CLICKS], governance={"tags": ["raw", "tier-1"]})
    pushed.push()
    now = subject.shown()[CLICKS]
    assert now["documentation"] == {"description": "By hand"}
    assert now["governance"] == {"tags": ["raw", "tier-1"]}


def test_an_edit_goes_into_the_tree_and_both_are_alike(pushed: World, subject: Subject) -> None:
    there = edited(subject.shown()[CLICKS], documentation={"description": "By hand"})
    subject.edit(CLICKS, there)
    (decision,) = pushed.pull().decisions
    assert [drift.becomes for drift in decision.drifts] == [Becomes.PULLED]
    assert pushed.tree[CLICKS]["documentation"] == {"description": "By hand"}
    assert pushed.tree[CLICKS]["schedule"]  # the catalog has no room for it: the tree keeps it
    assert pushed.plan().decisions == ()


def test_tags_and_owners_of_others_stay_when_ours_go(pushed: World, subject: Subject) -> None:
    there = subject.shown()[CLICKS]
    subject.edit(
        CLICKS,
        edited(
            there,
            governance={"tags": ["raw", "theirs"]},
            ownership={"owners": [*there["ownership"]["owners"], {"user": "jdoe"}]},
        ),
    )
    pushed.tree[CLICKS] = edited(pushed.tree[CLICKS], governance=None, ownership=None)
    pushed.push()
    now = subject.shown()[CLICKS]
    assert now["governance"] == {"tags": ["theirs"]}
    assert now["ownership"] == {"owners": [{"user": "jdoe"}]}


def test_a_tag_that_others_gave_stays_where_the_catalog_knows_that(
    world: World, subject: Subject
) -> None:
    if "governance.tags" not in world.catalog.capabilities.attributed:
        return
    there = edited(world.catalog.project(CLICKS, world.tree[CLICKS]).document)
    subject.edit(CLICKS, there)
    world.push()  # both say the same: it is taken into the base
    world.tree[CLICKS] = edited(world.tree[CLICKS], governance=None)
    world.push()
    assert subject.shown()[CLICKS]["governance"] == {"tags": ["raw"]}
    (decision,) = world.plan().decisions
    assert decision.kept == (("governance", "tags", ("raw",)),)
    assert decision.action is None


def test_an_edge_that_others_drew_stays_where_the_catalog_knows_that(
    world: World, subject: Subject
) -> None:
    if "lineage.upstream" not in world.catalog.capabilities.attributed:
        return
    theirs, mine = ({"urn": one, "type": "COPIED"} for one in (CLICKS.id, f"{CLICKS.id}-new"))
    world.tree[ORDERS] = edited(world.tree[ORDERS], lineage={"upstream": [theirs]})
    subject.edit(ORDERS, world.catalog.project(ORDERS, world.tree[ORDERS]).document)
    world.push()  # both say the same: it is taken into the base
    world.tree[ORDERS] = edited(world.tree[ORDERS], lineage={"upstream": [theirs, mine]})
    world.push()
    assert subject.shown()[ORDERS]["lineage"] == {"upstream": [theirs, mine]}
    world.tree[ORDERS] = edited(world.tree[ORDERS], lineage=None)
    world.push()
    assert subject.shown()[ORDERS]["lineage"] == {"upstream": [theirs]}
    (decision,) = world.plan().decisions
    assert decision.kept == (("lineage", "upstream", (CLICKS.id, None, None)),)
    assert decision.action is None


def test_where_both_edited_one_word_nothing_is_written_over(
    pushed: World, subject: Subject
) -> None:
    subject.edit(CLICKS, edited(subject.shown()[CLICKS], properties={"team": "theirs"}))
    pushed.tree[CLICKS] = edited(pushed.tree[CLICKS], properties={"team": "ours"})
    if "properties" not in pushed.catalog.capabilities.holds["snapshot"]:
        return
    (decision,) = pushed.plan().decisions
    assert [one.winner for one in decision.disputes] == [Winner.NOBODY]
    pushed.push()
    pushed.pull()
    assert subject.shown()[CLICKS]["properties"] == {"team": "theirs"}
    assert pushed.tree[CLICKS]["properties"] == {"team": "ours"}


def test_what_machines_write_is_restored_and_told(pushed: World, subject: Subject) -> None:
    fields = [{"name": "id", "type": "STRING", "nullable": True}]
    subject.edit(CLICKS, edited(subject.shown()[CLICKS], schema={"fields": fields}))
    (decision,) = pushed.plan().decisions
    assert {drift.becomes for drift in decision.drifts} == {Becomes.REVERTED}
    pushed.push()
    assert subject.shown()[CLICKS]["schema"] == pushed.tree[CLICKS]["schema"]


def test_what_somebody_edited_is_not_deleted(pushed: World, subject: Subject) -> None:
    subject.edit(ORDERS, edited(subject.shown()[ORDERS], documentation={"description": "Mine"}))
    del pushed.tree[ORDERS]
    (decision,) = pushed.plan().decisions
    assert decision.action is None
    assert [one.winner for one in decision.disputes] == [Winner.NOBODY]


def test_without_a_base_nothing_is_deleted_and_nothing_removed(
    pushed: World, subject: Subject
) -> None:
    there = edited(subject.shown()[CLICKS], governance={"tags": ["theirs"]})
    subject.edit(CLICKS, there)
    pushed.base.clear()
    del pushed.tree[ORDERS]
    pushed.push()
    assert ORDERS in subject.shown()
    assert subject.shown()[CLICKS]["governance"] == {"tags": ["raw", "theirs"]}
    pushed.pull()
    assert pushed.tree[CLICKS]["governance"] == {"tags": ["raw", "theirs"]}
    assert pushed.plan().decisions == ()


def test_a_write_over_something_newer_is_refused(pushed: World, subject: Subject) -> None:
    if not pushed.catalog.capabilities.has_preconditions:
        return
    (seen,) = pushed.catalog.read([CLICKS])
    assert isinstance(seen, CatalogDocument)
    subject.edit(CLICKS, edited(seen.document, documentation={"description": "Newer"}))
    ours = edited(seen.document, documentation={"description": "Ours"})
    answer = pushed.catalog.apply(DocumentWrite(CLICKS, WriteAction.UPDATE, ours, seen))
    assert isinstance(answer, WriteStale)
    assert subject.shown()[CLICKS]["documentation"] == {"description": "Newer"}
    assert isinstance(
        pushed.catalog.apply(DocumentWrite(CLICKS, WriteAction.CREATE, ours)), WriteStale
    )
    assert isinstance(
        pushed.catalog.apply(DocumentWrite(CLICKS, WriteAction.DELETE, {}, seen)), WriteStale
    )
    assert subject.shown()[CLICKS]["documentation"] == {"description": "Newer"}


def test_a_change_of_one_part_passes_where_another_part_is_newer(
    pushed: World, subject: Subject
) -> None:
    if not pushed.catalog.capabilities.has_preconditions:
        return
    (seen,) = pushed.catalog.read([CLICKS])
    assert isinstance(seen, CatalogDocument)
    subject.edit(CLICKS, edited(seen.document, documentation={"description": "Newer"}))
    tagged = edited(seen.document, governance={"tags": ["gold", "raw"]})
    answer = pushed.catalog.apply(DocumentWrite(CLICKS, WriteAction.UPDATE, tagged, seen))
    assert isinstance(answer, WriteConfirmed)
    assert subject.shown()[CLICKS]["documentation"] == {"description": "Newer"}
    assert subject.shown()[CLICKS]["governance"] == {"tags": ["gold", "raw"]}


def test_what_is_gone_there_comes_back(pushed: World, subject: Subject) -> None:
    subject.edit(GOLD, None)
    (decision,) = pushed.plan().decisions
    assert decision.action in (
        WriteAction.REVIVE,
        WriteAction.CREATE,
    )  # as it deletes softly or not
    assert [one.outcome for one in pushed.push()] == [WriteOutcome.WRITTEN]
    assert GOLD in subject.shown()
    assert pushed.plan().decisions == ()


def test_datasets_are_there_before_lineage_names_them(world: World) -> None:
    through = Faulty(world.catalog, {})
    world.push(through=through)
    order = [(change.identity, change.seen is None) for change in through.asked]
    first = {identity: order.index((identity, True)) for identity in world.tree}
    assert first[GOLD] < first[CLICKS]
    if world.catalog.capabilities.needs_referents:
        lineage = order.index((ORDERS, False))
        assert lineage > max(first.values())
    else:
        assert all(is_first for _, is_first in order), "written whole, once"
