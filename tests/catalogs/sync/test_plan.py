"""The plan of many documents: streams, deletes, order."""

import random
from typing import Any

import orjson
import pytest

from lumos_snap.catalogs.adapter import (
    CatalogDocument,
    DeleteMode,
    Identity,
    Loss,
    Projection,
    UnchangedDocument,
    Unreadable,
    WriteAction,
)
from lumos_snap.catalogs.sync.delete_guard import DeleteGuard, default_limit
from lumos_snap.catalogs.sync.join import RawDocument, join_sides
from lumos_snap.catalogs.sync.plan import Plan, plan
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.catalogs.sync.write_order import _BY_ID, WriteStage, change_at, references
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Document, keys_of
from tests.catalogs.lake import CLICKS, GOLD, ORDERS, clicks, edited, gold, orders, snapshot

RULES = Rules()
Documents = list[tuple[Identity, Document]]


def many(number: int) -> Documents:
    names = sorted(Identity("snapshot", f"lumos://s3/lake/t{n}") for n in range(number))
    return [(one, snapshot(one)) for one in names]


def held(documents: Documents) -> list[CatalogDocument]:
    return [CatalogDocument(identity, document) for identity, document in documents]


def planned(base: Documents, tree: Documents, there: list[Any], **guard: Any) -> Plan:
    return plan(base, tree, there, rules=RULES, guard=DeleteGuard(**guard))


def test_three_sorted_streams_are_walked_side_by_side() -> None:
    every = many(9)
    found = list(join_sides(every[:6], every[3:], held(every[1:8:2])))
    assert [one.identity for one in found] == [identity for identity, _ in every]
    assert [one.base is not None for one in found] == [True] * 6 + [False] * 3
    assert [one.tree is not None for one in found] == [False] * 3 + [True] * 6
    assert [one.there is not None for one in found] == [n in (1, 3, 5, 7) for n in range(9)]


def test_what_is_not_sorted_is_refused() -> None:
    with pytest.raises(ValueError, match="must be sorted"):
        list(join_sides(many(3)[::-1], [], []))


def test_a_tree_that_can_be_gone_through_only_once_is_refused() -> None:
    with pytest.raises(TypeError, match="twice"):
        plan([], iter(many(1)), [], rules=RULES)


def test_memory_holds_only_what_differs() -> None:
    every = many(50)
    found = planned(every, every, held(every))
    assert found.decisions == ()
    assert found.documents == 50


def test_the_order_of_keys_and_sets_plays_no_part() -> None:
    base = [(CLICKS, clicks(governance={"tags": ["a", "b"]}))]
    tree = [(CLICKS, clicks(governance={"tags": ["a", "b", "c"], "terms": ["x", "y"]}))]
    there = [CatalogDocument(CLICKS, clicks(governance={"tags": ["b"]}))]
    first = planned(base, tree, there)
    for seed in range(5):
        mixed = random.Random(seed)
        again = planned(
            [(CLICKS, shuffled(base[0][1], mixed))],
            [(CLICKS, shuffled(tree[0][1], mixed))],
            [CatalogDocument(CLICKS, shuffled(there[0].document, mixed))],
        )
        assert again.decisions[0].wanted == first.decisions[0].wanted
        assert again.decisions[0].changes == first.decisions[0].changes
        assert again.decisions[0].drifts == first.decisions[0].drifts


def shuffled(given: Any, mixed: random.Random) -> Any:
    if isinstance(given, dict):
        names = list(given)
        mixed.shuffle(names)
        return {name: shuffled(given[name], mixed) for name in names}
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        return mixed.sample(given, len(given))
    return given


def test_what_cannot_be_read_is_refused_and_the_rest_is_planned() -> None:
    every = many(3)
    found = planned(every, every[:1], [Unreadable(every[0][0], "busy"), *held(every[1:])], most=5)
    assert [one.refusal for one in found.decisions] == ["busy", "", ""]
    assert found.documents == 1


def unopened() -> CatalogDocument:
    raise AssertionError("nobody asked what it says")


def test_what_is_as_it_was_confirmed_is_counted_and_not_looked_at() -> None:
    every = many(30)
    kept, gone = every[2:], every[:2]
    as_written = [
        (one, RawDocument(orjson.dumps(document), orjson.loads)) for one, document in kept
    ]
    found = plan(
        [*gone, *as_written],
        as_written,
        [*held(gone), *(UnchangedDocument(one, unopened) for one, _ in kept)],
        rules=RULES,
    )
    assert [one.action for one in found.decisions] == [WriteAction.DELETE] * 2
    assert found.documents == 28


def test_what_the_catalog_cannot_hold_is_counted() -> None:
    lost = {0: ("schedule",), 1: (), 2: ("contract.gate", "schedule"), 3: ()}
    every = many(4)
    order = {identity: at for at, (identity, _) in enumerate(every)}

    def project(identity: Identity, document: Document) -> Projection:
        at = order[identity]
        losses = tuple(Loss(one, "no place", item) for one in lost[at] for item in ("a", "b"))
        return Projection(document, losses, "has no such platform" if at == 3 else "")

    found = plan([], every, [], rules=Rules(project=project))
    assert list(found.losses.items()) == [("contract.gate", 1), ("schedule", 2)]
    assert found.lossy == tuple(identity for identity, at in order.items() if at != 1)


def test_a_base_that_both_sides_have_left_behind_is_told() -> None:
    tree = many(1)
    before = [(tree[0][0], edited(tree[0][1], documentation={"description": "before"}))]
    (decision,) = planned(before, tree, held(tree)).decisions
    assert (decision.action, decision.pulled, decision.adopted) == (None, None, tree[0][1])


