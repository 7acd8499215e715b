"""Patches as the package's builders make them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from datahub.metadata.schema_classes import (
    FineGrainedLineageClass,
    GlossaryTermAssociationClass,
    MetadataAttributionClass,
    OwnerClass,
    TagAssociationClass,
    UpstreamClass,
)
from datahub.specific.dataset import DatasetPatchBuilder

from tests.gms import Gms
from tests.gms.samples import CLICKS, GOLD, JANE, ORDERS, SILVER, proposal, schema, tags

Connect = Callable[..., Any]
LUMOS = "urn:li:platformResource:lumos"


def _send(graph: Any, change: Callable[[DatasetPatchBuilder], object]) -> None:
    builder = DatasetPatchBuilder(CLICKS)
    change(builder)
    graph.emit_mcps(builder.build())


def _tag(name: str, source: str | None = None) -> TagAssociationClass:
    by = MetadataAttributionClass(time=0, actor=JANE, source=source) if source else None
    return TagAssociationClass(tag=name, attribution=by)


def test_tags_of_several_sources_stand_beside_each_other(gms: Gms, graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, "globalTags", tags(GOLD)))
    _send(graph, lambda one: one.add_tag(_tag(GOLD, LUMOS)).add_tag(_tag(SILVER)))

    def there() -> list[tuple[str, str]]:
        held = gms.value(CLICKS, "globalTags")["tags"]
        return sorted((one["tag"], one.get("attribution", {}).get("source", "")) for one in held)

    assert there() == [(GOLD, ""), (GOLD, LUMOS), (SILVER, "")]
    _send(graph, lambda one: one.remove_tag(GOLD, attribution_source=LUMOS))
    assert there() == [(GOLD, ""), (SILVER, "")]
    _send(graph, lambda one: one.remove_tag(GOLD).remove_tag("urn:li:tag:never"))
    assert there() == [(SILVER, "")]


def test_an_equal_patch_changes_nothing(gms: Gms, graph: Any) -> None:
    for _ in range(2):
        _send(graph, lambda one: one.add_tag(_tag(GOLD)))
    assert gms.version(CLICKS, "globalTags") == 1


def test_owners_and_terms_are_patched(gms: Gms, graph: Any) -> None:
    owner = OwnerClass(owner=JANE, type="DATA_STEWARD")
    term = GlossaryTermAssociationClass(urn="urn:li:glossaryTerm:click")
    _send(graph, lambda one: one.add_owner(owner).add_term(term))
    assert [one["owner"] for one in gms.value(CLICKS, "ownership")["owners"]] == [JANE]
    assert gms.value(CLICKS, "glossaryTerms")["terms"] == [{"urn": "urn:li:glossaryTerm:click"}]
    _send(graph, lambda one: one.remove_owner(JANE))
    assert gms.value(CLICKS, "ownership")["owners"] == []


def test_properties_are_patched_key_by_key(gms: Gms, graph: Any) -> None:
    value = {"description": "x", "customProperties": {"a": "1", "b/c~d": "2"}}
    graph.emit_mcp(proposal(CLICKS, "datasetProperties", value))
    _send(graph, lambda one: one.add_custom_property("e", "3").remove_custom_property("b/c~d"))
    held = gms.value(CLICKS, "datasetProperties")
    assert held["customProperties"] == {"a": "1", "e": "3"}
    assert held["description"] == "x"
    _send(graph, lambda one: one.set_description("y"))
    assert gms.value(CLICKS, "datasetProperties")["description"] == "y"


def test_fields_are_patched_by_their_path(gms: Gms, graph: Any) -> None:
    _send(graph, lambda one: one.for_field("a.b").add_tag(_tag(GOLD)))
    _send(graph, lambda one: one.for_field("a.b").add_tag(_tag(SILVER)))
    fields = gms.value(CLICKS, "editableSchemaMetadata")["editableSchemaFieldInfo"]
    assert fields == [{"fieldPath": "a.b", "globalTags": tags(GOLD, SILVER)}]
    _send(graph, lambda one: one.for_field("a.b").remove_tag(GOLD))
    fields = gms.value(CLICKS, "editableSchemaMetadata")["editableSchemaFieldInfo"]
    assert fields[0]["globalTags"] == tags(SILVER)


def test_lineage_is_patched_edge_by_edge(gms: Gms, graph: Any) -> None:
    one, two = (f"urn:li:schemaField:({ORDERS},{name})" for name in ("a", "b"))
    down = f"urn:li:schemaField:({CLICKS},id)"
    edge = FineGrainedLineageClass(
        upstreamType="FIELD_SET", upstreams=[one, two], downstreamType="FIELD", downstreams=[down]
    )
    upstream = UpstreamClass(dataset=ORDERS, type="COPY")
    _send(graph, lambda it: it.add_upstream_lineage(upstream).add_fine_grained_lineage(edge))
    held = gms.value(CLICKS, "upstreamLineage")
    assert [it["dataset"] for it in held["upstreams"]] == [ORDERS]
    assert [(it["upstreams"], it["downstreams"]) for it in held["fineGrainedLineages"]] == [
        ([one, two], [down])
    ]
    edge.upstreams = [one]
    _send(graph, lambda it: it.remove_fine_grained_lineage(edge))
    assert gms.value(CLICKS, "upstreamLineage")["fineGrainedLineages"][0]["upstreams"] == [two]
    _send(graph, lambda it: it.remove_upstream_lineage(ORDERS))
    assert gms.value(CLICKS, "upstreamLineage")["upstreams"] == []


def _patched(aspect: str, patch: Any, **body: Any) -> list[Any]:
    return [{"urn": CLICKS, aspect: {"value": patch, **body}}]


def test_keys_of_its_own_make_a_patch_lose_its_headers(gms: Gms, connect: Connect) -> None:
    session, url = connect(gms).session, f"{gms.url}/openapi/v3/entity/dataset?async=false"
    ops = [{"op": "add", "path": f"/tags/{GOLD}", "value": {"tag": GOLD}}]
    more = {"headers": {"If-Version-Match": "9"}, "systemMetadata": {"runId": "mine"}}
    plain = _patched("globalTags", {"patch": ops}, **more)
    assert session.patch(url, json=plain).status_code == 412
    generic = {"patch": ops, "arrayPrimaryKeys": {"tags": ["tag"]}}
    assert session.patch(url, json=_patched("globalTags", generic, **more)).status_code == 200
    assert gms.system(CLICKS, "globalTags")["runId"] == "no-run-id-provided"


@pytest.mark.parametrize(
    ("aspect", "ops"),
    [
        ("schemaMetadata", [{"op": "add", "path": "/schemaName", "value": "x"}]),
        ("globalTags", [{"op": "move", "path": "/tags"}]),
        ("globalTags", [{"op": "replace", "path": f"/tags/{GOLD}", "value": {"tag": GOLD}}]),
        ("globalTags", [{"op": "add", "path": "tags", "value": []}]),
        ("globalTags", "nonsense"),
    ],
)
def test_a_patch_that_does_not_fit_is_refused_or_dropped(
    gms: Gms, connect: Connect, aspect: str, ops: Any
) -> None:
    graph = connect(gms)
    graph.emit_mcp(proposal(CLICKS, "schemaMetadata", schema("id")))
    before = gms.dump()
    url = f"{gms.url}/openapi/v3/entity/dataset?async=false"
    assert graph.session.patch(url, json=_patched(aspect, {"patch": ops})).status_code == 400
    proposals = [_as_rest_li(aspect, ops)]
    url = f"{gms.url}/aspects?action=ingestProposalBatch"
    told = graph.session.post(url, json={"proposals": proposals, "async": "false"})
    assert (told.status_code, told.json()) == (200, {"value": "success"})
    assert gms.dump() == before


def _as_rest_li(aspect: str, ops: Any) -> dict[str, Any]:
    content = {"value": json.dumps(ops), "contentType": "application/json-patch+json"}
    named = {"entityType": "dataset", "entityUrn": CLICKS, "aspectName": aspect}
    return {**named, "changeType": "PATCH", "aspect": content}


def test_what_a_patch_makes_must_be_right(gms: Gms, connect: Connect) -> None:
    ops = [{"op": "add", "path": "/tags/x", "value": {}}]
    url = f"{gms.url}/openapi/v3/entity/dataset?async=false"
    told = connect(gms).session.patch(url, json=_patched("globalTags", {"patch": ops}))
    assert told.status_code == 400
    assert "/tags/0/tag :: field is required" in told.json()["message"]
