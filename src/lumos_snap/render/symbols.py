"""The sign of a change: one for each level, and one for what nobody would notice."""

from typing import Protocol

from lumos_snap.report.diff import LevelWord

_SIGNS = {LevelWord.BREAKING: "✗", LevelWord.NON_BREAKING: "+", LevelWord.INFORMATIONAL: "·"}
_SILENT = "‼"


class Graded(Protocol):
    """What a report says how grave a change is."""

    @property
    def level(self) -> LevelWord:
        """Its level."""

    @property
    def silent(self) -> bool:
        """Whether other values are read and nothing fails."""


def sign(change: Graded) -> str:
    """What stands before a change in a list."""
    return _SILENT if change.silent else _SIGNS[change.level]
