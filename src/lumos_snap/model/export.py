"""The export: a whole tree as one portable document."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from lumos_snap.model.curated import Lineage
from lumos_snap.model.entities import Domain, Group, Job, Term, Urns, User
from lumos_snap.model.names import FormatVersion, Moment
from lumos_snap.model.observation import Observation
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.shape import Keyed, Maybe, Natural, Text, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedLineage(Lineage):
    """Lineage with the datasets that are made from this one, derived from their snapshots."""

    downstream: Urns = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedSnapshot(Snapshot):
    """A snapshot as an export carries it."""

    lineage: ExportedLineage = field(default_factory=ExportedLineage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics(Value):
    """What an export holds, counted."""

    datasets: Natural
    lineage_edges: Natural
    owners: Natural
    tags: Natural


@dataclass(frozen=True, slots=True, kw_only=True)
class Export(Value):
    """Everything that a tree says, in one document that imports back to identical bytes."""

    lumos_version: FormatVersion
    document: Literal["lumos-export"]
    export_timestamp: Maybe[Moment] = None
    source_platform: Maybe[Text] = None
    statistics: Statistics
    datasets: Annotated[tuple[ExportedSnapshot, ...], Keyed("urn")] = ()
    observations: Annotated[tuple[Observation, ...], Keyed("urn")] = ()
    glossary: Annotated[tuple[Term, ...], Keyed("id")] = ()
    users: Annotated[tuple[User, ...], Keyed("id")] = ()
    groups: Annotated[tuple[Group, ...], Keyed("id")] = ()
    domains: Annotated[tuple[Domain, ...], Keyed("id")] = ()
    jobs: Annotated[tuple[Job, ...], Keyed("id")] = ()
