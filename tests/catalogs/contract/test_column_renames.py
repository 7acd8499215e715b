"""A column that git renames keeps what people say of it in the catalog."""

from typing import Any

import pytest

from lumos_snap.catalogs.sync.execute import WriteOutcome
from lumos_snap.schema import Document
from tests.catalogs.contract.subjects import Subject
from tests.catalogs.faults import HARMLESS, Fault, Faulty
from tests.catalogs.lake import CLICKS, edited
from tests.catalogs.world import World


def column(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "INT64", "nullable": False, **more}


def of(path: str, description: str = "In euro") -> dict[str, Any]:
    return {"documentation": {"fields": [{"path": path, "description": description}]}}


def tagged(path: str, *tags: str) -> dict[str, Any]:
    return {"governance": {"fields": [{"path": path, "tags": list(tags)}]}}


SURE = {"id": 7}
DECLARED = {"contract": {"fields": [{"path": "price", "renamed_from": "amount"}]}}


@pytest.fixture
def pushed(world: World) -> World:
    columns = [column("id"), column("amount", **SURE)]
    said = {**of("amount"), **tagged("amount", "money")}
    world.tree[CLICKS] = edited(world.tree[CLICKS], schema={"fields": columns}, **said)
    world.push()
    return world


def rename(world: World, *, declared: bool, **said: Any) -> None:
    new = column("price") if declared else column("price", **SURE)
    more = DECLARED if declared else {}
    world.tree[CLICKS] = edited(
        world.tree[CLICKS], schema={"fields": [column("id"), new]}, **more, **said
    )


def words(document: Document) -> tuple[Any, Any]:
    found = tuple(document.get(name, {}).get("fields") for name in ("documentation", "governance"))
    return found[0], found[1]


EDITED = (
    [{"path": "price", "description": "In euro, with tax"}],
    [{"path": "price", "tags": ["money", "theirs"]}],
)


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("has_moved", [False, True])
def test_what_was_edited_there_arrives_on_both_sides(
    pushed: World, subject: Subject, *, declared: bool, has_moved: bool
) -> None:
    there = subject.shown()[CLICKS]
    subject.edit(
        CLICKS,
        edited(there, **of("amount", "In euro, with tax"), **tagged("amount", "money", "theirs")),
    )
    moved = {**of("price"), **tagged("price", "money")} if has_moved else {}
    rename(pushed, declared=declared, **moved)
    done = pushed.push()
    assert {one.outcome for one in done} == {WriteOutcome.WRITTEN}, [one.reason for one in done]
    assert words(subject.shown()[CLICKS]) == EDITED
    pushed.pull()
    assert words(pushed.tree[CLICKS]) == EDITED
    assert words(subject.shown()[CLICKS]) == EDITED
    assert pushed.plan().decisions == ()


@pytest.mark.parametrize("declared", [False, True])
def test_a_pull_before_the_push_comes_to_the_same(
    pushed: World, subject: Subject, *, declared: bool
) -> None:
    there = subject.shown()[CLICKS]
    subject.edit(
        CLICKS,
        edited(there, **of("amount", "In euro, with tax"), **tagged("amount", "money", "theirs")),
    )
    rename(pushed, declared=declared)
    pushed.pull()
    assert words(pushed.tree[CLICKS]) == EDITED
    pushed.push()
    assert words(subject.shown()[CLICKS]) == EDITED
    assert pushed.plan().decisions == ()


def test_words_that_nobody_edited_move_along(pushed: World, subject: Subject) -> None:
    rename(pushed, declared=False)
    pushed.push()
    moved = of("price")["documentation"]["fields"], tagged("price", "money")["governance"]["fields"]
    assert words(subject.shown()[CLICKS]) == moved
    pushed.pull()
    assert words(pushed.tree[CLICKS]) == moved
    assert pushed.plan().decisions == ()


def test_words_that_were_left_behind_are_found_by_what_is_declared(
    pushed: World, subject: Subject
) -> None:
    rename(pushed, declared=True, documentation=None, governance=None)
    pushed.push()
    there = subject.shown()[CLICKS]
    subject.edit(CLICKS, edited(there, **of("amount", "Somebody's page was open")))
    pushed.push()
    assert (
        words(subject.shown()[CLICKS])[0]
        == of("price", "Somebody's page was open")["documentation"]["fields"]
    )


def test_what_is_said_of_both_names_is_not_mixed_up(pushed: World, subject: Subject) -> None:
    rename(pushed, declared=True, **of("price"), **tagged("price", "money"))
    pushed.push()
    there = subject.shown()[CLICKS]
    both = [
        *of("amount", "Of old")["documentation"]["fields"],
        *of("price")["documentation"]["fields"],
    ]
    subject.edit(CLICKS, edited(there, documentation={"fields": both}))
    pushed.pull()
    assert words(pushed.tree[CLICKS])[0] == both


@pytest.mark.parametrize("fault", HARMLESS)
def test_whatever_comes_between_changes_nothing(
    pushed: World, subject: Subject, fault: Fault
) -> None:
    there = subject.shown()[CLICKS]
    subject.edit(CLICKS, edited(there, **of("amount", "In euro, with tax")))
    rename(pushed, declared=False)
    faulty = Faulty(pushed.catalog, {0: fault})
    pushed.push(through=faulty)
    assert faulty.met == [fault]
    assert words(subject.shown()[CLICKS])[0] == EDITED[0]
    pushed.pull()
    assert pushed.plan().decisions == ()
