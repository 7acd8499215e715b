"""What a change does to the datasets that are made from what changed."""

from enum import StrEnum
from typing import Annotated

from lumos_snap.schema import Maybe, Natural, Text, Value, value_class


class Compatibility(StrEnum):
    """How a consumer gets along with a change."""

    BREAKING = "BREAKING"
    AT_RISK = "AT RISK"
    COMPATIBLE = "COMPATIBLE"


@value_class
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


@value_class
class Impact(Value):
    """Who feels one change, and what to do about it."""

    consumers: Annotated[tuple[Consumer, ...], "the hardest hit first, then the nearest"]
    complete: Annotated[bool, "whether all are listed; of very many, only the nearest are"] = True
    advice: Annotated[tuple[str, ...], "what to do, in order"] = ()


@value_class
class Reach(Value):
    """How far all changes of a diff reach."""

    touched: Annotated[Natural, "datasets with a finding that is not informational"]
    affected: Annotated[Natural, "datasets downstream of them that break, or are at risk"]
    teams: Annotated[tuple[str, ...], "who owns those; a person where no team does"] = ()
    says: Annotated[Text, "all of it in a sentence"]

    @classmethod
    def over(cls, touched: int, affected: int, teams: tuple[str, ...]) -> "Reach":
        """The reach of some changes, with its sentence."""
        says = f"This change touches {_format_count(touched, 'dataset')} and affects "
        says += (
            _format_count(affected, "downstream dataset") if affected else "no downstream dataset"
        )
        says += f" of {_format_count(len(teams), 'team')}" if teams else ""
        return cls(touched=touched, affected=affected, teams=teams, says=says)


def _format_count(number: int, one: str) -> str:
    return f"{number:,} {one if number == 1 else one + 's'}"
