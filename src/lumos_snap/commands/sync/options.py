"""What somebody asks of a sync."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lumos_snap.tree.selection import matches_glob

Progress = Callable[[str, int, int], None]
"""Is told the stage, and how many documents of how many are done."""


def ignore_progress(_stage: str, _done: int, _total: int) -> None:
    """Nobody waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncOptions:
    """Which catalog, which part of it, and how much may go."""

    catalog: str | None = None
    """Its name in `lumos.yaml`; left out: the only one there."""
    only: tuple[str, ...] = ()
    """Patterns of identities; none: all documents."""
    sections: tuple[str, ...] = ()
    deletes: int | None = None
    """How many documents may be deleted; left out: few."""
    fetch: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)
    """Where credentials are."""

    def wants(self, identity: str) -> bool:
        """Whether a document is meant."""
        return not self.only or any(matches_glob(identity, glob) for glob in self.only)
