"""DataHub's own package speaks to the server, in both wire modes."""

from collections.abc import Callable
from typing import Any

import pytest
from datahub.ingestion.graph.filters import RemovedStatusFilter as Removed
from datahub.ingestion.graph.openapi import RelationshipDirection as Direction
from datahub.metadata.schema_classes import DatasetProfileClass, DatasetPropertiesClass

from tests.gms import Gms
from tests.gms.samples import CLICKS, GOLD, JANE, ORDERS, described, proposal, schema, tags

Connect = Callable[..., Any]


def test_the_client_finds_a_server(graph: Any) -> None:
    graph.test_connection()
    assert graph.get_config()["noCode"] == "true"


def test_one_aspect_is_written_and_read_back(graph: Any) -> None:
    assert graph.exists(CLICKS) is False
    assert graph.get_aspect(CLICKS, DatasetPropertiesClass) is None
    graph.emit_mcp(proposal(CLICKS, "datasetProperties", described("clicks")))
    assert graph.exists(CLICKS) is True
    assert graph.get_aspect(CLICKS, DatasetPropertiesClass).description == "clicks"


def test_a_batch_is_one_request(gms: Gms, graph: Any) -> None:
    proposals = [
        proposal(CLICKS, "schemaMetadata", schema("id", "at")),
        proposal(CLICKS, "globalTags", tags(GOLD)),
        proposal(ORDERS, "status", {"removed": False}),
    ]
    graph.emit_mcps(proposals)
    assert len(gms.asked.writes()) == 1
    assert [(one.urn, one.aspect) for one in gms.asked.written()] == [
        (one.entityUrn, one.aspectName) for one in proposals
    ]
    assert gms.value(CLICKS, "schemaMetadata")["fields"][1]["fieldPath"] == "at"


def test_entities_are_read_with_who_wrote_them(graph: Any) -> None:
    graph.emit_mcps([proposal(urn, "globalTags", tags(GOLD)) for urn in (CLICKS, ORDERS)])
    found = graph.get_entities(
        "dataset", [CLICKS, ORDERS, f"{CLICKS[:-6]}x,PROD)"], with_system_metadata=True
    )
    assert sorted(found) == [CLICKS, ORDERS]
    aspect, system = found[CLICKS]["globalTags"]
    assert (aspect.tags[0].tag, system.version) == (GOLD, "1")
    assert list(graph.get_entities("dataset", [CLICKS], ["globalTags"])[CLICKS]) == ["globalTags"]


def test_entities_are_scrolled_page_by_page(graph: Any) -> None:
    names = [f"{CLICKS[:-6]}.{number:02},PROD)" for number in range(25)]
    graph.emit_mcps([proposal(one, "status", {"removed": False}) for one in names])
    seen: list[str] = []
    scroll = None
    while scroll or not seen:
        shown = graph.scroll_entities(entity_names=["dataset"], aspects=[], scroll_id=scroll)
        assert shown.total_count == 25
        seen += shown.entities
        scroll = shown.scroll_id
    assert seen == names


def test_urns_are_found_by_filters(graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, "globalTags", tags(GOLD)))
    graph.emit_mcp(proposal(ORDERS, "status", {"removed": True}))
    graph.emit_mcp(proposal(GOLD, "tagProperties", {"name": "gold"}))

    def found(**filters: Any) -> list[str]:
        return list(graph.get_urns_by_filter(**filters))

    assert found() == [CLICKS, GOLD]
    assert found(entity_types=["dataset"], status=Removed.ALL) == [CLICKS, ORDERS]
    assert found(status=Removed.ONLY_SOFT_DELETED) == [ORDERS]
    assert found(platform="file", env="PROD") == [CLICKS]
    assert found(platform="s3") == []
    assert found(query="click") == [CLICKS]
    rules = [{"field": "tags", "condition": "EQUAL", "values": [GOLD]}]
    assert found(extraFilters=rules, batch_size=1) == [CLICKS]


