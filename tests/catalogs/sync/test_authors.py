"""What a pull brings, divided among those who edited it."""

from itertools import permutations
from typing import Any

import pytest

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import CatalogDocument, Edit
from lumos_snap.catalogs.sync.authors import Share, shares
from lumos_snap.catalogs.sync.decide import decide
from lumos_snap.catalogs.sync.decision import SyncSides
from lumos_snap.catalogs.sync.policy import Rules, SyncPolicy
from lumos_snap.model.entities import Tag
from lumos_snap.schema import Document
from tests.catalogs.lake import CLICKS, GOLD, clicks, edited, gold

RULES = Rules(policies={"*": SyncPolicy.CATALOG, "contract": SyncPolicy.CATALOG})


def divided(there: Document, **edits: Edit) -> tuple[Share, ...]:
    sides = SyncSides(CLICKS, clicks(), clicks(), CatalogDocument(CLICKS, there, edits=edits))
    decision = decide(sides, RULES)
    assert decision.pulled == there
    found = shares([decision])
    assert found[-1].documents[CLICKS] == there
    return found


def names(found: tuple[Share, ...]) -> list[tuple[str, list[str]]]:
    return [(one.person, [".".join(at) for at in one.edited[CLICKS]]) for one in found]


THERE = edited(
    clicks(),
    documentation={"description": "Words", "title": "Clicks"},
    governance={"tags": ["gold"]},
    ownership={"owners": [{"user": "ann"}]},
)


@pytest.mark.parametrize("order", list(permutations("abc")))
def test_shares_come_in_the_order_of_edits_and_nobodys_last(order: Any) -> None:
    when = {who: f"2026-01-0{day}T00:00:00Z" for day, who in enumerate(order, start=1)}
    found = divided(
        THERE,
        documentation=Edit("a", when["a"]),
        governance=Edit("b", when["b"]),
        ownership=Edit("c", when["c"], is_person=False),
    )
    assert [one.person for one in found] == [*(who for who in order if who != "c"), ""]
    assert [one.when for one in found] == [when[one.person or "c"] for one in found]
    assert dict(names(found)) == {
        "a": ["documentation.title", "documentation.description"],
        "b": ["governance.tags"],
        "": ["ownership.owners"],
    }


def test_each_share_holds_what_came_before_it() -> None:
    found = divided(
        THERE,
        documentation=Edit("a", "2026-01-02T00:00:00Z"),
        governance=Edit("b", "2026-01-01T00:00:00Z"),
        ownership=Edit("a", "2026-01-03T00:00:00Z"),
    )
    first, second = (one.documents[CLICKS] for one in found)
    assert first == edited(clicks(), governance={"tags": ["gold"]})
    assert second == THERE
    assert found[1].when == "2026-01-03T00:00:00Z"


def test_what_is_taken_away_is_taken_by_whoever_did() -> None:
    there = edited(clicks(), ownership=None, documentation=None)
    found = divided(
        there,
        ownership=Edit("a", "2026-01-01T00:00:00Z"),
        documentation=Edit("b", "2026-01-02T00:00:00Z"),
    )
    assert names(found) == [("a", ["ownership.owners"]), ("b", ["documentation.description"])]
    assert "ownership" not in found[0].documents[CLICKS]


def test_where_nobody_is_known_all_is_nobodys() -> None:
    assert [one.person for one in divided(THERE)] == [""]


def test_where_nothing_is_pulled_there_is_no_share() -> None:
    assert (
        shares(
            [
                decide(
                    SyncSides(CLICKS, clicks(), clicks(), CatalogDocument(CLICKS, clicks())), RULES
                )
            ]
        )
        == ()
    )


def test_entities_are_divided_by_their_keys() -> None:
    there = gold(description="Best", color="#ffd700")
    edits = {"description": Edit("a"), "color": Edit("b", "2026-01-01T00:00:00Z")}
    decision = decide(
        SyncSides(GOLD, gold(), gold(), CatalogDocument(GOLD, there, edits=edits)), RULES
    )
    first, second = shares([decision])
    assert first.documents == {GOLD: canonical_document({**gold(), "description": "Best"}, Tag)}
    assert second.documents == {GOLD: there}


def test_what_is_not_sound_by_itself_goes_along_with_whoever_is_next() -> None:
    parts = {"schema.fields": frozenset({"fields"}), "schema.primary_key": frozenset({"key"})}
    rules = Rules(
        policies={"*": SyncPolicy.CATALOG, "schema": SyncPolicy.CATALOG}, parts={CLICKS.kind: parts}
    )
    field = {"name": "key", "type": "INT64", "nullable": False}
    there = edited(clicks(), schema={"fields": [field], "primary_key": ["key"]})
    edits = {"key": Edit("a", "2026-01-01T00:00:00Z"), "fields": Edit("b", "2026-01-02T00:00:00Z")}
    decision = decide(
        SyncSides(CLICKS, clicks(), clicks(), CatalogDocument(CLICKS, there, edits=edits)), rules
    )
    found = shares([decision])
    assert names(found) == [("b", ["schema.fields", "schema.primary_key"])]
    assert found[0].documents == {CLICKS: there}
