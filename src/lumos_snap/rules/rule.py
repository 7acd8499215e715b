"""The definition of a rule."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.diff import Action, Fact
from lumos_snap.rules.severity import Bump, Family, Level, Preset

if TYPE_CHECKING:
    from lumos_snap.rules.case import Case


@dataclass(frozen=True, slots=True)
class Condition:
    """When a rule applies; `says` completes "where …"."""

    says: str
    holds: Callable[[Fact, "Case"], bool]


class Levels(NamedTuple):
    """The levels of a rule, by compatibility direction."""

    default: Level
    backward: Level
    """Whether the new schema can read stored data."""
    forward: Level
    """Whether readers of the old schema can read new data."""

    def under(self, preset: Preset) -> Level:
        """The level under a preset."""
        if preset in (Preset.DEFAULT, Preset.DRAFT):
            return self.default
        if preset is Preset.HISTORY:
            return self.backward
        return self.forward if preset is Preset.CONSUMERS else max(self.backward, self.forward)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: the first one for a fact's subject and action whose condition holds applies."""

    id: str
    """Never changes its meaning, and is never reused."""
    slug: str
    on: tuple[str, ...]
    """The subjects of the facts that it is for."""
    actions: tuple[Action, ...]
    levels: Levels
    family: Family
    step: Bump
    """The version step of a change that is not breaking."""
    message: str
    """The message template; `{path}`, `{item}`, `{old}`, `{new}` and others refer to the fact."""
    why: str
    fix: str
    when: Condition | None = None
    asks_readers: bool = False
    """Whether the dataset's engines judge the pair of types: they may raise the level."""
