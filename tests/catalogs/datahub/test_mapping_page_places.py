"""Each row of the page, held against what is really written: the value stands where it says."""

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import ObservedDataset
from lumos_snap.catalogs.datahub import quality
from lumos_snap.catalogs.datahub.aspect import Home
from lumos_snap.catalogs.datahub.aspect_registry import TABLES, KindMapping
from lumos_snap.catalogs.datahub.custom_properties import PREFIX
from lumos_snap.catalogs.datahub.mapping import to_aspects
from lumos_snap.catalogs.datahub.mapping_page import homes, texts
from lumos_snap.catalogs.datahub.observations import HOMES, KEPT, points
from lumos_snap.catalogs.datahub.settings import NamingSettings, PropertyDefinition
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.schema import value_of

Document = dict[str, Any]
IDENTITY = UrnMapper(
    NamingSettings(instance="eu", structured={"cost-center": PropertyDefinition()})
)
_LINKS = [{"url": "https://wiki/x", "label": "Handbook"}]
_OWNERS = {"owners": [
    {"user": "jane", "type": "TECHNICAL_OWNER", "description": "until May"},
    {"group": "team", "type": "TECHNICAL_OWNER"},
]}  # fmt: skip

SNAPSHOT: Document = {
    "lumos_version": "1.0.0",
    "urn": "lumos://s3/lake/clicks",
    "name": "clicks",
    "platform": "s3",
    "kind": "VIEW",
    "storage": {
        "description": "As it lies there",
        "definition": "SELECT 1",
        "partitioning": [{"name": "day", "type": "DATE"}],
    },
    "schema": {
        "fields": [
            {"name": "id", "type": "INT64", "nullable": False, "description": "A number", "id": 7},
            {"name": "note", "type": "STRING", "nullable": True},
        ],
        "key_fields": [{"name": "k", "type": "STRING", "nullable": False}],
        "primary_key": ["id"],
        "foreign_keys": [{"urn": "lumos://s3/lake/a", "columns": ["id"], "to": ["id"]}],
    },
    "contract": {
        "deprecated": "Use orders", "sunset": "2027-01-01", "replaced_by": "lumos://s3/lake/orders",
    },
    "lineage": {"upstream": [{
        "urn": "lumos://kafka/prod/clicks", "type": "COPIED", "via": "load", "origin": "dbt",
        "confidence": "0.5", "share": "0.25", "description": "hourly",
        "columns": [{"from": "key", "to": "id", "transformation": "CAST", "confidence": "0.5"}],
    }]},
    "ownership": _OWNERS,
    "governance": {
        "domain": "web", "tags": ["raw"], "terms": ["click"],
        "fields": [{"path": "id", "tags": ["secret"], "terms": ["key"]}],
    },
    "documentation": {
        "title": "Clicks", "description": "What people click", "links": _LINKS,
        "fields": [{"path": "id", "description": "Said by people"}],
    },
    "quality": {"checks": [{
        "name": "sound", "type": "not_null", "field": "id", "expression": "id > 0",
        "description": "Never nothing", "threshold": "0.9", "severity": "blocking", "origin": "dbt",
    }]},
    "properties": {"cost-center": "42", "note": "x"},
}  # fmt: skip
_ENTITY = {"lumos_version": "1.0.0", "id": "one", "name": "One", "description": "Of many"}
SAMPLES: Mapping[str, Document] = {
    "snapshot": SNAPSHOT,
    "user": {
        **_ENTITY, "email": "a@example.com", "title": "Engineer", "active": False,
        "groups": ["team"], "properties": {"a": "b"},
    },
    "group": {**_ENTITY, "email": "a@example.com", "members": ["jane"]},
    "term": {
        **_ENTITY, "parent": "two", "domain": "web", "source": "ISO", "related": ["three"],
        "ownership": _OWNERS, "properties": {"a": "b"},
    },
    "domain": {**_ENTITY, "parent": "two", "ownership": _OWNERS, "properties": {"a": "b"}},
    "job": {
        **_ENTITY, "type": "BATCH", "code": "https://git/x", "inputs": ["lumos://s3/lake/a"],
        "outputs": ["lumos://s3/lake/b"], "links": _LINKS, "ownership": _OWNERS,
        "properties": {"a": "b"},
    },
    "tag": {**_ENTITY, "color": "#d73a4a", "ownership": _OWNERS},
    "property": {**_ENTITY, "type": "number", "multiple": True, "values": ["1"]},
}  # fmt: skip
"""A document of each kind that says every key that has a place."""
_NOT_READ = ("name", "urn", "platform", "id")
"""What follows from the urn: it cannot be left out."""
_REQUIRED = ("schema.fields[].name", "schema.fields[].nullable", "schema.fields[].type")

ROWS = [
    pytest.param(table, aspect, home, id=f"{table.kind.name} {aspect} {home.ours}")
    for table in TABLES.values()
    for aspect, home in homes(table)
]


def test_each_sample_is_a_document() -> None:
    for name, sample in SAMPLES.items():
        cls = TABLES[name].kind.cls
        value_of(sample, cls)
        assert canonical_document(sample, cls)


