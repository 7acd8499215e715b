"""The export: a whole tree as one portable document."""

from dataclasses import field
from typing import Annotated, Literal

from lumos_snap.model.entities import Domain, Group, Job, Property, Tag, Term, Urns, User
from lumos_snap.model.lineage import Lineage
from lumos_snap.model.observation import Observation
from lumos_snap.model.scalars import FormatVersion, Moment
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Keyed, Maybe, Natural, Text, Value, value_class


@value_class
class ExportedLineage(Lineage):
    """Lineage with the downstream datasets, which are derived from their snapshots."""

    downstream: Annotated[Urns, "the datasets that are made from it"] = ()


@value_class
class ExportedSnapshot(Snapshot):
    """A snapshot in an export."""

    lineage: Annotated[ExportedLineage, "where the data comes from, and where it goes"] = field(
        default_factory=ExportedLineage
    )


@value_class
class Statistics(Value):
    """The statistics of an export."""

    datasets: Annotated[Natural, "how many datasets it carries"]
    lineage_edges: Annotated[Natural, "how many upstream edges they have"]
    owners: Annotated[Natural, "how many different users and groups own them"]
    tags: Annotated[Natural, "how many different tags they carry"]


@value_class
class Export(Value):
    """The complete content of a tree in one document that imports back to identical bytes."""

    lumos_version: Annotated[FormatVersion, "the version of the format of this document"]
    document: Annotated[Literal["lumos-export"], "what tells an export from other documents"]
    export_timestamp: Annotated[Maybe[Moment], "when what it says was true"] = None
    source_platform: Annotated[Maybe[Text], "what it was exported from"] = None
    statistics: Annotated[Statistics, "what it holds, counted: `import` and `verify` compare it"]
    datasets: Annotated[tuple[ExportedSnapshot, ...], Keyed("urn"), "the snapshots"] = ()
    observations: Annotated[tuple[Observation, ...], Keyed("urn"), "what was measured"] = ()
    glossary: Annotated[tuple[Term, ...], Keyed("id"), "the words of the glossary"] = ()
    users: Annotated[tuple[User, ...], Keyed("id"), "the people that snapshots name"] = ()
    groups: Annotated[tuple[Group, ...], Keyed("id"), "the teams that snapshots name"] = ()
    domains: Annotated[tuple[Domain, ...], Keyed("id"), "the parts of the business"] = ()
    jobs: Annotated[tuple[Job, ...], Keyed("id"), "what makes datasets out of others"] = ()
    tags: Annotated[tuple[Tag, ...], Keyed("id"), "the marks that snapshots carry"] = ()
    properties: Annotated[
        tuple[Property, ...], Keyed("id"), "the custom properties that are defined"
    ] = ()
