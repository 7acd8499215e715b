"""The report of `lumos snap impact`: consumers of a dataset, and the lineage of a whole tree."""

from typing import Annotated, Literal

from lumos_snap.report.consumers import Impact, Reach
from lumos_snap.report.diff import ComparedSide, LevelWord
from lumos_snap.report.envelope import FileFinding, Report
from lumos_snap.schema import Maybe, Natural, Text, Value, value_class


@value_class
class AffectingChange(Value):
    """One change and its impact; without a finding, the impact of a removal."""

    urn: Text
    field: Annotated[Maybe[Text], "the field path; none for the whole dataset"] = None
    reads_itself: Annotated[bool, "whether the dataset is made from itself, day by day"] = False
    fingerprint: Annotated[Maybe[Text], "of the finding"] = None
    rule: Annotated[Maybe[Text], "the id of its rule"] = None
    slug: Annotated[Maybe[Text], "the name of its rule"] = None
    level: Maybe[LevelWord] = None
    message: Annotated[Maybe[Text], "what changed"] = None
    impact: Impact


@value_class
class LineageCycle(Value):
    """A lineage cycle: each dataset is downstream of the one before it."""

    datasets: tuple[str, ...]


@value_class
class DanglingEdge(Value):
    """An edge from a dataset that is not in the tree."""

    urn: Annotated[Text, "the dataset whose lineage names it"]
    upstream: Annotated[Text, "what is not in the tree"]


@value_class
class MostRead(Value):
    """A dataset, and the number of its direct consumers."""

    urn: Text
    readers: Natural


@value_class
class Overview(Value):
    """The lineage of a whole tree in numbers."""

    datasets: Natural
    edges: Natural
    read_themselves: Annotated[Natural, "datasets that are made from themselves, day by day"]
    most_read: Annotated[tuple[MostRead, ...], "the most read ones first"]


@value_class
class ImpactReport(Report):
    """The report of `lumos snap impact`."""

    report: Literal["impact"] = "impact"
    source: Annotated[Text, "where lineage was read"]
    base: Annotated[Maybe[ComparedSide], "what was compared with, if anything was"] = None
    changes: tuple[AffectingChange, ...]
    reach: Annotated[Maybe[Reach], "how far all of them reach; none where nothing changed"] = None
    overview: Annotated[Maybe[Overview], "where nothing was asked for by name"] = None
    cycles: Annotated[tuple[LineageCycle, ...], "circles of lineage that were met"] = ()
    dangling: Annotated[tuple[DanglingEdge, ...], "edges from what is not in the tree"] = ()
    findings: Annotated[tuple[FileFinding, ...], "files that cannot be read"] = ()
