"""What other sources and people wrote into a catalog, as documents of ours."""

from typing import Any

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs.datahub.mapping import from_aspects
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.json_object import JsonObject
from tests.strategies.datahub import KINDS

IDENTITY = UrnMapper(NamingSettings())
URN = "urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)"
STAMP = {"time": 1, "actor": "urn:li:corpuser:jdoe"}


def _read(**aspects: Any) -> JsonObject:
    return from_aspects(SNAPSHOT, URN, aspects, IDENTITY)


def test_a_dataset_that_others_made_is_a_snapshot() -> None:
    assert _read(
        datasetProperties={"customProperties": {"owner": "ops"}, "description": "raw", "tags": []},
        editableDatasetProperties={
            "created": STAMP,
            "lastModified": STAMP,
            "description": "Orders",
        },
        globalTags={"tags": [{"tag": "urn:li:tag:PII"}, {"tag": "urn:li:tag:PII", "context": "x"}]},
        ownership={
            "owners": [
                {"owner": "urn:li:corpuser:jdoe", "type": "DATAOWNER"},
                {"owner": "urn:li:corpuser:jdoe", "type": "NONE", "typeUrn": None},
                {"owner": "urn:li:dataHubRole:Admin", "type": "NONE"},
            ],
            "ownerTypes": {},
            "lastModified": STAMP,
        },
        domains={"domains": ["urn:li:domain:a", "urn:li:domain:b"]},
        status={"removed": False},
        browsePathsV2={"path": [{"id": "Default"}]},
        somethingNew={"a": 1},
    ) == {
        "lumos_version": "1.0.0",
        "urn": "lumos://hive/shop/orders",
        "name": "orders",
        "platform": "hive",
        "storage": {"description": "raw"},
        "ownership": {"owners": [{"user": "jdoe"}, {"user": "jdoe", "type": "DATAOWNER"}]},
        "governance": {"domain": "a", "tags": ["PII"]},
        "documentation": {"description": "Orders"},
        "properties": {"owner": "ops"},
    }


def test_lineage_of_others_is_read_column_by_column() -> None:
    source = "urn:li:dataset:(urn:li:dataPlatform:hive,raw.orders,DEV)"
    found = _read(
        upstreamLineage={
            "upstreams": [{"dataset": source, "type": "COPY", "auditStamp": STAMP}],
            "fineGrainedLineages": [
                {
                    "upstreamType": "FIELD_SET",
                    "upstreams": [f"urn:li:schemaField:({source},{name})" for name in "ab"],
                    "downstreamType": "FIELD",
                    "downstreams": [f"urn:li:schemaField:({URN},total)"],
                    "transformOperation": "a + b",
                    "confidenceScore": 0.9,
                },
                {"upstreamType": "NONE", "downstreamType": "FIELD", "downstreams": ["odd"]},
            ],
        }
    )
    (edge,) = found["lineage"]["upstream"]
    assert IDENTITY.dataset(edge["urn"]) == source
    assert edge["type"] == "COPIED"
    assert edge["columns"] == [
        {"from": name, "to": "total", "transformation": "a + b", "confidence": "0.9"}
        for name in "ab"
    ]


def test_a_deprecation_without_a_word_is_still_one() -> None:
    contract = _read(deprecation={"deprecated": True, "note": "", "actor": "x"})["contract"]
    assert contract == {"deprecated": "deprecated"}
    assert "contract" not in _read(deprecation={"deprecated": False, "note": "", "actor": "x"})


def test_an_assertion_of_others_is_a_check_by_its_urn() -> None:
    info = {
        "type": "CUSTOM",
        "customAssertion": {"type": "x", "entity": URN, "logic": "count > 1"},
        "entityUrn": URN,
    }
    found = from_aspects(
        SNAPSHOT, URN, {}, IDENTITY, {"urn:li:assertion:1": {"assertionInfo": info}}
    )
    assert found["quality"] == {
        "checks": [{"name": "urn:li:assertion:1", "expression": "count > 1"}]
    }


def test_a_property_that_the_catalog_knows_by_type_is_read() -> None:
    found = _read(
        structuredProperties={
            "properties": [
                {"propertyUrn": "urn:li:structuredProperty:cost", "values": [{"double": 12.5}]},
                {"propertyUrn": "urn:li:structuredProperty:n", "values": [{"double": 3.0}]},
                {
                    "propertyUrn": "urn:li:structuredProperty:who",
                    "values": [{"string": "a"}, {"string": "b"}],
                },
            ]
        }
    )
    assert found["properties"] == {"cost": "12.5", "n": 3, "who": ["a", "b"]}


def test_a_user_of_a_directory_is_one_of_ours() -> None:
    found = from_aspects(
        KINDS["user"],
        "urn:li:corpuser:jdoe",
        {
            "corpUserInfo": {"active": True, "displayName": "J. Doe", "title": "Analyst"},
            "corpUserEditableInfo": {"title": "Lead", "pictureLink": "x"},
        },
        IDENTITY,
    )
    assert found == {"lumos_version": "1.0.0", "id": "jdoe", "name": "J. Doe", "title": "Lead"}
