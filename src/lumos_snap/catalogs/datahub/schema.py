"""The schema ↔ `schemaMetadata`: columns, keys, and references to other datasets.

Curated metadata of columns is mapped in `properties`: DataHub's pages never edit this aspect.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from lumos_snap.catalogs.datahub.aspect import (
    Aspect,
    Codec,
    Document,
    Home,
    Scope,
    drop_none,
    get_list,
)
from lumos_snap.catalogs.datahub.columns import notation, our_columns, their_columns, their_type
from lumos_snap.catalogs.datahub.field_paths import ROOT, ROOT_OF_KEY, is_key, to_v1
from lumos_snap.catalogs.datahub.settings import PathStyle
from lumos_snap.catalogs.datahub.urns import field_urn, fits, of_field_urn
from lumos_snap.model.field_path import parse_path

COLUMNS = ("fields", "key_fields")
"""The keys of our schema that hold columns."""

PARTITION = '{"lumos.partition": true}'
"""The `jsonProps` of a column that exists only in the file paths."""


def _schema(document: Document, scope: Scope) -> Aspect | None:
    schema = document.get("schema", {})
    keys = schema.get("primary_key", [])
    texts = [scope.field(path) for path in keys]
    columns = _columns(document, scope, frozenset(texts))
    if not columns and not keys and not schema.get("foreign_keys"):
        return None
    references = [_reference(one, scope) for one in schema.get("foreign_keys", ())]
    return drop_none(
        schemaName=document["name"],
        platform=scope.identity.platform(document["platform"]),
        version=0,
        hash="",
        platformSchema={"com.linkedin.schema.Schemaless": {}},
        fields=columns,
        primaryKeys=texts if keys and all(map(scope.can_say, keys)) else None,
        foreignKeys=[one for one in references if one is not None] or None,
    )


def _columns(document: Document, scope: Scope, keys: frozenset[str]) -> list[Aspect]:
    schema = document.get("schema", {})
    partitioning = document.get("storage", {}).get("partitioning", ())
    style = scope.identity.naming.field_paths
    root = ROOT if style is PathStyle.V2 else None
    columns = their_columns(schema.get("fields", ()), root=root, keys=keys)
    dividing = {scope.field(one["source"]) for one in partitioning if "source" in one}
    for one in columns:
        if one["fieldPath"] in dividing:
            one["isPartitioningKey"] = True
    return [
        *their_columns(schema.get("key_fields", ()), root=ROOT_OF_KEY, keys=frozenset()),
        *columns,
        *_from_paths(partitioning, {one["fieldPath"] for one in columns}),
    ]


def _from_paths(partitioning: Iterable[Document], taken: set[str]) -> list[Aspect]:
    """The columns that exist only in the file paths; they are in none of our schemas."""
    found: dict[str, Aspect] = {}
    for one in partitioning:
        path = one["name"]
        if "source" not in one and path not in taken:
            found.setdefault(
                path,
                {
                    "fieldPath": path,
                    "nullable": True,
                    "type": their_type(one),
                    "nativeDataType": notation(one),
                    "recursive": False,
                    "isPartOfKey": False,
                    "isPartitioningKey": True,
                    "jsonProps": PARTITION,
                },
            )
    return list(found.values())


def _reference(key: Document, scope: Scope) -> Aspect | None:
    """A foreign key in DataHub's form, if it survives the round trip."""
    dataset = scope.identity.dataset(key["urn"])
    there = [field_urn(dataset, to_v1(parse_path(path))) for path in key.get("to", ())]
    here = [field_urn(scope.urn, scope.field(path)) for path in key["columns"]]
    found = {
        "name": key.get("name", ""),
        "foreignFields": there,
        "sourceFields": here,
        "foreignDataset": dataset,
    }
    is_whole = all(map(fits, (dataset, *there, *here))) and _our_reference(found, scope) == key
    return found if is_whole else None


def _our_reference(theirs: Aspect, scope: Scope) -> Document | None:
    here = _paths(theirs["sourceFields"], scope)
    if not here:
        return None
    return drop_none(
        urn=scope.identity.of_dataset(theirs["foreignDataset"]),
        columns=here,
        to=_paths(theirs["foreignFields"], scope) or None,
        name=theirs.get("name") or None,
    )


def _paths(urns: Sequence[str], scope: Scope) -> list[str]:
    found = (of_field_urn(urn) for urn in urns)
    return [scope.our_field(one[1]) for one in found if one is not None and one[1]]


def our_schema(aspect: Aspect) -> Document:
    """The columns of a DataHub schema, and those of a message's key."""
    fields = [one for one in get_list(aspect, "fields") if not _is_from_path(one)]
    columns = our_columns([one for one in fields if not is_key(one["fieldPath"])])
    keys = our_columns([one for one in fields if is_key(one["fieldPath"])])
    return drop_none(fields=columns or None, key_fields=keys or None)


def _is_from_path(one: Aspect) -> bool:
    try:
        props = orjson.loads(one.get("jsonProps") or "null")
    except orjson.JSONDecodeError:
        return False
    return isinstance(props, dict) and "lumos.partition" in props


def _read(aspect: Aspect, scope: Scope) -> Document:
    schema = our_schema(aspect)
    texts = aspect.get("primaryKeys") or _key_paths(aspect)
    references: dict[Any, Document] = {}
    for one in get_list(aspect, "foreignKeys"):
        key = _our_reference(one, scope)
        if key is not None:
            references.setdefault((key["urn"], *key["columns"]), key)
    found = drop_none(
        **schema,
        primary_key=[scope.our_field(text) for text in texts] or None,
        foreign_keys=list(references.values()) or None,
    )
    return {"schema": found} if found else {}


def _key_paths(aspect: Aspect) -> list[str]:
    """The primary key that other sources mark column by column."""
    if any(one.get("jsonProps") for one in get_list(aspect, "fields")):
        return []
    return [
        one["fieldPath"]
        for one in get_list(aspect, "fields")
        if one.get("isPartOfKey") and not is_key(one["fieldPath"])
    ]


SCHEMA = Codec(
    "schemaMetadata",
    (
        Home("schema.fields[].name", "fields[].fieldPath", "members have rows of their own"),
        Home("schema.fields[].nullable", "fields[].nullable"),
        Home("schema.fields[].description", "fields[].description", "the source's own words"),
        Home("schema.fields[].type", "fields[].type", "exactly in `nativeDataType`"),
        Home("schema.fields[]…", "fields[].jsonProps", "what else a column says of itself"),
        Home("schema.key_fields", "fields[]", "with `[key=True]` in the path"),
        Home("schema.primary_key", "primaryKeys", "and `fields[].isPartOfKey`"),
        Home("schema.foreign_keys", "foreignKeys[]"),
        Home(
            "storage.partitioning",
            "fields[].isPartitioningKey",
            "for display, with columns that only the path knows; exactly as text",
        ),
    ),
    _schema,
    _read,
)
