"""Options of a sync."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lumos_snap.tree.selection import matches_glob

Progress = Callable[[str, int, int], None]
"""Callback with the stage, the number of documents done, and the total."""


def ignore_progress(_stage: str, _done: int, _total: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncOptions:
    """The catalog, the selected documents and sections, and the limit of deletes."""

    catalog: str | None = None
    """Name of the catalog in `lumos.yaml`; default: the only one."""
    only: tuple[str, ...] = ()
    """Patterns of identities; empty for all documents."""
    sections: tuple[str, ...] = ()
    deletes: int | None = None
    """Maximum number of deletes; None for a small default."""
    fetch: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment variables, which contain credentials."""

    def wants(self, identity: str) -> bool:
        """Whether a document is selected."""
        return not self.only or any(matches_glob(identity, glob) for glob in self.only)
