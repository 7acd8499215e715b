"""The sections that people, enrichers and catalogs write: words about a dataset and its fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from lumos_snap.model.names import Amount, Day, UrnText
from lumos_snap.shape import Keyed, Maybe, Natural, Text, Unordered, Value

G = TypeVar("G", bound=Mapping[str, Any])
Words = Annotated[tuple[Text, ...], Unordered()]


class Lifecycle(StrEnum):
    """How much a dataset promises."""

    DRAFT = "draft"
    BETA = "beta"
    STABLE = "stable"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldContract(Value):
    """What is promised about one field."""

    path: Text
    id: Maybe[Natural] = None
    renamed_from: Maybe[Text] = None
    deprecated: Maybe[Text] = None
    sunset: Maybe[Day] = None
    default: Maybe[Text] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract(Value):
    """What consumers may rely on."""

    lifecycle: Maybe[Lifecycle] = None
    gate: Maybe[Literal["on", "off"]] = None
    readers: tuple[str, ...] = ()
    renamed_from: Maybe[UrnText] = None
    deprecated: Maybe[Text] = None
    sunset: Maybe[Day] = None
    replaced_by: Maybe[UrnText] = None
    fields: Annotated[tuple[FieldContract, ...], Keyed("path")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnEdge(Value):
    """One column that another is made from; without `from`, it is made from nothing upstream."""

    from_: Maybe[Text] = None
    to: Text
    transformation: Maybe[Text] = None
    confidence: Maybe[Amount] = None


class EdgeType(StrEnum):
    """How data gets from one dataset to another."""

    TRANSFORMED = "TRANSFORMED"
    COPIED = "COPIED"
    VIEW = "VIEW"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge(Value):
    """A dataset that this one is made from. An origin touches only its own edges."""

    urn: UrnText
    type: Maybe[EdgeType] = None
    via: Maybe[Text] = None
    origin: Maybe[Text] = None
    confidence: Maybe[Amount] = None
    share: Maybe[Amount] = None
    description: Maybe[Text] = None
    columns: Annotated[tuple[ColumnEdge, ...], Keyed("to", "from")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage(Value):
    """Where the data comes from. What is made from it is derived from other snapshots."""

    upstream: Annotated[tuple[Edge, ...], Keyed("urn", "origin", "via")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner(Value):
    """A user or a group, and the role in which it owns."""

    SCHEMA_EXTRA: ClassVar[Mapping[str, object]] = {
        "oneOf": [{"required": ["user"]}, {"required": ["group"]}]
    }

    user: Maybe[Text] = None
    group: Maybe[Text] = None
    type: Maybe[Text] = None
    description: Maybe[Text] = None

    @staticmethod
    def consistent(given: G) -> G:
        """An owner is one thing."""
        if ("user" in given) == ("group" in given):
            raise ValueError("an owner is either a `user` or a `group`")
        return given


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership(Value):
    """Who answers for the dataset."""

    owners: Annotated[tuple[Owner, ...], Keyed("user", "group", "type")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldGovernance(Value):
    """How one field must be treated."""

    path: Text
    id: Maybe[Natural] = None
    pii: Maybe[bool] = None
    classification: Maybe[Text] = None
    masking: Maybe[Text] = None
    tags: Words = ()
    terms: Words = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Governance(Value):
    """How the dataset must be treated, and what it belongs to."""

    domain: Maybe[Text] = None
    classification: Maybe[Text] = None
    pii: Maybe[bool] = None
    license: Maybe[Text] = None
    retention: Maybe[Text] = None
    access: Maybe[Text] = None
    tags: Words = ()
    terms: Words = ()
    compliance: Words = ()
    fields: Annotated[tuple[FieldGovernance, ...], Keyed("path")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDocumentation(Value):
    """What people say about one field."""

    path: Text
    id: Maybe[Natural] = None
    title: Maybe[Text] = None
    description: Maybe[Text] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link(Value):
    """A page about the dataset."""

    url: Text
    label: Maybe[Text] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Documentation(Value):
    """What people say about the dataset; it wins over the source's own words on display."""

    title: Maybe[Text] = None
    description: Maybe[Text] = None
    business_context: Maybe[Text] = None
    links: Annotated[tuple[Link, ...], Keyed("url")] = ()
    fields: Annotated[tuple[FieldDocumentation, ...], Keyed("path")] = ()


class Severity(StrEnum):
    """What a failed check means."""

    INFO = "info"
    WARNING = "warning"
    BLOCKING = "blocking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Value):
    """An assertion about the data."""

    name: Text
    type: Maybe[Text] = None
    field: Maybe[Text] = None
    expression: Maybe[Text] = None
    threshold: Maybe[Text] = None
    severity: Maybe[Severity] = None
    origin: Maybe[Text] = None
    description: Maybe[Text] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality(Value):
    """What is checked about the data. Results are observations."""

    minimum_score: Maybe[Amount] = None
    checks: Annotated[tuple[Check, ...], Keyed("name")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sla(Value):
    """What consumers are promised over time; durations in ISO 8601."""

    freshness: Maybe[Text] = None
    latency: Maybe[Text] = None
    availability: Maybe[Amount] = None
    completeness: Maybe[Amount] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(Value):
    """When the dataset is made."""

    cron: Maybe[Text] = None
    every: Maybe[Text] = None
    timezone: Maybe[Text] = None
    sla: Sla = field(default_factory=Sla)
