"""A catalog holds what it says it can hold, and gives it back."""

from lumos_snap.catalogs.adapter import CatalogDocument, Identity, UnchangedDocument
from lumos_snap.catalogs.sync.execute import WriteOutcome
from tests.catalogs.contract.subjects import Subject
from tests.catalogs.lake import CLICKS, GOLD, ORDERS, edited, lake
from tests.catalogs.world import World


def projected(world: World) -> dict[object, object]:
    project = world.catalog.project
    return {one: project(one, document).document for one, document in world.tree.items()}


def test_what_was_written_is_shown_and_read(world: World, subject: Subject) -> None:
    done = world.push()
    assert {one.outcome for one in done} == {WriteOutcome.WRITTEN}
    assert subject.shown() == projected(world)
    held = {one.identity: one for one in world.catalog.read(sorted(world.tree))}
    assert {
        one: found.document for one, found in held.items() if isinstance(found, CatalogDocument)
    } == (projected(world))


def test_what_is_held_can_be_held(world: World) -> None:
    world.push()
    for one in world.catalog.read(sorted(world.tree)):
        assert isinstance(one, CatalogDocument)
        assert world.catalog.project(one.identity, one.document).document == one.document


def test_what_cannot_be_held_is_named(world: World) -> None:
    for identity, document in lake().items():
        found = world.catalog.project(identity, document)
        dropped = document.keys() - found.document.keys()
        assert dropped <= {loss.at.partition(".")[0] for loss in found.losses}
        assert found.document.keys() <= document.keys()


def test_reading_leaves_out_what_is_not_there_and_keeps_the_order(world: World) -> None:
    del world.tree[GOLD]
    world.push()
    found = list(world.catalog.read([CLICKS, ORDERS, GOLD]))
    assert [one.identity for one in found] == [CLICKS, ORDERS]


def test_what_is_there_can_be_listed(world: World) -> None:
    if not world.catalog.capabilities.can_search:
        return
    world.push()
    assert list(world.catalog.search("")) == sorted(world.tree)


def test_a_second_push_writes_nothing(world: World, subject: Subject) -> None:
    world.push()
    before = subject.shown()
    found = world.plan()
    assert found.decisions == ()
    assert world.carry_out(found, world.means()) == ()
    assert subject.shown() == before


def test_only_what_changed_gets_a_new_version(world: World) -> None:
    world.push()
    (before,) = world.catalog.read([CLICKS])
    world.tree[CLICKS] = edited(world.tree[CLICKS], governance={"tags": ["raw", "tier-1"]})
    world.push()
    (after,) = world.catalog.read([CLICKS])
    assert isinstance(before, CatalogDocument)
    assert isinstance(after, CatalogDocument)
    same = [name for name, one in before.versions.items() if after.versions.get(name) == one]
    if before.versions:
        assert 0 < len(same) < len(before.versions)


def test_deleted_is_out_of_sight_and_can_come_back(world: World, subject: Subject) -> None:
    world.push()
    orders = world.tree.pop(ORDERS)
    world.push()
    assert ORDERS not in subject.shown()
    assert ORDERS not in world.base
    assert world.plan().decisions == ()
    world.tree[ORDERS] = edited(orders, documentation={"description": "Once more"})
    world.push()
    assert subject.shown() == projected(world)
    assert world.plan().decisions == ()


def marks(world: World) -> dict[Identity, str]:
    found = world.catalog.read(sorted(world.tree))
    return {one.identity: one.mark for one in found if isinstance(one, CatalogDocument)}


def test_what_has_a_known_mark_is_the_same_and_can_be_worked_out(world: World) -> None:
    world.push()
    known = marks(world)
    assert all(known.values()), "every catalog here can tell"
    for one in world.catalog.read(sorted(world.tree), known):
        assert isinstance(one, UnchangedDocument)
        (held,) = world.catalog.read([one.identity])
        assert one.open() == held


def test_what_was_edited_and_what_was_removed_has_another_mark(
    world: World, subject: Subject
) -> None:
    world.push()
    known = marks(world)
    subject.edit(CLICKS, edited(subject.shown()[CLICKS], documentation={"description": "New"}))
    subject.edit(ORDERS, None)
    found = list(world.catalog.read(sorted(world.tree), known))
    same = {one.identity for one in found if isinstance(one, UnchangedDocument)}
    assert same == world.tree.keys() - {CLICKS, ORDERS}
    assert marks(world).get(CLICKS) != known[CLICKS]


def test_a_mark_is_confirmed_only_with_all_that_is_held(world: World, subject: Subject) -> None:
    world.push()
    theirs = edited(subject.shown()[CLICKS], governance={"tags": ["raw", "theirs"]})
    subject.edit(CLICKS, theirs)
    world.tree[CLICKS] = edited(world.tree[CLICKS], properties={"team": "ours"})
    world.tree[ORDERS] = edited(world.tree[ORDERS], properties={"team": "ours"})
    confirmed = {one.identity: one.proven for one in world.push()}
    assert not getattr(confirmed[CLICKS], "mark", None), "their tag is not in the base"
    assert getattr(confirmed[ORDERS], "mark", None) == marks(world)[ORDERS]
