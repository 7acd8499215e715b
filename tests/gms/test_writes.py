"""What a write leaves behind: versions, history, who wrote it, and what the server adds."""

from collections.abc import Callable
from typing import Any

import pytest
from datahub.configuration.common import OperationalError
from datahub.metadata.schema_classes import GlobalTagsClass, OwnershipClass, SystemMetadataClass

from tests.gms import Gms, running
from tests.gms.samples import CLICKS, GOLD, JANE, SILVER, described, proposal, schema, tags

Connect = Callable[..., Any]
TAGS = "globalTags"


def test_a_new_entity_gets_what_the_server_gives(gms: Gms, connect: Connect) -> None:
    urn = CLICKS.replace("clicks", "Clicks")
    graph = connect(gms)
    body = [{"urn": urn, "status": {"value": {"removed": False}}}]
    told = graph.session.post(f"{gms.url}/openapi/v3/entity/dataset?async=false", json=body).json()
    assert told[0]["datasetKey"]["value"]["name"] == "lake.Clicks"
    assert {name: one["value"] for name, one in gms.dump()[urn].items()} == {
        "aliases": {"lowercasedUrn": CLICKS},
        "browsePathsV2": {"path": [{"id": "Default"}]},
        "dataPlatformInstance": {"platform": "urn:li:dataPlatform:file"},
        "datasetKey": {
            "platform": "urn:li:dataPlatform:file",
            "name": "lake.Clicks",
            "origin": "PROD",
        },
        "status": {"removed": False},
    }
    again = graph.session.post(f"{gms.url}/openapi/v3/entity/dataset?async=false", json=body).json()
    assert set(again[0]) == {"urn", "status"}


def test_what_a_client_brings_is_not_made_for_it(gms: Gms, graph: Any) -> None:
    path = {"path": [{"id": "mine"}]}
    graph.emit_mcp(proposal(CLICKS, "browsePathsV2", path))
    assert gms.value(CLICKS, "browsePathsV2") == path
    assert gms.value(CLICKS, "aliases") is None


def test_versions_grow_with_what_differs_only(gms: Gms, graph: Any) -> None:
    seen = []
    for names in ((GOLD,), (GOLD,), (SILVER,), (GOLD,)):
        graph.emit_mcp(proposal(CLICKS, TAGS, tags(*names)))
        seen.append(gms.version(CLICKS, TAGS))
    assert seen == [1, 1, 2, 3]


def test_an_equal_write_is_seen_in_the_run_only(gms: Gms, graph: Any) -> None:
    one = proposal(CLICKS, TAGS, tags(GOLD))
    for run in ("first", "second"):
        one.systemMetadata = _system(run)
        graph.emit_mcp(one)
    system = gms.system(CLICKS, TAGS)
    assert (system["runId"], system["lastRunId"], system["version"]) == ("second", "first", "1")
    before = system["aspectModified"]
    one.aspect.tags = []
    graph.emit_mcp(one)
    system = gms.system(CLICKS, TAGS)
    assert system["aspectModified"]["time"] >= before["time"]
    assert system["aspectCreated"] == before


def _system(run: str) -> Any:
    return SystemMetadataClass(runId=run, lastObserved=1)


def test_older_versions_are_read_until_retention_takes_them(connect: Connect) -> None:
    with running(retention=3) as gms:
        graph = connect(gms)
        for number in range(1, 6):
            graph.emit_mcp(proposal(CLICKS, TAGS, tags(f"urn:li:tag:{number}")))
        found = [graph.get_aspect(CLICKS, GlobalTagsClass, version) for version in range(6)]
        assert [one and one.tags[0].tag[-1] for one in found] == ["5", None, None, "3", "4", None]
        asked = [{"urn": CLICKS, TAGS: {"headers": {"If-Version-Match": "3"}}}]
        told = graph.session.post(f"{gms.url}/openapi/v3/entity/dataset/batchGet", json=asked)
        assert told.json()[0][TAGS]["value"] == tags("urn:li:tag:3")


