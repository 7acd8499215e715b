"""The definition of a rule: levels of severity, version step, and family."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.diff import Action, Fact

if TYPE_CHECKING:
    from lumos_snap.rules.case import Case

# The severity of a change, its version step, and the families of rules.


class Level(IntEnum):
    """The effect of a change on consumers, in ascending order."""

    INFORMATIONAL = 0
    NON_BREAKING = 1
    BREAKING = 2
    SILENT = 3  # breaking without an error: engines return different values

    @property
    def word(self) -> str:
        """The name in reports: a silent change is a breaking one."""
        return _WORDS[min(self, Level.BREAKING)]

    @property
    def full_word(self) -> str:
        """The name in sentences, which distinguish silent from other breaking changes."""
        return "silent" if self is Level.SILENT else self.word

    @property
    def is_breaking(self) -> bool:
        """Whether a consumer fails or gets wrong results."""
        return self >= Level.BREAKING


_WORDS = {
    Level.INFORMATIONAL: "informational",
    Level.NON_BREAKING: "non-breaking",
    Level.BREAKING: "breaking",
}
BY_WORD = {**{word: level for level, word in _WORDS.items()}, "silent": Level.SILENT}
"""Levels by their names in policies."""


class Bump(IntEnum):
    """A step of a semantic version, in ascending order."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    @property
    def word(self) -> str:
        """The name in reports."""
        return self.name.lower()


class Family(StrEnum):
    """The subject area of a rule."""

    READERS = "readers"  # engines and queries: columns, types, keys, storage
    HISTORY = "history"  # the dataset over time: existence, lifecycle, versions
    GOVERNANCE = "governance"  # owners, classification, documentation
    OPERATIONS = "operations"  # lineage, checks, schedules, SLAs
    POLICY = "policy"  # policy requirements for the current state


class Preset(StrEnum):
    """The preset: which of a rule's levels applies."""

    DEFAULT = "default"
    HISTORY = "history"  # the new schema can read stored data
    CONSUMERS = "consumers"  # readers of the old schema can read new data
    STRICT = "strict"  # both
    DRAFT = "draft"  # the default levels, but nothing blocks


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
