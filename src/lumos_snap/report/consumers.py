"""The impact of a change on downstream datasets."""

from enum import StrEnum
from typing import Annotated

from lumos_snap.schema import Maybe, Natural, Text, Value, value_class


class Compatibility(StrEnum):
    """The compatibility of a consumer with a change."""

    BREAKING = "BREAKING"
    AT_RISK = "AT RISK"
    COMPATIBLE = "COMPATIBLE"


@value_class
class Consumer(Value):
    """A downstream dataset of a changed one."""

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
    """The consumers affected by one change, and advice."""

    consumers: Annotated[tuple[Consumer, ...], "the hardest hit first, then the nearest"]
    complete: Annotated[bool, "whether all are listed; of very many, only the nearest are"] = True
    advice: Annotated[tuple[str, ...], "what to do, in order"] = ()


@value_class
class Reach(Value):
    """The reach of all changes of a diff."""

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
