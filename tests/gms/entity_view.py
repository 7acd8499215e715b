"""What is read of an entity, and how OpenAPI shows it."""

from collections.abc import Mapping
from typing import Any

import orjson

from tests.gms.models import is_series
from tests.gms.rows import Row
from tests.gms.state import State

Json = Any
Wanted = Mapping[str, int]
"""Aspects by name, each with the version that is asked for; 0 is the latest."""


def rows_of(state: State, urn: str, wanted: Wanted) -> dict[str, Row]:
    """The rows of some aspects, or of all of them."""
    series = state.store.series.aspects(urn)
    if not wanted:
        return {**state.store.aspects(urn), **series}
    rows = {
        name: series.get(name) if is_series(name) else state.store.version(urn, name, version)
        for name, version in wanted.items()
    }
    return {name: row for name, row in rows.items() if row is not None}


def as_entity(urn: str, rows: Mapping[str, Row], *, with_system: bool) -> dict[str, Json]:
    return {
        "urn": urn,
        **{name: as_aspect(row, with_system=with_system) for name, row in rows.items()},
    }


def as_aspect(row: Row, *, with_system: bool) -> dict[str, Json]:
    value = {"value": orjson.Fragment(row.value)}
    if not with_system:
        return value
    return {**value, "systemMetadata": row.system, "auditStamp": row.stamp.as_json()}
