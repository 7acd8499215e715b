"""What counts as the same aspect."""

# ruff: noqa: E501 - a pair on a line is read at a glance

from typing import Any

import pytest
from hypothesis import given

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs.datahub.aspect_merge import same_aspect
from lumos_snap.catalogs.datahub.mapping import to_aspects
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper
from tests.strategies import LAW
from tests.strategies.datahub import documents_of

STAMP = {"time": 5, "actor": "urn:li:corpuser:jdoe"}

SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "defaults": ({"customProperties": {}, "tags": [], "name": "a"}, {"name": "a"}),
    "null": ({"name": "a", "description": None}, {"name": "a"}),
    "stamps": ({"owners": [], "lastModified": STAMP}, {"owners": []}),
    "server's lists": ({"domains": ["a"], "domainAssociations": [{"domain": "a"}]}, {"domains": ["a"]}),
    "owner types": ({"owners": [{"owner": "a"}], "ownerTypes": {"x": ["a"]}}, {"owners": [{"owner": "a"}]}),
    "order of tags": ({"tags": [{"tag": "a"}, {"tag": "b"}]}, {"tags": [{"tag": "b"}, {"tag": "a"}]}),
    "order of fields' words": (
        {"editableSchemaFieldInfo": [{"fieldPath": "a", "description": "x"}, {"fieldPath": "b"}]},
        {"editableSchemaFieldInfo": [{"fieldPath": "b"}, {"fieldPath": "a", "description": "x"}]},
    ),
    "who added it": ({"tags": [{"tag": "a", "attribution": {"source": "x"}}]}, {"tags": [{"tag": "a"}]}),
    "32 bits": ({"confidenceScore": 0.8999999761581421}, {"confidenceScore": 0.9}),
    "nullable": ({"fields": [{"fieldPath": "a", "nullable": False}]}, {"fields": [{"fieldPath": "a"}]}),
}  # fmt: skip
OTHER: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "text": ({"name": "a"}, {"name": "b"}),
    "a text that looks like a default": (
        {"customProperties": {"version": "0"}}, {"customProperties": {}},
    ),
    "a property named like a stamp": ({"customProperties": {"created": "x"}}, {}),
    "nullable": ({"fields": [{"fieldPath": "a", "nullable": True}]}, {"fields": [{"fieldPath": "a"}]}),
    "order of columns": (
        {"fields": [{"fieldPath": "a"}, {"fieldPath": "b"}]},
        {"fields": [{"fieldPath": "b"}, {"fieldPath": "a"}]},
    ),
    "order of a key": ({"primaryKeys": ["a", "b"]}, {"primaryKeys": ["b", "a"]}),
    "type": (
        {"type": {"type": {"com.linkedin.schema.StringType": {}}}},
        {"type": {"type": {"com.linkedin.schema.NumberType": {}}}},
    ),
    "order of domains": ({"domains": ["a", "b"]}, {"domains": ["b", "a"]}),
    "removed": ({"removed": True}, {}),
    "what is said of an owner": (
        {"owners": [{"owner": "a", "attribution": {"sourceDetail": {"description": "x"}}}]},
        {"owners": [{"owner": "a"}]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_what_says_nothing_makes_no_difference(name: str) -> None:
    one, other = SAME[name]
    assert same_aspect(one, other)
    assert same_aspect(other, one)


@pytest.mark.parametrize("name", OTHER)
def test_what_says_something_does(name: str) -> None:
    one, other = OTHER[name]
    assert not same_aspect(one, other)
    assert not same_aspect(other, one)


def test_an_aspect_that_is_not_there_says_nothing() -> None:
    assert same_aspect(None, {"tags": []})
    assert not same_aspect(None, {"tags": [{"tag": "a"}]})


@LAW
@given(documents_of(SNAPSHOT), documents_of(SNAPSHOT))
def test_documents_that_differ_differ_in_some_aspect(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    identity = UrnMapper(NamingSettings())
    other = {**other, **{name: one[name] for name in ("urn", "name", "platform")}}
    first, second = (to_aspects(each, SNAPSHOT, identity) for each in (one, other))
    names = first.aspects.keys() | second.aspects.keys()
    same = all(same_aspect(first.aspects.get(n), second.aspects.get(n)) for n in names)
    is_same = same and first.companions == second.companions
    assert not first.aspects or is_same == (one == other)