@pytest.mark.parametrize(("table", "aspect", "home"), ROWS)
def test_what_a_row_names_stands_there_and_only_because_of_it(
    table: KindMapping, aspect: str, home: Home
) -> None:
    sample = SAMPLES[table.kind.name]
    assert list(said_at(sample, home.ours)), "the sample says it"
    there = found_at(table, sample, aspect, home)
    assert there
    if home.ours in _NOT_READ or home.ours in _REQUIRED:
        return
    assert found_at(table, without(sample, home.ours), aspect, home) != there


def found_at(table: KindMapping, document: Document, aspect: str, home: Home) -> list[Any]:
    """What is written at a row's place, in the entity or one beside it."""
    theirs = to_aspects(document, table.kind, IDENTITY)
    beside = [held[aspect] for held in theirs.companions.values() if aspect in held]
    own = [theirs.aspects[aspect]] if aspect in theirs.aspects else []
    return [
        found
        for one in (beside if aspect == quality.ASPECT else own)
        for found in at(one, home.theirs)
    ]


def at(held: Any, place: str) -> Iterator[Any]:
    """What stands at a place such as `tags[].tag`, `domains[0]` or `properties[lumos.edges]`."""
    steps = re.findall(r"\[[^\]]*\]|[^.\[\]]+", place)
    found = [held]
    for step in steps:
        found = [inner for one in found for inner in _within(one, step)]
    yield from (one for one in found if one not in (None, "", [], {}))


def _within(one: Any, step: str) -> Iterator[Any]:
    if step == "[]":
        yield from one if isinstance(one, list) else ()
    elif step.startswith("["):
        name = step[1:-1]
        if isinstance(one, list):
            yield from one[int(name) : int(name) + 1]
        elif isinstance(one, dict) and name in one:
            yield one[name]
    elif isinstance(one, dict) and step in one:
        yield one[step]


def said_at(document: Document, ours: str) -> Iterator[Any]:
    if ours.endswith("…"):
        yield from (one for one in document["schema"]["fields"] if one.keys() - {"name", "type"})
    else:
        yield from at(document, ours)


def without(document: Document, ours: str) -> Document:
    """The document without a key of it."""
    found = copy.deepcopy(document)
    path, _, last = ours.rstrip("…").rstrip("[]").rpartition(".")
    if ours.endswith("…"):
        del found["schema"]["fields"][0]["id"]
        return found
    for holder in at(found, path) if path else [found]:
        holder.pop(last, None)
    return _sound(found)


def _sound(document: Document) -> Document:
    """Without items that say nothing but what they are about, or not even that."""
    for owner in document.get("ownership", {}).get("owners", ()):
        if not owner.keys() & {"user", "group"}:
            owner["user"] = "somebody-else"
    for edge in document.get("lineage", {}).get("upstream", ()):
        edge.setdefault("urn", "lumos://s3/lake/other")
        for column in edge.get("columns", ()):
            column.setdefault("from", "other")
            column.setdefault("to", "note")
    for link in (*document.get("documentation", {}).get("links", ()), *document.get("links", ())):
        link.setdefault("url", "https://wiki/other")
    for check in document.get("quality", {}).get("checks", ()):
        check.setdefault("name", "other")
    return document


@pytest.mark.parametrize("path", texts(TABLES["snapshot"]))
def test_every_text_row_has_a_name_of_its_own(path: str) -> None:
    at_home = {home.theirs for _, home in homes(TABLES["snapshot"])}
    assert f"customProperties[{PREFIX}{path}]" not in at_home


OBSERVATION: Document = {
    "urn": SNAPSHOT["urn"],
    "observed_at": "2026-01-15T10:00:00Z",
    "data": {"rows": 3, "bytes": 4, "last_modified": "2026-01-14T10:00:00Z"},
    "fields": [{"path": "id", "nulls": 1, "distinct": 2}],
    "quality": {
        "checks": [{"name": "sound", "passed": True, "at": "2026-01-13T10:00:00Z", "value": "1"}]
    },
}


@pytest.mark.parametrize(("aspect", "home"), HOMES, ids=lambda one: getattr(one, "ours", one))
def test_what_was_measured_stands_where_its_row_says(aspect: str, home: Home) -> None:
    assert list(at(OBSERVATION, home.ours))
    there = _measured(OBSERVATION, aspect, home)
    assert there
    changed = copy.deepcopy(OBSERVATION)
    path, _, last = home.ours.rpartition(".")
    for holder in at(changed, path) if path else [changed]:
        if last == "passed":
            holder[last] = False
        else:
            del holder[last]
    assert _measured(changed, aspect, home) != there
    assert any(home.ours.startswith(one) for one in (*KEPT, "observed_at"))


def _measured(observation: Document, aspect: str, home: Home) -> list[Any]:
    found = points(ObservedDataset(observation, SNAPSHOT), IDENTITY)
    return [held for one in found if one.aspect == aspect for held in at(one.value, home.theirs)]
