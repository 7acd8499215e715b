"""A DataHub that others have filled, with DataHub's own client: nothing in it is of ours."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tests.gms import Gms
from tests.gms.rows import packed

if TYPE_CHECKING:
    from datahub.emitter.mcp import MetadataChangeProposalWrapper

    Proposals = Iterator[MetadataChangeProposalWrapper]

STAMP = {"time": 1_700_000_000_000, "actor": "urn:li:corpuser:jdoe"}
JOB = "urn:li:dataJob:(urn:li:dataFlow:(airflow,etl,PROD),load)"
PLATFORMS = ("hive", "s3", "snowflake")


def urn_of(number: int) -> str:
    """Their urn of a dataset; some stand in another environment, or are called oddly."""
    platform = PLATFORMS[number % len(PLATFORMS)]
    name = f"db{number % 7}.Table {number}" if number % 50 == 0 else f"db{number % 7}.t{number}"
    fabric = "DEV" if number % 97 == 0 else "PROD"
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},{name},{fabric})"


def fill(gms: Gms, datasets: int) -> None:
    """Write datasets and what they refer to, as sources and people do."""
    from datahub.ingestion.graph.client import DataHubGraph  # noqa: PLC0415
    from datahub.ingestion.graph.config import DatahubClientConfig  # noqa: PLC0415

    graph = DataHubGraph(
        DatahubClientConfig(server=gms.url, token=gms.token, openapi_ingestion=True)
    )
    graph.emit_mcps([*_entities(), *(one for n in range(datasets) for one in _dataset(n))])
    for number in range(0, datasets, 10):
        _edited(gms, urn_of(number))
    gms.catch_up()


def _dataset(number: int) -> "Proposals":
    urn = urn_of(number)
    columns = ("id", "customer.name", "amount")
    if number % 2:
        columns = (
            "[version=2.0].[type=struct].[type=long].id",
            "[version=2.0].[type=struct].[type=struct].customer",
            "[version=2.0].[type=struct].[type=struct].customer.[type=string].name",
        )
    yield _said(urn, "schemaMetadata", _schema(urn, columns))
    yield _said(
        urn,
        "datasetProperties",
        {
            "name": f"Table {number}",
            "description": "By a crawler",
            "customProperties": {"owner": "ops"},
        },
    )
    yield _said(urn, "browsePathsV2", {"path": [{"id": "shop"}]})
    yield _said(urn, "container", {"container": f"urn:li:container:{number % 7}"})
    yield _said(urn, "globalTags", {"tags": [{"tag": "urn:li:tag:Legacy"}]})
    if number % 3 == 0:
        terms = [{"urn": "urn:li:glossaryTerm:Customer.Email"}]
        yield _said(urn, "glossaryTerms", {"terms": terms, "auditStamp": STAMP})
    if number:
        yield _said(urn, "upstreamLineage", _lineage(urn_of(number - 1), urn, columns[0]))
    if number % 20 == 19:
        yield _said(urn, "status", {"removed": True})


def _schema(urn: str, columns: Sequence[str]) -> dict[str, Any]:
    kind: dict[str, Any] = {"type": {"com.linkedin.schema.StringType": {}}}
    fields = [
        {"fieldPath": path, "nullable": True, "type": kind, "nativeDataType": "varchar(20)"}
        for path in columns
    ]
    return {
        "schemaName": urn,
        "platform": urn.partition("(")[2].partition(",")[0],
        "version": 0,
        "created": STAMP,
        "lastModified": STAMP,
        "hash": "",
        "platformSchema": {"com.linkedin.schema.Schemaless": {}},
        "fields": fields,
    }


def _lineage(source: str, urn: str, column: str) -> dict[str, Any]:
    edge = {"dataset": source, "type": "TRANSFORMED", "auditStamp": STAMP}
    fine = {
        "upstreamType": "FIELD_SET",
        "upstreams": [f"urn:li:schemaField:({source},id)"],
        "downstreamType": "FIELD",
        "downstreams": [f"urn:li:schemaField:({urn},{column})"],
        "confidenceScore": 0.5,
    }
    return {"upstreams": [edge], "fineGrainedLineages": [fine]}


def _entities() -> "Proposals":
    yield _said("urn:li:tag:Legacy", "tagProperties", {"name": "Legacy", "colorHex": "#ff0000"})
    term = {"definition": "Where one is written to", "termSource": "INTERNAL", "name": "Email"}
    yield _said("urn:li:glossaryTerm:Customer.Email", "glossaryTermInfo", term)
    person = {"active": True, "displayName": "J. Doe", "email": "jdoe@example.com"}
    yield _said("urn:li:corpuser:jdoe", "corpUserInfo", person)
    group = {"admins": [], "members": ["urn:li:corpuser:jdoe"], "groups": [], "displayName": "Ops"}
    yield _said("urn:li:corpGroup:ops", "corpGroupInfo", group)
    yield _said("urn:li:domain:sales", "domainProperties", {"name": "Sales"})
    prop = {
        "qualifiedName": "cost",
        "valueType": "urn:li:dataType:datahub.number",
        "entityTypes": ["urn:li:entityType:datahub.dataset"],
    }
    yield _said("urn:li:structuredProperty:cost", "propertyDefinition", prop)
    load = {"customProperties": {}, "name": "load", "type": {"string": "BATCH"}}
    yield _said(JOB, "dataJobInfo", load)
    sides = {"inputDatasets": [urn_of(0)], "outputDatasets": [urn_of(1)]}
    yield _said(JOB, "dataJobInputOutput", sides)
    for number in range(7):
        yield _said(f"urn:li:container:{number}", "containerProperties", {"name": f"db{number}"})


def _edited(gms: Gms, urn: str) -> None:
    """What people do on the pages."""
    gms.edit(
        urn,
        "editableDatasetProperties",
        {"description": "What people say", "created": STAMP, "lastModified": STAMP},
    )
    gms.edit(
        urn,
        "ownership",
        {
            "owners": [
                {"owner": "urn:li:corpuser:jdoe", "type": "DATAOWNER"},
                {"owner": "urn:li:corpGroup:ops", "type": "NONE"},
            ],
            "lastModified": STAMP,
        },
    )
    gms.edit(urn, "domains", {"domains": ["urn:li:domain:sales"]})
    cost = {"propertyUrn": "urn:li:structuredProperty:cost", "values": [{"double": 12.5}]}
    gms.edit(urn, "structuredProperties", {"properties": [cost]})


def _said(urn: str, aspect: str, value: Any) -> "MetadataChangeProposalWrapper":
    from datahub.emitter.mcp import MetadataChangeProposalWrapper  # noqa: PLC0415

    from lumos_snap.catalogs.datahub.client.sdk_classes import as_class  # noqa: PLC0415

    return MetadataChangeProposalWrapper(entityUrn=urn, aspect=as_class(aspect, value))


def spoil(gms: Gms, urn: str, aspect: str, value: Any) -> None:
    """Damage what is stored of an aspect, past every check of the server."""
    row = gms.state.store.row(urn, aspect)
    assert row is not None
    object.__setattr__(row, "value", packed(value))
