"""Ctrl-C while a catalog is written to: what was sent is known, and the rest can be done later."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lumos_snap.errors import CutOffError


@contextmanager
def resumable(journal: Path) -> Iterator[None]:
    """Say how it goes on, where there is something to go on with."""
    try:
        yield
    except KeyboardInterrupt as exc:
        if not journal.exists():
            raise
        raise CutOffError(
            "interrupted: nothing is half-written", hint="`lumos snap sync --resume` does the rest"
        ) from exc
