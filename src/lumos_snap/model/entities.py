"""Entities that snapshots refer to: users, groups, terms, domains, jobs, tags, properties."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal

from lumos_snap.model.curated_metadata import Link, Ownership
from lumos_snap.model.scalars import FormatVersion, UrnText, Words
from lumos_snap.schema import Json, Keyed, Maybe, Text, Unordered, Value, value_class

Urns = Annotated[tuple[UrnText, ...], Unordered()]
Properties = Annotated[Mapping[str, Json], "what else is known, by name"]
Owned = Annotated[Ownership, "who answers for it"]


@value_class
class Entity(Value):
    """An entity with an id that snapshots refer to."""

    lumos_version: Annotated[FormatVersion, "the version of the format of this document"]
    id: Annotated[Text, "what snapshots name it by"]
    name: Annotated[Maybe[Text], "a name for people"] = None
    description: Annotated[Maybe[Text], "what it is"] = None


@value_class
class User(Entity):
    """A person."""

    email: Annotated[Maybe[Text], "where the person can be written to"] = None
    title: Annotated[Maybe[Text], "what the person does, as in Data Engineer"] = None
    active: Annotated[Maybe[bool], "whether the person still works here"] = None
    groups: Annotated[Words, "the ids of the teams that the person is in"] = ()
    properties: Properties = field(default_factory=dict)


@value_class
class Group(Entity):
    """A team."""

    email: Annotated[Maybe[Text], "where the team can be written to"] = None
    members: Annotated[Words, "the ids of the users in the team"] = ()
    properties: Properties = field(default_factory=dict)


@value_class
class Term(Entity):
    """A glossary term."""

    parent: Annotated[Maybe[Text], "the id of the term that this one is a kind of"] = None
    domain: Annotated[Maybe[Text], "the id of the part of the business that uses the word"] = None
    source: Annotated[Maybe[Text], "where the word is defined, as in a standard"] = None
    related: Annotated[Words, "the ids of terms to look at as well"] = ()
    ownership: Owned = field(default_factory=Ownership)
    properties: Properties = field(default_factory=dict)


@value_class
class Domain(Entity):
    """A business domain."""

    parent: Annotated[Maybe[Text], "the id of the domain that this one is a part of"] = None
    ownership: Owned = field(default_factory=Ownership)
    properties: Properties = field(default_factory=dict)


@value_class
class Job(Entity):
    """A job that reads and writes datasets."""

    platform: Annotated[Maybe[Text], "what runs it, as in airflow or spark"] = None
    type: Annotated[Maybe[Text], "the sort of job, as in BATCH or STREAMING"] = None
    schedule: Annotated[Maybe[Text], "when it runs, as a cron expression"] = None
    timezone: Annotated[Maybe[Text], "the zone that the schedule is read in"] = None
    code: Annotated[Maybe[Text], "where its code is"] = None
    inputs: Annotated[Urns, "the datasets that it reads"] = ()
    outputs: Annotated[Urns, "the datasets that it writes"] = ()
    links: Annotated[tuple[Link, ...], Keyed("url"), "pages about it: runbooks, dashboards"] = ()
    ownership: Owned = field(default_factory=Ownership)
    properties: Properties = field(default_factory=dict)


@value_class
class Tag(Entity):
    """A tag of datasets and fields."""

    color: Annotated[Maybe[Text], "what it is shown in, as in #d73a4a"] = None
    ownership: Owned = field(default_factory=Ownership)
    properties: Properties = field(default_factory=dict)


@value_class
class Property(Entity):
    """A property with a type in the catalog; defines valid values in `properties` of a snapshot."""

    type: Annotated[
        Maybe[Literal["text", "number", "date", "boolean", "urn"]], "what its values are"
    ] = None
    multiple: Annotated[bool, "whether a dataset may have several values of it"] = False
    values: Annotated[Words, "the values that it may have, where only some are allowed"] = ()
