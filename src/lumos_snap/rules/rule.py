"""A rule: what a fact means. One row of a table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.diff import Action, Fact
from lumos_snap.rules.severity import Bump, Family, Level, Preset

if TYPE_CHECKING:
    from lumos_snap.rules.case import Case


@dataclass(frozen=True, slots=True)
class Condition:
    """When a row applies; `says` completes "where …"."""

    says: str
    holds: Callable[[Fact, "Case"], bool]


class Levels(NamedTuple):
    """The columns of the table."""

    default: Level
    backward: Level
    """Whether the new schema still reads stored data."""
    forward: Level
    """Whether readers of the old schema still read new data."""

    def under(self, preset: Preset) -> Level:
        """The level that a preset chooses."""
        if preset in (Preset.DEFAULT, Preset.DRAFT):
            return self.default
        if preset is Preset.HISTORY:
            return self.backward
        return self.forward if preset is Preset.CONSUMERS else max(self.backward, self.forward)


@dataclass(frozen=True, slots=True)
class Rule:
    """One row. The first row for a fact's subject and action whose condition holds is its rule."""

    id: str
    """Never changes its meaning, and is never used again."""
    slug: str
    on: tuple[str, ...]
    """The subjects of the facts that it is for."""
    actions: tuple[Action, ...]
    levels: Levels
    family: Family
    step: Bump
    """The version step of the change where it is not breaking."""
    message: str
    """What happened; `{path}`, `{item}`, `{old}`, `{new}` and others stand for the fact's own."""
    why: str
    fix: str
    when: Condition | None = None
    asks_readers: bool = False
    """Whether the readers of the dataset judge the pair of types: they may be more severe."""
