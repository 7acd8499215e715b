"""Who changed last what a catalog says, by the parts that it keeps."""

from typing import Any

import pytest

from lumos_snap.catalogs.adapter import CatalogDocument, Edit
from lumos_snap.catalogs.sync.drift import edit_of, facts
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.model.snapshot import Snapshot
from tests.catalogs.lake import CLICKS, clicks, edited

PARTS = {
    "snapshot": {
        "documentation": frozenset({"texts"}),
        "documentation.fields": frozenset({"columns"}),
        "governance": frozenset({"tags", "terms"}),
        "governance.tags": frozenset({"tags"}),
        "lineage.upstream.via": frozenset({"jobs"}),
    }
}
EDITS = {
    part: Edit(part, f"2026-01-0{day}T00:00:00Z")
    for day, part in enumerate(
        ("texts", "columns", "tags", "terms", "documentation", "jobs"), start=1
    )
}
WORDS: dict[str, Any] = {"documentation": {"description": "Words"}}
COLUMN: dict[str, Any] = {
    "documentation": {
        "description": "As it arrives",
        "fields": [{"path": "id", "description": "A number"}],
    }
}
TAGS: dict[str, Any] = {"governance": {"tags": ["gold"]}}
COST: dict[str, Any] = {"properties": {"cost": "7"}}
LINEAGE: dict[str, Any] = {
    "lineage": {"upstream": [{"urn": "lumos://s3/lake/x", "type": "TRANSFORMED"}]}
}


def who(sections: Any, rules: Rules, **versions: str) -> set[str]:
    """Whom each fact of an edit is said to be of; empty where nobody is."""
    there = edited(clicks(), **sections)
    held = CatalogDocument(CLICKS, there, versions=versions, edits=EDITS)
    found = [edit_of(held, fact, rules) for fact in facts(clicks(), there, Snapshot)]
    assert found
    return {one.who if one else "" for one in found}


@pytest.mark.parametrize(
    ("sections", "last"),
    [(WORDS, "texts"), (COLUMN, "columns"), (TAGS, "terms"), (LINEAGE, "jobs"), (COST, "")],
)
def test_it_is_whoever_changed_a_part_last_that_holds_it(sections: Any, last: str) -> None:
    assert who(sections, Rules(parts=PARTS)) == {last}


def test_a_section_that_came_whole_may_be_in_any_part_of_it() -> None:
    bare = edited(clicks(), documentation=None)
    held = CatalogDocument(CLICKS, edited(bare, **COLUMN), edits=EDITS)
    found = [
        edit_of(held, fact, Rules(parts=PARTS)) for fact in facts(bare, held.document, Snapshot)
    ]
    assert {one.who for one in found if one} == {"texts", "columns"}


def test_where_a_catalog_names_no_parts_they_are_the_sections() -> None:
    assert who(WORDS, Rules()) == {"documentation"}


@pytest.mark.parametrize(("version", "last"), [("1", ""), ("2", "texts")])
def test_a_part_that_is_as_it_was_confirmed_was_changed_by_nobody(version: str, last: str) -> None:
    rules = Rules(parts=PARTS, confirmed=lambda _: {"texts": "1"})
    assert who(WORDS, rules, texts=version) == {last}
