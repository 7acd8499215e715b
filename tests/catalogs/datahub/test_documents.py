"""Documents come back from their aspects: all but what the loss report names."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.encode import canonical_document, encode_document
from lumos_snap.catalogs.datahub.capabilities import TOO_LONG, losses, without
from lumos_snap.catalogs.datahub.mapping import (
    companion_urns,
    from_aspects,
    is_removed,
    project_document,
    to_aspects,
)
from lumos_snap.catalogs.datahub.settings import NamingSettings, PropertyDefinition
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.schema.validation import misfits
from tests.strategies import LAW
from tests.strategies.datahub import KINDS, documents_of, identities

DEFAULT = UrnMapper(NamingSettings())
EACH_KIND = pytest.mark.parametrize("name", KINDS)


@EACH_KIND
@LAW
@given(st.data(), identities)
def test_what_is_not_lost_comes_back_byte_for_byte(
    name: str, data: st.DataObject, identity: UrnMapper
) -> None:
    kind = KINDS[name]
    document = data.draw(documents_of(kind))
    held = project_document(document, kind, identity)
    lost = losses(document, kind, identity)
    if held is None:
        assert [(one.pointer, one.reason) for one in lost] == [((), TOO_LONG)]
        return
    assert encode_document(held, kind.cls) == encode_document(without(document, lost), kind.cls)


@EACH_KIND
@LAW
@given(st.data(), identities)
def test_what_the_catalog_holds_it_holds_again(
    name: str, data: st.DataObject, identity: UrnMapper
) -> None:
    kind = KINDS[name]
    once = project_document(data.draw(documents_of(kind)), kind, identity)
    if once is not None:
        assert project_document(once, kind, identity) == once
        assert losses(once, kind, identity) == ()


@LAW
@given(documents_of(SNAPSHOT), identities)
def test_nothing_of_a_snapshot_is_lost_unless_all_of_it_is(
    document: dict[str, Any], identity: UrnMapper
) -> None:
    assert all(one.pointer == () for one in losses(document, SNAPSHOT, identity))


@LAW
@given(documents_of(SNAPSHOT), identities)
def test_a_dataset_names_the_assertions_that_stand_for_its_checks(
    document: dict[str, Any], identity: UrnMapper
) -> None:
    theirs = to_aspects(document, SNAPSHOT, identity)
    assert set(companion_urns(SNAPSHOT, theirs.aspects)) == set(theirs.companions)
    checks = document.get("quality", {}).get("checks", ())
    assert not theirs.aspects or len(theirs.companions) == len(checks)


CLICKS: dict[str, Any] = {
    "lumos_version": "1.0.0",
    "urn": "lumos://s3/lake/clicks",
    "name": "clicks",
    "platform": "s3",
    "kind": "TABLE",
    "storage": {"format": "parquet", "description": "from the source", "partitioning": [
        {"name": "day", "type": "DATE"}, {"name": "y", "type": "INT32", "source": "ts"},
    ]},
    "schema": {
        "fields": [
            {"name": "id", "type": "INT64", "nullable": False, "description": "the source's"},
            {"name": "ts", "type": "TIMESTAMP", "unit": "us", "timezone": "UTC", "nullable": True},
            {"name": "amount", "type": "DECIMAL", "precision": 12, "scale": 2, "nullable": True,
             "id": 3, "default": "0"},
        ],
        "primary_key": ["id"],
    },
    "contract": {"deprecated": "use orders", "sunset": "2027-01-01",
                 "replaced_by": "lumos://s3/lake/orders"},
    "lineage": {"upstream": [
        {"urn": "lumos://kafka/prod/clicks", "type": "COPIED", "origin": "dbt",
         "columns": [{"from": "id", "to": "id", "transformation": "CAST", "confidence": "0.5"}]},
    ]},
    "ownership": {"owners": [
        {"user": "jane.smith", "type": "Data Keeper"},
        {"group": "analytics", "type": "TECHNICAL_OWNER", "description": "asks first"},
    ]},
    "governance": {"domain": "sales", "pii": True, "tags": ["tier-1"], "terms": ["click"],
                   "fields": [{"path": "amount", "tags": ["money"], "pii": False}]},
    "documentation": {
        "title": "Clicks", "description": "As they arrive", "business_context": "billing",
        "links": [{"url": "https://example.com/run", "label": "Runbook"}],
        "fields": [{"path": "amount", "description": "in euro", "title": "Amount"}],
    },
    "quality": {"checks": [{"name": "ids", "type": "not_null", "field": "id",
                            "expression": "id is not null", "severity": "blocking"}]},
    "properties": {"team": "blue", "levels": [1, 2]},
    "versioning": {"schema_version": "2.0.0"},
}  # fmt: skip


@pytest.fixture(scope="module")
def aspects() -> dict[str, Any]:
    return to_aspects(canonical_document(CLICKS, SNAPSHOT.cls), SNAPSHOT, DEFAULT).aspects


def test_what_people_say_stands_where_datahubs_pages_edit_it(aspects: dict[str, Any]) -> None:
    assert aspects["editableDatasetProperties"] == {
        "name": "Clicks",
        "description": "As they arrive",
    }
    (info,) = aspects["editableSchemaMetadata"]["editableSchemaFieldInfo"]
    assert info["fieldPath"] == "amount"
    assert info["description"] == "in euro"
    assert info["globalTags"]["tags"][0]["tag"] == "urn:li:tag:money"
    assert aspects["domains"] == {"domains": ["urn:li:domain:sales"]}


def test_what_machines_say_stands_where_they_write_it(aspects: dict[str, Any]) -> None:
    assert aspects["datasetProperties"]["description"] == "from the source"
    columns = {one["fieldPath"]: one for one in aspects["schemaMetadata"]["fields"]}
    assert list(columns) == ["id", "ts", "amount", "day"]
    assert columns["id"]["description"] == "the source's"
    assert columns["id"]["isPartOfKey"]
    assert columns["ts"]["isPartitioningKey"]
    assert columns["day"]["isPartitioningKey"]
    assert columns["amount"]["nativeDataType"] == "DECIMAL(12,2)"
    assert "jsonProps" in columns["amount"]
    assert "jsonProps" not in columns["id"]


def test_what_has_no_place_stands_as_text_under_our_prefix(aspects: dict[str, Any]) -> None:
    texts = aspects["datasetProperties"]["customProperties"]
    assert texts["lumos.storage.format"] == "parquet"
    assert texts["lumos.governance.pii"] == "true"
    assert texts["lumos.documentation.business_context"] == "billing"
    assert texts["lumos.versioning.schema_version"] == "2.0.0"
    assert texts["team"] == "blue"
    assert texts["lumos.properties"] == '{"levels":[1,2]}'


def test_what_we_add_is_marked_as_ours(aspects: dict[str, Any]) -> None:
    for name, items in (
        ("globalTags", "tags"),
        ("glossaryTerms", "terms"),
        ("ownership", "owners"),
    ):
        for one in aspects[name][items]:
            assert one["attribution"]["source"] == "urn:li:platformResource:lumos"


def test_owners_have_roles(aspects: dict[str, Any]) -> None:
    roles = {one["owner"]: (one["type"], one["typeUrn"]) for one in aspects["ownership"]["owners"]}
    assert roles == {
        "urn:li:corpuser:jane.smith": ("CUSTOM", "urn:li:ownershipType:Data Keeper"),
        "urn:li:corpGroup:analytics": (
            "TECHNICAL_OWNER",
            "urn:li:ownershipType:__system__technical_owner",
        ),
    }


def test_what_a_person_takes_away_there_does_not_come_back(aspects: dict[str, Any]) -> None:
    less = {
        **aspects,
        "editableDatasetProperties": {"name": "Clicks"},
        "globalTags": {"tags": []},
        "ownership": {"owners": aspects["ownership"]["owners"][:1]},
        "upstreamLineage": {"upstreams": []},
    }
    found = from_aspects(SNAPSHOT, DEFAULT.dataset(CLICKS["urn"]), less, DEFAULT)
    assert "description" not in found["documentation"]
    assert "tags" not in found["governance"]
    assert len(found["ownership"]["owners"]) == 1
    assert "lineage" not in found
    assert "quality" not in found


ODD: dict[str, dict[str, Any]] = {
    "everything": {},
    "a path in needless quotes": {
        "documentation": {"fields": [{"path": "`a`.b", "description": "x"}]},
        "governance": {"fields": [{"path": "`a`", "tags": ["t"]}]},
    },
    "properties that look like ours": {"properties": {"lumos.kind": "x", "": "y", "plain": "z"}},
    "roles of the old enumeration": {
        "ownership": {"owners": [{"user": "a", "type": "DATAOWNER"}, {"user": "a", "type": "NONE"}]}
    },
    "roles that look like the system's": {
        "ownership": {"owners": [{"user": "a", "type": "__system__data_steward"}]}
    },
    "values of every sort": {
        "properties": {"one": ["x"], "many": ["x", 2], "yes": True, "no": None, "n": 5, "in": {}}
    },
    "two edges from one dataset": {
        "lineage": {"upstream": [
            {"urn": "lumos://s3/a", "origin": "dbt", "columns": [{"from": "x", "to": "id"}]},
            {"urn": "lumos://s3/a", "origin": "sql", "type": "VIEW", "columns": [
                {"from": "x", "to": "id", "confidence": "0.50"}, {"to": "id"}]},
        ]}
    },
    "a sunset that is no day": {"contract": {"deprecated": "x", "sunset": "2027-02-30"}},
    "a format of before": {"lumos_version": "1.0.7"},
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("known", [(), ("one", "many", "yes", "n")])
@pytest.mark.parametrize("type_", ["text", "number"])
def test_what_is_odd_comes_back(name: str, known: tuple[str, ...], type_: str) -> None:
    document = canonical_document({**CLICKS, **ODD[name]}, SNAPSHOT.cls)
    structured = dict.fromkeys(known, PropertyDefinition(type_, is_multiple=True))
    assert (
        project_document(document, SNAPSHOT, UrnMapper(NamingSettings(structured=structured)))
        == document
    )


@pytest.mark.parametrize(
    ("definition", "taken", "kept_as_text"),
    [
        (PropertyDefinition(), "x", 1),
        (PropertyDefinition("number"), 1, "1"),
        (PropertyDefinition("date"), "2026-01-31", "2026-02-32"),
        (PropertyDefinition("urn"), "urn:li:tag:x", "x"),
        (PropertyDefinition(is_multiple=True), ["x", "y"], [1]),
        (PropertyDefinition(), "x", ["x", "y"]),
        (PropertyDefinition(allowed=frozenset({"x"})), "x", "y"),
    ],
)
def test_a_value_that_its_property_does_not_allow_is_kept_as_text(
    definition: PropertyDefinition, taken: object, kept_as_text: object
) -> None:
    names = UrnMapper(NamingSettings(structured={"p": definition}))
    for value, is_typed in ((taken, True), (kept_as_text, False)):
        document = canonical_document({**CLICKS, "properties": {"p": value}}, SNAPSHOT.cls)
        aspects = to_aspects(document, SNAPSHOT, names).aspects
        assert ("structuredProperties" in aspects) is is_typed
        assert project_document(document, SNAPSHOT, names) == document


def test_a_pair_of_columns_that_is_taken_away_there_does_not_come_back() -> None:
    theirs = to_aspects(canonical_document(CLICKS, SNAPSHOT.cls), SNAPSHOT, DEFAULT)
    aspects = {name: dict(aspect) for name, aspect in theirs.aspects.items()}
    del aspects["upstreamLineage"]["fineGrainedLineages"]
    found = from_aspects(SNAPSHOT, theirs.urn, aspects, DEFAULT)
    (edge,) = found["lineage"]["upstream"]
    assert edge == {"urn": "lumos://kafka/prod/clicks", "type": "COPIED", "origin": "dbt"}


def test_a_pair_of_columns_that_is_changed_there_is_changed_here() -> None:
    theirs = to_aspects(canonical_document(CLICKS, SNAPSHOT.cls), SNAPSHOT, DEFAULT)
    (row,) = theirs.aspects["upstreamLineage"]["fineGrainedLineages"]
    row["transformOperation"] = "TRY_CAST"
    found = from_aspects(SNAPSHOT, theirs.urn, theirs.aspects, DEFAULT)
    (column,) = found["lineage"]["upstream"][0]["columns"]
    assert column["transformation"] == "TRY_CAST"


def test_a_dataset_that_cannot_stand_there_is_lost_as_a_whole() -> None:
    document = {**CLICKS, "urn": "lumos://s3/" + "x" * 600, "name": "x" * 600}
    assert project_document(document, SNAPSHOT, DEFAULT) is None
    assert [one.pointer for one in losses(document, SNAPSHOT, DEFAULT)] == [()]


def test_what_is_lost_is_named_with_its_reason() -> None:
    group = {"lumos_version": "1.0.0", "id": "a", "properties": {"k": "v"}}
    (lost,) = losses(group, KINDS["group"], DEFAULT)
    assert lost.pointer == ("properties",)
    assert "corpGroup" in lost.reason


def test_a_removal_is_soft() -> None:
    assert is_removed({"status": {"removed": True}})
    assert not is_removed({})


@LAW
@given(
    documents_of(SNAPSHOT),
    st.dictionaries(
        st.sampled_from(("lumos.storage", "lumos.storage.format", "lumos.schema.unique",
                         "lumos.quality.checks", "lumos.x", "lumos..", "lumos.a.b.c",
                         "lumos.governance.fields", "lumos.lumos_version", "lumos.assertions",
                         "lumos.properties", "lumos.kind", "lumos.urn")),
        st.sampled_from(("", "null", "[]", "{}", "[1]", '[{"path": 1}]', "{", "TABLE", "1.0.0",
                         '[{"name": "x"}]', '[{"columns": ["a"]}]', '{"a": 1.5}', "9.0.0")),
    ),
)  # fmt: skip
def test_texts_that_somebody_spoilt_say_nothing(
    document: dict[str, Any], spoilt: dict[str, str]
) -> None:
    theirs = to_aspects(document, SNAPSHOT, DEFAULT)
    if not theirs.aspects:
        return
    theirs.aspects["datasetProperties"]["customProperties"].update(spoilt)
    found = from_aspects(SNAPSHOT, theirs.urn, theirs.aspects, DEFAULT, theirs.companions)
    assert found["urn"] == document["urn"]
    assert misfits(found, SNAPSHOT.cls) == ()
    companion_urns(SNAPSHOT, theirs.aspects)
