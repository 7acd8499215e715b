"""The two kinds of errors, and the exit codes of all commands.

Findings are values and are never raised. An error is one line for a person: what failed, where,
and the fix. Only `lumos_snap.cli` catches them.
"""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    OUTSIDE = 3
    BUG = 70
    INTERRUPTED = 130


class LumosError(Exception):
    """The request cannot be carried out: usage or configuration error."""

    exit_code = Exit.USAGE

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class OutsideError(LumosError):
    """An external failure (disk, git, network), or a decision was impossible."""

    exit_code = Exit.OUTSIDE


class MissingPackageError(LumosError):
    """An optional package is not installed."""


class InvalidError(LumosError):
    """A document is invalid, and the command requires valid ones."""

    exit_code = Exit.FINDINGS


class CutOffError(LumosError):
    """The user pressed Ctrl-C, and there is more to report than that."""

    exit_code = Exit.INTERRUPTED
