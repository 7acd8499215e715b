"""Options of a scan, and its progress callback."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from lumos_snap.config.settings import EngineName

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOptions:
    """Options of a scan."""

    sources: Sequence[str] = ()
    """Names of sources, or folders; by default all of `lumos.yaml`."""
    only: Sequence[str] = ()
    write: bool = True
    prune: bool = False
    prune_max: int | None = None
    reinfer: bool = False
    commit: bool = False
    message: str | None = None
    branch: str | None = None
    engine: EngineName | None = None
    """Engine that reads files; default: Spark with one of the next three, else `lumos.yaml`."""
    master: str | None = None
    conf: Sequence[str] = ()
    """Spark settings, each as NAME=VALUE."""
    session: "SparkSession | None" = None


class ScanStage(StrEnum):
    """The stages of a scan, in this order."""

    WAITING = "waiting"
    LISTED = "listed"
    GROUPED = "grouped"
    READ = "read"
    MERGED = "merged"
    WRITTEN = "written"
    CACHED = "cached"


class ScanProgress(Protocol):
    """Callback for the progress of a stage; the total is None where unknown."""

    def __call__(
        self, stage: ScanStage, done: int, total: int | None, pages: int = 0, *, note: str = ""
    ) -> None:
        """Report progress; `pages` is the number of list requests to stores.

        While a scan waits for a cluster, `done` and `total` are seconds, and `note` is the reason.
        """


def ignore_progress(
    stage: ScanStage, done: int, total: int | None, pages: int = 0, *, note: str = ""
) -> None:
    """Ignore progress."""
    del stage, done, total, pages, note
