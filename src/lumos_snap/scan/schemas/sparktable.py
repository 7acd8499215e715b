"""What a Spark session's catalog says of a table or view, in portable types."""

from collections.abc import Mapping
from typing import Any

from lumos_snap.model.snapshot import Bucketing, Schema, SortKey, Storage
from lumos_snap.scan.schemas.described import Described, TableFacts
from lumos_snap.scan.schemas.sparktable_partitions import Told, partitions, path_of
from lumos_snap.scan.schemas.sparktable_types import Reading
from lumos_snap.schema import Json


_KINDS = frozenset(("MANAGED", "EXTERNAL"))
"""Whether dropping the table drops its data: what views are not asked."""
_HIVE = "hive"
_OF_HIVE, _ICEBERG = "table_type", "iceberg"
_SERDES = {
    "parquethiveserde": "parquet",
    "orcserde": "orc",
    "avroserde": "avro",
    "jsonserde": "json",
    "opencsvserde": "csv",
    "lazysimpleserde": "text",
}
"""What Hive's classes read and write, by the last part of their name."""


def schema_of(evidence: Told) -> Described:
    """What a catalog says: every column is a field, those that divide the layout too."""
    reading = Reading()
    fields = reading.members(evidence["fields"])
    partitioning, strange = partitions(evidence.get("partitions", ()), fields)
    return Described(
        Schema(fields=fields),
        options=evidence.get("options", {}),
        description=evidence.get("comment") or None,
        notes=(*reading.notes(), *strange),
        partitioning=partitioning,
        properties=_properties(evidence),
        storage=Storage(
            format=_format(evidence),
            definition=evidence.get("definition"),
            bucketing=_bucketing(evidence),
            sorting=tuple(
                SortKey(field=path_of([one]), direction="ASC") for one in evidence.get("sorted", ())
            ),
        ),
        table=TableFacts(),
    )


def _properties(evidence: Told) -> dict[str, Json]:
    properties = dict(evidence.get("properties", {}))
    if evidence.get("kind") in _KINDS:
        properties["managed"] = evidence["kind"] == "MANAGED"
    if "names_in" in evidence:
        properties["view_names_in"] = evidence["names_in"]
    if "clustered" in evidence:
        properties["clustering"] = list(map(path_of, evidence["clustered"]))
    return properties


def _bucketing(evidence: Told) -> Bucketing | None:
    if "buckets" not in evidence:
        return None
    columns = tuple(path_of([one]) for one in evidence.get("bucketed", ()))
    return Bucketing(count=evidence["buckets"], columns=columns)


def _format(evidence: Told) -> str | None:
    provider = evidence.get("provider")
    if provider is None or provider.lower() != _HIVE:
        return None if provider is None else provider.lower()
    if evidence.get("properties", {}).get(_OF_HIVE, "").lower() == _ICEBERG:
        return _ICEBERG
    serde = str(evidence.get("serde", "")).rpartition(".")[2].lower()
    return _SERDES.get(serde, _HIVE)
