"""What DataHub's package knows of entities and aspects: names, shapes and keys."""

import functools
from collections.abc import Mapping
from typing import Any

from datahub.metadata.schema_classes import ASPECT_NAME_MAP, KEY_ASPECTS

from tests.gms.refusals import Refusal, Why
from tests.gms.shapes import AVRO, PEGASUS, shape_of
from tests.gms.values import Shape


@functools.cache
def _by_lower_case() -> Mapping[str, str]:
    return {name.lower(): name for name in ASPECT_NAME_MAP}


@functools.cache
def aspects_of(entity: str) -> tuple[str, ...]:
    """The aspects that an entity may have, its key first."""
    key = KEY_ASPECTS[entity]
    return (key.get_aspect_name(), *key.get_aspect_info()["entityAspects"])


def entities() -> tuple[str, ...]:
    """The kinds of entities."""
    return tuple(sorted(KEY_ASPECTS))


def is_entity(name: str) -> bool:
    return name in KEY_ASPECTS


def key_of(entity: str) -> str:
    """The name of the aspect that is the key of an entity."""
    return aspects_of(entity)[0]


def is_series(aspect: str) -> bool:
    """Whether an aspect is a series in time, of which none replaces another."""
    return ASPECT_NAME_MAP[aspect].get_aspect_type() == "timeseries"


@functools.cache
def aspect_named(name: str, entity: str) -> str:
    """The aspect as the model spells it; case plays no part. Refused where there is none."""
    found = _by_lower_case().get(name.lower())
    if found is None or found not in aspects_of(entity):
        raise Refusal(Why.INVALID, f"Unknown aspect {name} for entity {entity}")
    return found


@functools.cache
def shape(aspect: str, *, fills: bool) -> Shape:
    """What checks a value of an aspect."""
    return shape_of(ASPECT_NAME_MAP[aspect].RECORD_SCHEMA.to_json(), fills=fills)


def full_name(aspect: str) -> str:
    """The name of an aspect's record, as rest.li answers have it."""
    full: str = ASPECT_NAME_MAP[aspect].RECORD_SCHEMA.fullname
    return full.replace(AVRO, PEGASUS, 1)


def schema_version(aspect: str) -> int:
    return int(ASPECT_NAME_MAP[aspect].get_aspect_info().get("schemaVersion", 1))


@functools.cache
def key_fields(entity: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The fields of a key in the order in which a urn has them, with the symbols of enums."""
    fields: list[dict[str, Any]] = KEY_ASPECTS[entity].RECORD_SCHEMA.to_json()["fields"]
    return tuple((one["name"], _symbols(one["type"])) for one in fields)


def _symbols(schema: object) -> tuple[str, ...]:
    return tuple(schema.get("symbols", ())) if isinstance(schema, dict) else ()