def test_softly_deleted_is_marked_and_hard_deleted_is_gone(gms: Gms, graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, "globalTags", tags(GOLD)))
    graph.soft_delete_entity(CLICKS)
    assert gms.value(CLICKS, "status") == {"removed": True}
    assert graph.exists(CLICKS)
    rows, points = graph.hard_delete_entity(CLICKS)
    assert (rows, points) == (5, 0)
    assert not graph.exists(CLICKS)
    assert gms.dump() == {}


def test_references_are_counted_and_deleted(gms: Gms, graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, "globalTags", tags(GOLD)))
    assert graph.delete_references_to_urn(GOLD, dry_run=True)[0] == 1
    assert gms.value(CLICKS, "globalTags") == tags(GOLD)
    graph.delete_references_to_urn(GOLD)
    assert gms.value(CLICKS, "globalTags") == {"tags": []}


def test_points_of_a_series_are_read_latest_first(gms: Gms, graph: Any) -> None:
    for at in (1_000, 3_000, 2_000):
        graph.emit_mcp(proposal(CLICKS, "datasetProfile", {"timestampMillis": at, "rowCount": at}))
    found = graph.get_timeseries_values(CLICKS, DatasetProfileClass, {}, limit=2)
    assert [one.rowCount for one in found] == [3_000, 2_000]
    assert graph.get_latest_timeseries_value(CLICKS, DatasetProfileClass, {}).rowCount == 3_000
    assert len(gms.dump()[CLICKS]["datasetProfile"]) == 3


def test_an_entity_is_read_as_rest_li_has_it(graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, "globalTags", tags(GOLD)))
    found = graph.get_entity_semityped(CLICKS, ["globalTags"])
    assert found["globalTags"].tags[0].tag == GOLD
    absent = graph.get_entity_raw(ORDERS)
    assert list(absent["aspects"]) == ["datasetKey"]
    assert graph.list_all_entity_urns("dataset", 0, 10) == [CLICKS]


def test_the_model_is_told(graph: Any) -> None:
    specs = graph.get_entity_aspect_specs()
    assert specs.supports("dataset", "schemaMetadata")
    assert not specs.supports("tag", "schemaMetadata")


def test_edges_are_found_from_both_ends(graph: Any) -> None:
    upstream = {"dataset": ORDERS, "type": "COPY", "auditStamp": {"time": 0, "actor": JANE}}
    graph.emit_mcp(proposal(CLICKS, "upstreamLineage", {"upstreams": [upstream]}))
    found = graph.get_related_entities(ORDERS, ["DownstreamOf"], Direction.INCOMING)
    assert [one.urn for one in _some(found, 1)] == [CLICKS]
    scrolled = graph.scroll_lineage(urns=[ORDERS]).relationships
    assert [(one.upstream_urn, one.downstream_urn) for one in scrolled] == [(ORDERS, CLICKS)]
    there = graph.scroll_relationships(source_urns=[CLICKS]).relationships
    assert [one.destination_urn for one in there] == [ORDERS]


def _some(found: Any, count: int) -> list[Any]:
    """The client would ask again and again: see to it that the first are enough."""
    return [one for one, _ in zip(found, range(count), strict=False)]


@pytest.mark.parametrize("name", ["größe", "日本語", 'it\'s "odd" <b>', "a%2Cb", "x" * 300])
def test_odd_names_come_back_as_they_were(gms: Gms, connect: Connect, name: str) -> None:
    urn = f"urn:li:dataset:(urn:li:dataPlatform:file,{name},PROD)"
    graph = connect(gms)
    graph.emit_mcp(proposal(urn, "globalTags", tags(GOLD)))
    assert list(graph.get_entities("dataset", [urn])) == [urn]
    assert list(graph.get_urns_by_filter()) == [urn]
    assert graph.exists(urn)


def test_one_that_speaks_with_no_client_is_told_its_name(gms: Gms, connect: Connect) -> None:
    told = connect(gms).execute_graphql("query { me { corpUser { urn } } }")
    assert told["me"]["corpUser"]["urn"] == "urn:li:corpuser:__datahub_system"