def test_a_delete_comes_last() -> None:
    two = many(2)
    (decision,) = planned(two, two[1:], held(two)).writes
    assert [stage for stage in WriteStage if change_at(decision, None, stage)] == [
        WriteStage.DELETES
    ]


def reasons(found: Plan) -> list[str]:
    assert not [one for one in found.decisions if one.action is WriteAction.DELETE]
    return [one.refusal.removeprefix("is not deleted: ") for one in found.decisions]


@pytest.mark.parametrize(
    ("known", "most"), [(1, 1), (5, 1), (19, 1), (20, 2), (150, 15), (200, 20), (100_000, 20)]
)
def test_few_may_be_deleted_at_once(known: int, most: int) -> None:
    assert default_limit(known) == most


def test_too_many_deletes_are_refused_all_of_them_and_a_person_may_allow_more() -> None:
    every = many(10)
    found = planned(every, every[2:], held(every))
    assert reasons(found) == ["2 would go, and at most 1 may at once: `--deletes 2` lets them"] * 2
    assert len(planned(every, every[2:], held(every), most=2).writes) == 2
    assert len(planned(every, every[1:], held(every)).writes) == 1


def test_nothing_is_deleted_for_an_empty_tree_after_a_failed_scan_or_where_nothing_can_be() -> None:
    every = many(1)
    assert reasons(planned(every, [], held(every), most=9)) == ["the tree is empty"]
    two = many(2)
    failed = planned(two, two[1:], held(two), forbidden=lambda: "the last scan failed")
    assert reasons(failed) == ["the last scan failed"]
    none = planned(two, two[1:], held(two), deleting=DeleteMode.NONE)
    assert reasons(none) == ["this catalog deletes nothing"]


def test_what_the_tree_still_refers_to_is_not_deleted() -> None:
    base = [(CLICKS, clicks()), (ORDERS, orders())]
    found = planned(base, base[1:], held(base))
    assert reasons(found) == [f"{ORDERS.id} still refers to it"]
    others = [(one, {**orders(), "urn": one.id, "name": one.id[-2:]}) for one, _ in many(2)]
    base, tree = sorted([*base, *others]), sorted([*base[1:], *others])
    (why,) = reasons(planned(base, tree, held(base)))
    assert why == f"{ORDERS.id} and 2 more still refer to it"
    base = [(CLICKS, clicks()), (ORDERS, orders())]
    alone = [(ORDERS, edited(orders(), lineage=None))]
    assert [one.action for one in planned(base, alone, held(base)).writes] == [
        WriteAction.DELETE,
        WriteAction.UPDATE,
    ]


def test_a_tag_that_is_still_given_is_not_deleted() -> None:
    tagged = clicks(governance={"fields": [{"path": "id", "tags": ["gold"]}]})
    base = [(CLICKS, tagged), (GOLD, gold())]
    assert reasons(planned(base, base[:1], held(base))) == [f"{CLICKS.id} still refers to it"]


def test_every_reference_is_found() -> None:
    document = snapshot(
        CLICKS,
        schema={
            "fields": [{"name": "id", "type": "INT64", "nullable": False}],
            "foreign_keys": [{"urn": "lumos://a/key", "columns": ["id"]}],
        },
        contract={"replaced_by": "lumos://a/next", "renamed_from": "lumos://a/before"},
        lineage={"upstream": [{"urn": "lumos://a/up", "via": "job"}]},
        ownership={"owners": [{"user": "u"}, {"group": "g"}]},
        governance={"domain": "d", "tags": ["t"], "terms": ["w"]},
        properties={"p": "1"},
    )
    assert set(references(document, Snapshot)) == {
        Identity("snapshot", "lumos://a/key"),
        Identity("snapshot", "lumos://a/next"),
        Identity("snapshot", "lumos://a/up"),
        Identity("job", "job"),
        Identity("user", "u"),
        Identity("group", "g"),
        Identity("domain", "d"),
        Identity("tag", "t"),
        Identity("term", "w"),
        Identity("property", "p"),
    }


def test_the_table_of_references_names_keys_that_are_there() -> None:
    assert all(name in keys_of(cls) for cls, name in _BY_ID)


def test_what_is_referred_to_is_written_first() -> None:
    tree = [(CLICKS, clicks()), (ORDERS, orders()), (GOLD, gold())]
    written = [
        (stage, one.identity)
        for stage in WriteStage
        for one in planned([], tree, []).writes
        if change_at(one, None, stage) is not None
    ]
    first = {identity: stage for stage, identity in reversed(written)}
    assert first == {
        GOLD: WriteStage.WORDS,
        CLICKS: WriteStage.DATASETS,
        ORDERS: WriteStage.DATASETS,
    }


def test_lineage_and_checks_are_written_after_the_dataset() -> None:
    (decision,) = planned([], [(ORDERS, orders())], []).writes
    there = None
    sections = {}
    for stage in WriteStage:
        change = change_at(decision, there, stage)
        if change is not None:
            sections[stage] = set(change.sections())
            there = CatalogDocument(ORDERS, change.document)
    assert sections.keys() == {WriteStage.DATASETS, WriteStage.LINEAGE, WriteStage.ASSERTIONS}
    assert sections[WriteStage.LINEAGE] == {"lineage"}
    assert sections[WriteStage.ASSERTIONS] == {"quality"}
    assert there == CatalogDocument(ORDERS, orders())
