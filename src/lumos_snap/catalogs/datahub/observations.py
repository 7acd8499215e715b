"""Observations of a dataset as points of DataHub's time series, which are append-only.

A point is identified by its subject and its time, so sending one twice stores it once.
"""

from collections.abc import Iterator
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs.adapter import ObservedDataset
from lumos_snap.catalogs.datahub.aspect import Aspect, Document, Home, Scope, drop_none
from lumos_snap.catalogs.datahub.mapping import scope_of
from lumos_snap.catalogs.datahub.quality import assertion_urn
from lumos_snap.catalogs.datahub.urns import UrnMapper, fits
from lumos_snap.catalogs.observation_filter import millis
from lumos_snap.json_object import JsonObject
from lumos_snap.model.observation import Observation
from lumos_snap.schema import Holds, keys_of

PROFILE = "datasetProfile"
OPERATION = "operation"
RUN = "assertionRunEvent"

_WHOLE = {"type": "FULL_TABLE", "partition": "FULL_TABLE_SNAPSHOT"}
HOMES: tuple[tuple[str, Home], ...] = (
    (PROFILE, Home("observed_at", "timestampMillis", "a reading without it is not sent")),
    (PROFILE, Home("data.rows", "rowCount")),
    (PROFILE, Home("data.bytes", "sizeInBytes")),
    (PROFILE, Home("fields[].nulls", "fieldProfiles[].nullCount")),
    (PROFILE, Home("fields[].distinct", "fieldProfiles[].uniqueCount")),
    (OPERATION, Home("data.last_modified", "lastUpdatedTimestamp", "an `UPDATE` at that time")),
    (RUN, Home("quality.checks[].passed", "result.type", "of the check's assertion")),
    (RUN, Home("quality.checks[].at", "timestampMillis", "else `observed_at`")),
    (RUN, Home("quality.checks[].value", "result.nativeResults[value]")),
)
"""Where each part of an observation is stored. `columnCount` comes from the snapshot's schema."""
KEPT = frozenset({"data.rows", "data.bytes", "data.last_modified", "fields", "quality.checks"})
"""The mapped keys: other measurements stay in the tree."""


_SAID_ELSEWHERE = ("lumos_version", "urn")


def list_unmapped() -> tuple[str, ...]:
    """The keys of an observation that are not mapped."""
    at_home = [home.ours.replace("[]", "") for _, home in HOMES]
    found = []
    for name, key in keys_of(Observation).items():
        inner = keys_of(key.item) if key.holds is Holds.OBJECT and key.item else ()
        found += [f"{name}.{one}" for one in inner] or [name]
    return tuple(
        one
        for one in found
        if one not in _SAID_ELSEWHERE and not any(home.startswith(one) for home in at_home)
    )


class Point(NamedTuple):
    """One point of a series."""

    entity: str
    urn: str
    aspect: str
    value: Aspect


def points(reading: ObservedDataset, names: UrnMapper) -> Iterator[Point]:
    """The points of an observation; none if DataHub does not support the dataset."""
    scope = scope_of(reading.snapshot, SNAPSHOT, names)
    when = millis(reading.observation.get("observed_at"))
    if when is None or not fits(scope.urn):
        return
    profile = _profile(reading.observation, reading.snapshot, scope)
    if profile:
        yield Point("dataset", scope.urn, PROFILE, _at(when, profile))
    modified = millis(reading.observation.get("data", {}).get("last_modified"))
    if modified is not None:
        update = {"operationType": "UPDATE", "lastUpdatedTimestamp": modified}
        yield Point("dataset", scope.urn, OPERATION, _at(modified, update))
    yield from _runs(reading, scope, when)


def _at(when: int, value: Aspect) -> Aspect:
    return {"timestampMillis": when, "partitionSpec": _WHOLE, **value}


def _profile(measured: Document, snapshot: JsonObject, scope: Scope) -> Aspect:
    data = measured.get("data", {})
    fields = [_field(one, scope) for one in measured.get("fields", ())]
    counted = drop_none(rowCount=data.get("rows"), sizeInBytes=data.get("bytes"))
    if fields:
        counted["fieldProfiles"] = fields
    columns = snapshot.get("schema", {}).get("fields")
    return {**counted, "columnCount": len(columns)} if counted and columns else counted


def _field(one: JsonObject, scope: Scope) -> Aspect:
    return drop_none(
        fieldPath=scope.field(one["path"]),
        nullCount=one.get("nulls"),
        uniqueCount=one.get("distinct"),
    )


def _runs(reading: ObservedDataset, scope: Scope, when: int) -> Iterator[Point]:
    """The results of checks that are in the snapshot, and therefore assertions in DataHub."""
    known = {one["name"] for one in reading.snapshot.get("quality", {}).get("checks", ())}
    for one in reading.observation.get("quality", {}).get("checks", ()):
        if one["name"] in known:
            urn, at = assertion_urn(one["name"], scope), millis(one.get("at"))
            run = _run(one, urn, scope)
            yield Point("assertion", urn, RUN, _at(when if at is None else at, run))


def _run(one: JsonObject, urn: str, scope: Scope) -> Aspect:
    result: dict[str, object] = {"type": "SUCCESS" if one["passed"] else "FAILURE"}
    if "value" in one:
        result["nativeResults"] = {"value": one["value"]}
    return {
        "runId": "lumos",
        "asserteeUrn": scope.urn,
        "assertionUrn": urn,
        "status": "COMPLETE",
        "result": result,
    }
