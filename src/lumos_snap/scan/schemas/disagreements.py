"""What schemas say differently of one column: noticed here, put into words by who reports it."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, TypeVar

from lumos_snap.model.field_path import FieldPath, format_path
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import DataType, Field
from lumos_snap.scan.schemas.common_type import Parameters

T = TypeVar("T", bound=DataType)
Told: TypeAlias = Sequence[tuple[int, T]]
"""Types, each with which of the schemas says it."""


class Opinion(NamedTuple):
    """What some of the schemas say of a column."""

    says: str
    schemas: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A column whose type, or whose name where ids tell columns apart, is not the same in all."""

    path: str
    opinions: tuple[Opinion, ...]
    became: DataType | None = None
    """What holds the values of all; nothing where only names differ."""


@dataclass(slots=True)
class Differences:
    """Everything that was noticed in one uniting."""

    disagreements: list[Disagreement] = field(default_factory=list)
    lacking: dict[tuple[int, ...], list[str]] = field(default_factory=dict)
    renumbered: list[str] = field(default_factory=list)

    def in_type(self, path: FieldPath, told: Told[DataType], became: Parameters) -> None:
        """Notice who says which type."""
        opinions = _opinions((which, format_type(one)) for which, one in told)
        if len(opinions) > 1:
            found = Disagreement(format_path(path), opinions, DataType(**became))
            self.disagreements.append(found)

    def in_name(self, path: FieldPath, told: Told[Field]) -> None:
        """Notice what a column is called, which its id tells to be one."""
        if len({one.name for _, one in told}) > 1:
            opinions = _opinions((which, f"called {one.name}") for which, one in told)
            self.disagreements.append(Disagreement(format_path(path), opinions))

    def in_id(self, path: FieldPath, told: Told[Field], contested: Collection[int]) -> None:
        """Notice a column whose id is another elsewhere, or stands for another column there."""
        ids = {one.id for _, one in told if one.id is not None}
        if len(ids) > 1 or not ids.isdisjoint(contested):
            self.renumbered.append(format_path(path))

    def in_presence(self, path: FieldPath, told: Told[Field], everybody: Iterable[int]) -> None:
        """Notice who lacks a column."""
        lacking = set(everybody).difference(which for which, _ in told)
        if lacking:
            self.lacking.setdefault(tuple(sorted(lacking)), []).append(format_path(path))


def _opinions(told: Iterable[tuple[int, str]]) -> tuple[Opinion, ...]:
    said: dict[str, set[int]] = {}
    for which, says in told:
        said.setdefault(says, set()).add(which)
    return tuple(Opinion(says, tuple(sorted(who))) for says, who in sorted(said.items()))
