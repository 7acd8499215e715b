"""What a scan is asked to do, and whom it tells how far it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from lumos_snap.config.settings import EngineName

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOptions:
    """What a scan is asked to do."""

    sources: Sequence[str] = ()
    """Names of sources, or folders; all of `lumos.yaml` where nothing is named."""
    only: Sequence[str] = ()
    write: bool = True
    prune: bool = False
    prune_max: int | None = None
    reinfer: bool = False
    commit: bool = False
    message: str | None = None
    branch: str | None = None
    engine: EngineName | None = None
    """What reads files; left out: Spark where one of the next three is given, else `lumos.yaml`."""
    master: str | None = None
    conf: Sequence[str] = ()
    """Settings of Spark, each as NAME=VALUE."""
    session: "SparkSession | None" = None


class ScanStage(StrEnum):
    """The parts of a scan, in this order."""

    WAITING = "waiting"
    LISTED = "listed"
    GROUPED = "grouped"
    READ = "read"
    MERGED = "merged"
    WRITTEN = "written"
    CACHED = "cached"


class ScanProgress(Protocol):
    """Is told how much of a stage is done, of how much where that is known."""

    def __call__(
        self, stage: ScanStage, done: int, total: int | None, pages: int = 0, *, note: str = ""
    ) -> None:
        """Take it in; `pages` is how many answers of stores that took.

        While a scan waits for a cluster, `done` and `total` are seconds, and `note` says for what.
        """


def ignore_progress(
    stage: ScanStage, done: int, total: int | None, pages: int = 0, *, note: str = ""
) -> None:
    """For callers who do not want to know."""
    del stage, done, total, pages, note
