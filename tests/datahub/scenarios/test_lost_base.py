"""Nobody knows any more what was confirmed: nothing is deleted, and nobody's words are lost."""

import pytest

from tests.datahub.home import Home
from tests.datahub.hub import Hub

REF = "refs/lumos/sync/hub"


@pytest.fixture
def forgotten(home: Home, hub: Hub) -> Home:
    """After a push, an edit in the pages, and the loss of the base."""
    for name in ("a", "b"):
        home.put(name, governance={"tags": [home.named("raw")]})
    home.push()
    hub.edit(home.urn("a"), "editableDatasetProperties", {"description": "Jane's."})
    home.git("update-ref", "-d", REF)
    return home


def test_what_both_sides_say_is_known_again(forgotten: Home, hub: Hub) -> None:
    assert forgotten.plan()["counts"]["deleted"] == 0
    forgotten.push()
    assert forgotten.git("rev-parse", REF)
    assert hub.value(forgotten.urn("a"), "editableDatasetProperties")["description"] == "Jane's."
    forgotten.pull()
    assert forgotten.read("a")["documentation"]["description"] == "Jane's."
    assert forgotten.is_settled()


def test_what_the_tree_lacks_is_not_deleted(forgotten: Home, hub: Hub) -> None:
    forgotten.remove("b")
    forgotten.change("a", governance=None)
    forgotten.push()
    assert not hub.value(forgotten.urn("b"), "status").get("removed")
    (tag,) = hub.value(forgotten.urn("a"), "globalTags")["tags"]
    assert tag["tag"] == f"urn:li:tag:{forgotten.named('raw')}"


def test_another_clone_that_never_synced_deletes_nothing_either(forgotten: Home, hub: Hub) -> None:
    forgotten.commit()
    before = [hub.stamp(forgotten.urn(name), "schemaMetadata") for name in ("a", "b")]
    forgotten.push()
    forgotten.push()
    now = [hub.stamp(forgotten.urn(name), "schemaMetadata") for name in ("a", "b")]
    assert now == before
