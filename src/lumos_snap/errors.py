"""The two ways in which work can fail, and the exit codes that every command uses.

Findings are values and never raised. What is raised is one line for a person: what, where, and
what to do about it. `lumos_snap.cli` is the one place that catches.
"""

from enum import IntEnum


class Exit(IntEnum):
    """What a process tells its caller."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    OUTSIDE = 3
    BUG = 70
    INTERRUPTED = 130


class LumosError(Exception):
    """The request cannot be carried out as it was made: usage or configuration."""

    exit_code = Exit.USAGE

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class OutsideError(LumosError):
    """The outside world failed, or a decision was impossible: disk, git, network."""

    exit_code = Exit.OUTSIDE


class InvalidError(LumosError):
    """A document is invalid, and the command works on valid ones only."""

    exit_code = Exit.FINDINGS


class CutOffError(LumosError):
    """Somebody pressed Ctrl-C where there is more to say than that."""

    exit_code = Exit.INTERRUPTED
