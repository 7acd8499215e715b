"""Entities that tests write."""

from collections.abc import Mapping
from typing import Any

from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.emitter.serialization_helper import post_json_transform
from datahub.metadata.schema_classes import ASPECT_NAME_MAP

CLICKS = "urn:li:dataset:(urn:li:dataPlatform:file,lake.clicks,PROD)"
ORDERS = "urn:li:dataset:(urn:li:dataPlatform:file,lake.orders,PROD)"
GOLD = "urn:li:tag:gold"
SILVER = "urn:li:tag:silver"
JANE = "urn:li:corpuser:jane.smith"


def proposal(urn: str, name: str, value: Mapping[str, Any], **headers: str) -> Any:
    """A proposal as DataHub's package makes one; `_` in the names of headers is `-`."""
    aspect = ASPECT_NAME_MAP[name].from_obj(post_json_transform(dict(value)))
    told = {key.replace("_", "-"): one for key, one in headers.items()}
    return MetadataChangeProposalWrapper(entityUrn=urn, aspect=aspect, headers=told or None)


def tags(*names: str) -> dict[str, Any]:
    return {"tags": [{"tag": one} for one in names]}


def described(text: str) -> dict[str, Any]:
    return {"description": text}


def schema(*names: str) -> dict[str, Any]:
    """A schema of columns that hold text."""
    column = {"nullable": True, "type": {"type": {"com.linkedin.schema.StringType": {}}}}
    return {
        "schemaName": "",
        "platform": "urn:li:dataPlatform:file",
        "version": 0,
        "hash": "",
        "platformSchema": {"com.linkedin.schema.Schemaless": {}},
        "fields": [{**column, "fieldPath": name, "nativeDataType": "string"} for name in names],
    }
