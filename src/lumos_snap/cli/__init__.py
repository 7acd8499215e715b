"""The command line: parse, call one flow, render, exit."""

import gc
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    try:
        from lumos_snap.cli.app import run  # noqa: PLC0415 - Ctrl-C may come while it is loaded
    except KeyboardInterrupt:
        return 130
    # Commands are short and make few cycles: looking for them takes longer than they are large.
    gc.set_threshold(100_000, 50, 50)
    return run(arguments)
