"""Removes the invalid parts of an old document, so that it can be compared.

Such a part was never effective: a key on a missing column, a second column of one name, a urn of
another path. So a change that removes it takes nothing away from consumers.
"""

from collections.abc import Collection, Sequence
from typing import Any

from lumos_snap.canonical.paths import urn_of
from lumos_snap.errors import LumosError
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import has_column
from lumos_snap.schema import Document

_KEYS = ("unique", "foreign_keys")


def drop_invalid_parts(path: str, document: JsonObject, new: JsonObject | None) -> Document:
    """Prepare the snapshot at a path for comparison with the one that repairs it."""
    found = {**document, **(_identity(path) if new else {})}
    schema, storage = dict(found.get("schema", {})), dict(found.get("storage", {}))
    present = (new or {}).get("schema", {}).get("fields", ())
    if "fields" in schema:
        schema["fields"] = _once(schema["fields"], present)
    _without_odd_keys(document, schema, storage)
    _without_twins(schema, storage, {one["name"] for one in present})
    sections = {"schema": schema, "storage": storage}
    return {**found, **{name: section for name, section in sections.items() if section}}


def _identity(path: str) -> Document:
    """The identity derived from a file's path; empty if the path is invalid."""
    try:
        urn = urn_of(path.partition("/")[2])
    except LumosError:
        return {}
    return {"urn": str(urn), "name": urn.name, "platform": urn.platform}


def _once(fields: list[Document], present: Sequence[Document]) -> list[Document]:
    """Keep one column of each name, in tables and structs: that of the new side, or the first."""
    now = {one["name"]: one for one in present}
    kept: dict[str, Document] = {}
    for one in fields:
        if one["name"] not in kept or one == now.get(one["name"]):
            kept[one["name"]] = one
    return [
        {**one, "fields": _once(one["fields"], now.get(name, {}).get("fields", ()))}
        if "fields" in one
        else one
        for name, one in kept.items()
    ]


def _without_odd_keys(
    document: JsonObject, schema: dict[str, Any], storage: dict[str, Any]
) -> None:
    """Drop keys, sort orders and buckets that refer to missing columns."""

    def there(columns: list[str]) -> bool:
        return all(has_column(document, column) for column in columns)

    for name in _KEYS:
        schema[name] = [one for one in schema.get(name, ()) if there(one["columns"])]
    primary = schema.get("primary_key", [])
    schema["primary_key"] = [column for column in primary if there([column])]
    storage["sorting"] = [one for one in storage.get("sorting", ()) if there([one["field"]])]
    storage["partitioning"] = [
        one
        for one in storage.get("partitioning", ())
        if "source" not in one or there([one["source"]])
    ]
    if "bucketing" in storage and not there(storage["bucketing"].get("columns", [])):
        del storage["bucketing"]
    for section, names in (
        (schema, (*_KEYS, "primary_key")),
        (storage, ("sorting", "partitioning")),
    ):
        for name in names:
            if not section[name]:
                del section[name]


def _without_twins(schema: dict[str, Any], storage: dict[str, Any], kept: Collection[str]) -> None:
    """Of a partition column that is also a field, drop the one that the new side dropped."""
    parts = [one for one in storage.get("partitioning", ()) if "source" not in one]
    twins = {one["name"] for one in parts} & {one["name"] for one in schema.get("fields", ())}
    if not twins:
        return
    gone, stay = {one for one in twins if one not in kept}, {one for one in twins if one in kept}
    schema["fields"] = [one for one in schema["fields"] if one["name"] not in gone]
    storage["partitioning"] = [
        one for one in storage["partitioning"] if "source" in one or one["name"] not in stay
    ]
    if not storage["partitioning"]:
        del storage["partitioning"]
