"""What leaves the tree is marked as removed, a little at a time, and can come back."""

import pytest

from tests.datahub.home import Home
from tests.datahub.hub import Hub


@pytest.fixture
def pushed(home: Home) -> Home:
    for number in range(12):
        home.put(f"t{number:02}", governance={"tags": [home.named("raw")]})
    home.push()
    return home


def is_removed(hub: Hub, urn: str) -> bool:
    return bool(hub.value(urn, "status").get("removed"))


def test_what_leaves_the_tree_is_marked_and_keeps_all_that_it_said(pushed: Home, hub: Hub) -> None:
    urn = pushed.urn("t03")
    pushed.remove("t03")
    assert pushed.plan()["counts"]["deleted"] == 1
    pushed.push()
    assert is_removed(hub, urn)
    assert len(hub.value(urn, "schemaMetadata")["fields"]) == 2
    assert pushed.is_settled()


def test_what_comes_back_is_seen_again(pushed: Home, hub: Hub) -> None:
    urn = pushed.urn("t03")
    content = pushed.file("t03").read_bytes()
    pushed.remove("t03")
    pushed.push()
    hub.edit(urn, "editableDatasetProperties", {"description": "Jane's, meanwhile."})
    pushed.file("t03").write_bytes(content)
    assert pushed.plan()["counts"]["revived"] == 1
    pushed.push()
    assert not is_removed(hub, urn)
    assert len(hub.value(urn, "schemaMetadata")["fields"]) == 2
    assert hub.value(urn, "editableDatasetProperties")["description"] == "Jane's, meanwhile."


def test_what_somebody_removed_in_the_pages_is_brought_back_by_git(pushed: Home, hub: Hub) -> None:
    hub.edit(pushed.urn("t03"), "status", {"removed": True})
    assert pushed.plan()["counts"]["revived"] == 1
    pushed.push()
    assert not is_removed(hub, pushed.urn("t03"))
    assert pushed.is_settled()


def test_more_than_a_few_go_only_if_somebody_says_how_many(pushed: Home, hub: Hub) -> None:
    gone = [f"t{number:02}" for number in range(5)]
    pushed.remove(*gone)
    ran = pushed.sync("--apply", "--yes")
    assert ran.code == 1
    assert "5 would go, and at most 1 may at once" in ran.out
    assert not any(is_removed(hub, pushed.urn(name)) for name in gone)
    pushed.push("--deletes", "5")
    assert all(is_removed(hub, pushed.urn(name)) for name in gone)
    assert pushed.is_settled()


def test_what_somebody_works_on_there_is_not_removed(pushed: Home, hub: Hub) -> None:
    urn = pushed.urn("t03")
    hub.edit(urn, "editableDatasetProperties", {"description": "Jane needs this."})
    pushed.remove("t03")
    ran = pushed.sync("--apply", "--yes")
    assert ran.code == 1
    assert "removed in the tree, changed in the catalog" in ran.out
    assert not is_removed(hub, urn)


def test_nothing_goes_with_an_empty_tree(pushed: Home, hub: Hub) -> None:
    pushed.remove(*(f"t{number:02}" for number in range(12)))
    ran = pushed.sync("--apply", "--yes", "--deletes", "100")
    assert ran.code == 1
    assert "the tree is empty" in ran.out
    assert not is_removed(hub, pushed.urn("t00"))


def test_a_check_goes_with_its_dataset_left_alone(home: Home, hub: Hub) -> None:
    home.put("a", quality={"checks": [{"name": "fresh", "expression": "age < 1"}]})
    home.push()
    (check,) = (urn for urn in hub.made if urn.startswith("urn:li:assertion:"))
    assert hub.value(check, "assertionInfo")["entityUrn"] == home.urn("a")
    home.change("a", quality=None)
    home.push()
    assert is_removed(hub, check)
    assert not is_removed(hub, home.urn("a"))
    home.change("a", quality={"checks": [{"name": "fresh", "expression": "age < 2"}]})
    home.push()
    assert not is_removed(hub, check)
    assert hub.value(check, "assertionInfo")["customAssertion"]["logic"] == "age < 2"
    assert home.is_settled()
