"""What snapshots refer to: users, groups, glossary terms, domains, jobs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from lumos_snap.model.curated import Link, Ownership, Words
from lumos_snap.model.names import FormatVersion, UrnText
from lumos_snap.shape import Json, Keyed, Maybe, Text, Unordered, Value

Urns = Annotated[tuple[UrnText, ...], Unordered()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity(Value):
    """Anything with an id that a snapshot may name."""

    lumos_version: FormatVersion
    id: Text
    name: Maybe[Text] = None
    description: Maybe[Text] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class User(Entity):
    """A person."""

    email: Maybe[Text] = None
    title: Maybe[Text] = None
    active: Maybe[bool] = None
    groups: Words = ()
    properties: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Entity):
    """A team."""

    email: Maybe[Text] = None
    members: Words = ()
    properties: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Term(Entity):
    """A word of the glossary."""

    parent: Maybe[Text] = None
    domain: Maybe[Text] = None
    source: Maybe[Text] = None
    related: Words = ()
    ownership: Ownership = field(default_factory=Ownership)
    properties: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain(Entity):
    """A part of the business."""

    parent: Maybe[Text] = None
    ownership: Ownership = field(default_factory=Ownership)
    properties: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Entity):
    """What makes datasets out of others."""

    platform: Maybe[Text] = None
    type: Maybe[Text] = None
    schedule: Maybe[Text] = None
    code: Maybe[Text] = None
    inputs: Urns = ()
    outputs: Urns = ()
    links: Annotated[tuple[Link, ...], Keyed("url")] = ()
    ownership: Ownership = field(default_factory=Ownership)
    properties: Mapping[str, Json] = field(default_factory=dict)