def test_an_edit_in_the_interface_shows_who_did_it(gms: Gms, graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
    gms.edit(CLICKS, TAGS, lambda before: tags(*(one["tag"] for one in before["tags"]), SILVER))
    system = gms.system(CLICKS, TAGS)
    assert system["version"] == "2"
    assert system["aspectModified"]["actor"] == "urn:li:corpuser:jdoe"
    assert system["properties"] == {"eventSource": "ui"}
    gms.edit(CLICKS, "editableDatasetProperties", described("mine"), actor=JANE)
    system = gms.system(CLICKS, "editableDatasetProperties")
    assert system["properties"] == {"appSource": "ui", "eventSource": "ui"}
    graph.emit_mcp(proposal(CLICKS, "editableDatasetProperties", described("ours")))
    properties = gms.system(CLICKS, "editableDatasetProperties")["properties"]
    assert properties["appSource"] == "ui"
    assert "eventSource" not in properties


def test_names_of_aspects_know_no_case(gms: Gms, connect: Connect) -> None:
    body = [{"urn": CLICKS, "globaltags": {"value": tags(GOLD)}}]
    url = f"{gms.url}/openapi/v3/entity/dataset"
    told = connect(gms).session.post(f"{url}?async=false", json=body)
    assert told.status_code == 200
    assert gms.value(CLICKS, TAGS) == tags(GOLD)
    assert connect(gms).session.get(f"{url}/{CLICKS}/GLOBALTAGS").json()["value"] == tags(GOLD)


def test_defaults_are_filled_in_or_not(connect: Connect) -> None:
    given = {"description": "x", "externalUrl": None}
    for fills in (True, False):
        with running(fills_defaults=fills) as gms:
            connect(gms).emit_mcp(proposal(CLICKS, "datasetProperties", given))
            sent = {"description": "x", "customProperties": {}, "tags": []}
            assert gms.value(CLICKS, "datasetProperties") == sent
            body = [{"urn": CLICKS, "datasetProperties": {"value": given}}]
            url = f"{gms.url}/openapi/v3/entity/dataset?async=false"
            connect(gms).session.post(url, json=body)
            stored = gms.value(CLICKS, "datasetProperties")
            assert stored == (sent if fills else {"description": "x"})


def test_the_server_counts_owners_by_type_and_an_equal_rewrite_shows(gms: Gms, graph: Any) -> None:
    value = {"owners": [{"owner": JANE, "type": "DATA_STEWARD"}]}
    graph.emit_mcp(proposal(CLICKS, "ownership", value))
    counted = {"urn:li:ownershipType:__system__data_steward": [JANE]}
    assert gms.value(CLICKS, "ownership")["ownerTypes"] == counted
    graph.emit_mcp(proposal(CLICKS, "ownership", value))
    assert gms.version(CLICKS, "ownership") == 2
    read = graph.get_aspect(CLICKS, OwnershipClass)
    read.lastModified = None
    graph.emit_mcp(proposal(CLICKS, "ownership", gms.value(CLICKS, "ownership")))
    assert gms.version(CLICKS, "ownership") == 2


def test_the_server_adds_associations_to_domains(gms: Gms, graph: Any) -> None:
    sales = "urn:li:domain:sales"
    graph.emit_mcp(proposal(CLICKS, "domains", {"domains": [sales]}))
    assert gms.value(CLICKS, "domains")["domainAssociations"] == [{"domain": sales}]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"urn": "nonsense", "status": {"value": {}}}, "Invalid urn!"),
        ({"urn": CLICKS, "nonsense": {"value": {}}}, "Unknown aspect nonsense"),
        (
            {"urn": CLICKS, "tagProperties": {"value": {"name": "x"}}},
            "Unknown aspect tagProperties",
        ),
        ({"urn": GOLD, "status": {"value": {}}}, "mismatch"),
        ({"urn": CLICKS, TAGS: {"value": {}}}, "/tags :: field is required"),
        ({"urn": CLICKS, TAGS: {"value": {"tags": [{}]}}}, "/tags/0/tag :: field is required"),
        ({"urn": CLICKS, "status": {"value": {"removed": "yes"}}}, "is not a boolean"),
        ({"urn": CLICKS, "status": {"value": {"gone": True}}}, "unrecognized field found"),
        ({"urn": CLICKS, "status": {}}, "Missing required field"),
        ({"urn": CLICKS.replace("PROD", "MOON"), "status": {"value": {}}}, "not a value of origin"),
        ({"urn": CLICKS.replace("clicks", "x" * 600), "status": {"value": {}}}, "longer than 512"),
    ],
)
def test_what_is_wrong_is_refused_whole(gms: Gms, connect: Connect, body: Any, says: str) -> None:
    good = {"urn": CLICKS, "globalTags": {"value": tags(GOLD)}}
    url = f"{gms.url}/openapi/v3/entity/dataset?async=false"
    told = connect(gms).session.post(url, json=[good, body])
    assert told.status_code == 400
    assert says in told.text
    assert gms.dump() == {}


def test_a_property_must_be_defined_before_it_is_used(gms: Gms, graph: Any) -> None:
    cost = "urn:li:structuredProperty:cost"
    value = {"properties": [{"propertyUrn": cost, "values": [{"double": 1.5}]}]}
    with pytest.raises(OperationalError, match="no propertyDefinition"):
        graph.emit_mcp(proposal(CLICKS, "structuredProperties", value))
    gms.edit(cost, "propertyDefinition", _definition())
    graph.emit_mcp(proposal(CLICKS, "structuredProperties", value))
    assert gms.value(CLICKS, "structuredProperties") == value


def _definition() -> dict[str, Any]:
    return {
        "qualifiedName": "cost",
        "valueType": "urn:li:dataType:datahub.number",
        "entityTypes": ["urn:li:entityType:datahub.dataset"],
    }


def test_a_union_names_its_branch(gms: Gms, graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, "schemaMetadata", schema("id")))
    kind = gms.value(CLICKS, "schemaMetadata")["fields"][0]["type"]
    assert kind == {"type": {"com.linkedin.schema.StringType": {}}}


def test_what_is_too_large_is_refused(connect: Connect) -> None:
    with running(largest_body=1_000) as gms:
        body = [{"urn": CLICKS, "editableDatasetProperties": {"value": described("x" * 1_000)}}]
        url = f"{gms.url}/openapi/v3/entity/dataset?async=false"
        assert connect(gms).session.post(url, json=body).status_code == 413
        assert gms.dump() == {}
