"""The severity of a change, its version step, and the families of rules."""

from enum import IntEnum, StrEnum


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
