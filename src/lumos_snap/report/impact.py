"""What a change does to the datasets that are made from what changed."""

from enum import StrEnum
from typing import Annotated, Literal

from lumos_snap.report.diff import Compared, LevelWord
from lumos_snap.report.envelope import Finding, Report
from lumos_snap.schema import Maybe, Natural, Text, Value, stored


class Compatibility(StrEnum):
    """How a consumer gets along with a change."""

    BREAKING = "BREAKING"
    AT_RISK = "AT RISK"
    COMPATIBLE = "COMPATIBLE"


@stored
class Consumer(Value):
    """A dataset that is made from one that changed."""

    urn: Text
    depth: Annotated[Natural, "how many edges away it is; 1 reads what changed itself"]
    through: Annotated[tuple[str, ...], "the datasets on the shortest way to it"] = ()
    columns: Annotated[tuple[str, ...], "its columns that are made from what changed"] = ()
    is_known: Annotated[bool, "whether lineage tells columns; otherwise only tables are known"]
    compatibility: Compatibility
    reason: Text
    owners: tuple[str, ...] = ()
    domain: Maybe[Text] = None
    tier: Maybe[Text] = None


@stored
class Impact(Value):
    """Who feels one change, and what to do about it."""

    consumers: Annotated[tuple[Consumer, ...], "the hardest hit first, then the nearest"]
    complete: Annotated[bool, "whether all are listed; of very many, only the nearest are"] = True
    advice: Annotated[tuple[str, ...], "what to do, in order"] = ()


@stored
class Reach(Value):
    """How far all changes of a diff reach."""

    touched: Annotated[Natural, "datasets with a finding that is not informational"]
    affected: Annotated[Natural, "datasets downstream of them that break, or are at risk"]
    teams: Annotated[tuple[str, ...], "who owns those; a person where no team does"] = ()
    says: Annotated[Text, "all of it in a sentence"]

    @classmethod
    def over(cls, touched: int, affected: int, teams: tuple[str, ...]) -> "Reach":
        """The reach of some changes, with its sentence."""
        says = f"This change touches {_counted(touched, 'dataset')} and affects "
        says += _counted(affected, "downstream dataset") if affected else "no downstream dataset"
        says += f" of {_counted(len(teams), 'team')}" if teams else ""
        return cls(touched=touched, affected=affected, teams=teams, says=says)


def _counted(number: int, one: str) -> str:
    return f"{number:,} {one if number == 1 else one + 's'}"


@stored
class Affecting(Value):
    """One change and who feels it; without a finding, what would be if it were removed."""

    urn: Text
    field: Annotated[Maybe[Text], "the field path; none for the whole dataset"] = None
    reads_itself: Annotated[bool, "whether the dataset is made from itself, day by day"] = False
    fingerprint: Annotated[Maybe[Text], "of the finding"] = None
    rule: Annotated[Maybe[Text], "the id of its rule"] = None
    slug: Annotated[Maybe[Text], "the name of its rule"] = None
    level: Maybe[LevelWord] = None
    message: Annotated[Maybe[Text], "what changed"] = None
    impact: Impact


@stored
class Circle(Value):
    """Datasets that are made from each other, each from the one before it."""

    datasets: tuple[str, ...]


@stored
class Dangling(Value):
    """An edge that leads from a dataset that is not in the tree."""

    urn: Annotated[Text, "the dataset whose lineage names it"]
    upstream: Annotated[Text, "what is not in the tree"]


@stored
class MostRead(Value):
    """A dataset, and how many datasets are made from it directly."""

    urn: Text
    readers: Natural


@stored
class Overview(Value):
    """The lineage of a whole tree in numbers."""

    datasets: Natural
    edges: Natural
    read_themselves: Annotated[Natural, "datasets that are made from themselves, day by day"]
    most_read: Annotated[tuple[MostRead, ...], "the most read ones first"]


@stored
class ImpactAnswer(Report):
    """The answer of `lumos snap impact`."""

    report: Literal["impact"] = "impact"
    source: Annotated[Text, "where lineage was read"]
    base: Annotated[Maybe[Compared], "what was compared with, if anything was"] = None
    changes: tuple[Affecting, ...]
    reach: Annotated[Maybe[Reach], "how far all of them reach; none where nothing changed"] = None
    overview: Annotated[Maybe[Overview], "where nothing was asked for by name"] = None
    cycles: Annotated[tuple[Circle, ...], "circles of lineage that were met"] = ()
    dangling: Annotated[tuple[Dangling, ...], "edges from what is not in the tree"] = ()
    findings: Annotated[tuple[Finding, ...], "files that cannot be read"] = ()
