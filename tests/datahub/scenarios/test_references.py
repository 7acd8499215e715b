"""What datasets refer to, and what is said of them beside: each where DataHub shows it."""

import pytest

from tests.datahub.home import Home
from tests.datahub.hub import Hub


def test_properties_are_defined_before_they_are_used(home: Home, hub: Hub) -> None:
    cost = home.put_entity("property", "cost", name="Cost", type="number")
    tier = home.put_entity("property", "tier", values=["gold", "silver"])
    urn = home.put(
        "a", properties={home.named("cost"): 12, home.named("tier"): "gold", "free": "text"}
    )
    home.push()
    assert hub.value(cost, "propertyDefinition")["valueType"].endswith("number")
    held = hub.value(urn, "structuredProperties")["properties"]
    values = {one["propertyUrn"]: one["values"] for one in held}
    assert values == {cost: [{"double": 12.0}], tier: [{"string": "gold"}]}
    assert home.is_settled()


def test_a_value_that_a_definition_does_not_allow_stays_a_text(home: Home, hub: Hub) -> None:
    tier = home.put_entity("property", "tier", values=["gold", "silver"])
    urn = home.put("a", properties={home.named("tier"): "copper"})
    home.push()
    assert hub.value(urn, "structuredProperties").get("properties", []) == []
    assert hub.value(tier, "propertyDefinition")["cardinality"] == "SINGLE"
    assert home.is_settled()


@pytest.mark.parametrize(
    ("kind", "keys", "aspect", "name", "value"),
    [
        ("tag", {"name": "Gold", "color": "#ffd700"}, "tagProperties", "colorHex", "#ffd700"),
        ("domain", {"name": "Sales"}, "domainProperties", "name", "Sales"),
        ("term", {"description": "Sold."}, "glossaryTermInfo", "definition", "Sold."),
        ("user", {"name": "Jane", "title": "Boss"}, "corpUserEditableInfo", "title", "Boss"),
        ("group", {"email": "a@b.example"}, "corpGroupEditableInfo", "email", "a@b.example"),
    ],
)  # fmt: skip
def test_what_datasets_refer_to_is_there(
    home: Home, hub: Hub, kind: str, keys: dict[str, str], aspect: str, name: str, value: str
) -> None:
    urn = home.put_entity(kind, "x", **keys)
    home.push()
    assert hub.value(urn, aspect)[name] == value
    assert home.is_settled()


def test_words_of_the_glossary_know_one_another(home: Home, hub: Hub) -> None:
    domain = home.put_entity("domain", "sales", name="Sales")
    parent = home.put_entity("term", "money", description="What counts.")
    child = home.put_entity(
        "term",
        "price",
        description="What it costs.",
        parent=home.named("money"),
        domain=home.named("sales"),
    )
    home.push()
    assert hub.value(child, "glossaryRelatedTerms")["isRelatedTerms"] == [parent]
    assert hub.value(child, "domains")["domains"] == [domain]
    assert home.is_settled()


def test_people_are_in_their_teams(home: Home, hub: Hub) -> None:
    team = home.put_entity("group", "team", name="Team")
    jane = home.put_entity("user", "jane", name="Jane", groups=[home.named("team")])
    home.push()
    assert hub.value(jane, "groupMembership")["groups"] == [team]
    assert home.is_settled()


def test_a_deprecation_comes_and_goes(home: Home, hub: Hub) -> None:
    urn = home.put("a", contract={"deprecated": "Use b.", "sunset": "2027-01-31"})
    home.push()
    held = hub.value(urn, "deprecation")
    assert (held["deprecated"], held["note"]) == (True, "Use b.")
    assert home.is_settled()
    home.change("a", contract=None)
    home.push()
    assert hub.value(urn, "deprecation")["deprecated"] is False
    assert home.is_settled()


def test_links_come_together(home: Home, hub: Hub) -> None:
    links = [{"url": "https://example.com/runbook", "label": "Runbook"}]
    urn = home.put("a", documentation={"links": links})
    home.push()
    stamp = {"time": 1, "actor": "urn:li:corpuser:jane.smith"}
    more = {"url": "https://example.com/board", "description": "Board", "createStamp": stamp}
    hub.edit(urn, "institutionalMemory", lambda there: {"elements": [*there["elements"], more]})
    home.push()
    assert len(hub.value(urn, "institutionalMemory")["elements"]) == 2
    home.pull()
    assert len(home.read("a")["documentation"]["links"]) == 2
    assert home.is_settled()


def test_what_datahub_shows_as_removed_is_never_shown_by_a_push_of_something_else(
    home: Home, hub: Hub
) -> None:
    home.put("a")
    gone = home.urn("gone")
    hub.edit(gone, "status", {"removed": True})
    home.push()
    assert hub.value(gone, "status") == {"removed": True}


def test_names_in_every_script_are_the_same_there(home: Home, hub: Hub) -> None:
    names = ("größe", "заказы", "注文", "a b", "x%y", "p,q", "(r)", "🙂")
    for name in names:
        home.put(name, documentation={"description": f"{name} …"})
    home.push()
    assert home.is_settled()
    words = (hub.value(urn, "editableDatasetProperties") for urn in hub.made)
    assert {one["description"] for one in words} == {f"{name} …" for name in names}
