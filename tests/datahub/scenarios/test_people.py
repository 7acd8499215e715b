"""What people write in DataHub's pages stays, and goes into the tree where it belongs there."""

from typing import Any

import pytest

from tests.datahub.home import Home
from tests.datahub.hub import Hub


@pytest.fixture
def pushed(home: Home) -> Home:
    """One dataset with a tag, a term, an owner and words, and one beside it."""
    home.put("a", **said(home))
    home.put("b")
    home.commit()
    home.push()
    return home


def said(home: Home, *tags: str) -> dict[str, Any]:
    return {
        "governance": {
            "tags": [home.named(one) for one in ("raw", *tags)],
            "terms": [home.named("order")],
        },
        "ownership": {"owners": [{"group": home.named("ours"), "type": "TECHNICAL_OWNER"}]},
        "documentation": {"description": "As git says."},
    }


def add(key: str, item: dict[str, Any]) -> Any:
    """What somebody does who adds one thing and keeps the others."""
    return lambda there: {**there, key: [*there.get(key, ()), item]}


def names(hub: Hub, urn: str, aspect: str, key: str, name: str) -> list[str]:
    """The last part of each name that an aspect lists, without the prefix."""
    listed = hub.value(urn, aspect).get(key, ())
    return sorted(one[name].rpartition(f"{hub.prefix}-")[2] for one in listed)


def everything(home: Home, hub: Hub) -> None:
    """Jane adds a word, a tag, a term and an owner."""
    urn = home.urn("a")
    hub.edit(urn, "editableDatasetProperties", {"description": "As Jane says."})
    hub.edit(urn, "globalTags", add("tags", {"tag": f"urn:li:tag:{home.named('gold')}"}))
    term = {"urn": f"urn:li:glossaryTerm:{home.named('sale')}"}
    hub.edit(urn, "glossaryTerms", add("terms", term))
    owner = {"owner": f"urn:li:corpuser:{home.named('jane')}", "type": "BUSINESS_OWNER"}
    hub.edit(urn, "ownership", add("owners", owner))


def is_all_there(home: Home, hub: Hub, *tags: str) -> None:
    urn = home.urn("a")
    assert hub.value(urn, "editableDatasetProperties")["description"] == "As Jane says."
    assert names(hub, urn, "globalTags", "tags", "tag") == sorted(("gold", "raw", *tags))
    assert names(hub, urn, "glossaryTerms", "terms", "urn") == ["order", "sale"]
    assert names(hub, urn, "ownership", "owners", "owner") == ["jane", "ours"]


def test_what_people_added_survives_every_push(pushed: Home, hub: Hub) -> None:
    everything(pushed, hub)
    pushed.push()
    is_all_there(pushed, hub)
    pushed.change("a", **said(pushed, "tier-1"))
    pushed.push()
    is_all_there(pushed, hub, "tier-1")


def test_what_people_added_goes_into_the_tree_and_then_nothing_differs(
    pushed: Home, hub: Hub
) -> None:
    everything(pushed, hub)
    assert not pushed.is_settled()
    pushed.pull()
    tree = pushed.read("a")
    assert tree["documentation"]["description"] == "As Jane says."
    assert pushed.named("gold") in tree["governance"]["tags"]
    assert {"user": pushed.named("jane"), "type": "BUSINESS_OWNER"} in tree["ownership"]["owners"]
    assert pushed.is_settled()
    pushed.push()
    is_all_there(pushed, hub)


def test_a_tag_that_git_takes_away_goes_and_those_of_others_stay(pushed: Home, hub: Hub) -> None:
    everything(pushed, hub)
    pushed.pull()
    pushed.change("a", governance=None)
    pushed.push()
    urn = pushed.urn("a")
    assert names(hub, urn, "globalTags", "tags", "tag") == ["gold"]
    assert names(hub, urn, "glossaryTerms", "terms", "urn") == ["sale"]


def test_a_tag_that_somebody_else_had_put_there_first_is_not_ours_to_take_away(
    home: Home, hub: Hub
) -> None:
    urn = home.urn("a")
    hub.edit(urn, "globalTags", add("tags", {"tag": f"urn:li:tag:{home.named('raw')}"}))
    home.put("a", governance={"tags": [home.named("raw"), home.named("own")]})
    home.put("b")
    home.push()
    home.change("a", governance=None)
    home.push()
    assert names(hub, urn, "globalTags", "tags", "tag") == ["raw"]


def test_a_tag_that_somebody_took_away_in_the_pages_stays_away(pushed: Home, hub: Hub) -> None:
    hub.edit(pushed.urn("a"), "globalTags", {"tags": []})
    pushed.pull()
    assert "tags" not in pushed.read("a")["governance"]
    pushed.push()
    assert names(hub, pushed.urn("a"), "globalTags", "tags", "tag") == []
    assert pushed.is_settled()


def test_words_about_a_column_survive_and_are_pulled(pushed: Home, hub: Hub) -> None:
    words = {"fieldPath": "note", "description": "Free text, by Jane."}
    urn = pushed.urn("a")
    hub.edit(urn, "editableSchemaMetadata", {"editableSchemaFieldInfo": [words]})
    fields = pushed.read("a")["schema"]["fields"]
    pushed.change("a", schema={"fields": [*fields, {**fields[0], "name": "more"}]})
    pushed.push()
    (info,) = hub.value(urn, "editableSchemaMetadata")["editableSchemaFieldInfo"]
    assert info["description"] == "Free text, by Jane."
    pushed.pull()
    (field,) = pushed.read("a")["documentation"]["fields"]
    assert field == {"path": "note", "description": "Free text, by Jane."}
    assert pushed.is_settled()


def test_a_schema_that_somebody_overwrote_is_restored(pushed: Home, hub: Hub) -> None:
    urn = pushed.urn("a")
    hub.edit(urn, "schemaMetadata", lambda there: {**there, "fields": there["fields"][:1]})
    (drift,) = pushed.plan()["documents"][0]["drifts"]
    assert drift["becomes"] == "reverted"
    pushed.push()
    assert len(hub.value(urn, "schemaMetadata")["fields"]) == 2
    assert pushed.is_settled()


def test_a_pull_can_commit_in_the_name_of_whoever_edited(pushed: Home, hub: Hub) -> None:
    urn = pushed.urn("a")
    hub.edit(urn, "editableDatasetProperties", {"description": "As Jane says."})
    who = hub.stamp(urn, "editableDatasetProperties")["aspectModified"]["actor"]
    before = pushed.git("rev-parse", "HEAD")
    pushed.pull("--commit")
    assert pushed.git("rev-parse", "HEAD^") == before
    assert pushed.git("status", "--porcelain") == ""
    assert who.rpartition(":")[2] in pushed.git("log", "-1", "--format=%an %ae")
    assert pushed.read("a")["documentation"]["description"] == "As Jane says."
    assert pushed.is_settled()
