"""How much a change matters, and which step of a version it takes."""

from enum import IntEnum, StrEnum


class Level(IntEnum):
    """What a change does to those who rely on a dataset, the least first."""

    INFORMATIONAL = 0
    NON_BREAKING = 1
    BREAKING = 2
    SILENT = 3  # breaking, and no engine says so: other values are read

    @property
    def word(self) -> str:
        """The level's name in reports: a silent change is a breaking one."""
        return _WORDS[min(self, Level.BREAKING)]

    @property
    def full_word(self) -> str:
        """The level's name in sentences, which tell a silent change from a loud one."""
        return "silent" if self is Level.SILENT else self.word

    @property
    def is_breaking(self) -> bool:
        """Whether somebody's work fails or goes wrong."""
        return self >= Level.BREAKING


_WORDS = {
    Level.INFORMATIONAL: "informational",
    Level.NON_BREAKING: "non-breaking",
    Level.BREAKING: "breaking",
}
BY_WORD = {**{word: level for level, word in _WORDS.items()}, "silent": Level.SILENT}
"""Levels by the words that policies use."""


class Bump(IntEnum):
    """A step of a semantic version, the smallest first."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    @property
    def word(self) -> str:
        """The step's name in reports."""
        return self.name.lower()


class Family(StrEnum):
    """Whose concern a rule is."""

    READERS = "readers"  # engines and queries: columns, types, keys, storage
    HISTORY = "history"  # what a dataset is over time: existence, lifecycle, versions
    GOVERNANCE = "governance"  # owners, classification, documentation
    OPERATIONS = "operations"  # lineage, checks, schedules, promises over time
    POLICY = "policy"  # what a team asks of datasets as they stand


class Preset(StrEnum):
    """Which column of the table of rules decides."""

    DEFAULT = "default"
    HISTORY = "history"  # the new schema reads stored data
    CONSUMERS = "consumers"  # readers of the old schema read new data
    STRICT = "strict"  # both
    DRAFT = "draft"  # as the default, and nothing blocks
