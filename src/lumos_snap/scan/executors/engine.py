"""The engine that reads files: Spark, or processes of this machine; fixed for a whole scan.

Both run the same function over the same files, so the snapshots are the same bytes.
"""

import logging
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.config.settings import EngineName
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.scan.executors.local import ReaderPool
from lumos_snap.scan.spark import job
from lumos_snap.scan.spark.cluster import DEFAULT_LIMIT, StartLimit
from lumos_snap.scan.spark.launch import HeadStart, access_settings
from lumos_snap.scan.spark.server.state import WarmServer, warm_server
from lumos_snap.scan.spark.session import (
    Diagnose,
    RunningSession,
    begin_head_start,
    is_free_to_choose,
    spark_session,
)
from lumos_snap.scan.spark.settings import locate_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_LOG = logging.getLogger(__name__)
_NO_ANSWER = "lumos: the Spark server cannot be used: %s; this scan starts Spark by itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkOptions:
    """The session that reads files: the caller's, or a new one."""

    session: "SparkSession | None" = None
    master: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    why_not: Diagnose
    """Diagnoses why Spark does not start."""
    limit: StartLimit = DEFAULT_LIMIT
    """Time limit for the start of a cluster."""


class EngineUse(NamedTuple):
    """The engine that a scan has used, where it ran, and how long the scan waited for its start."""

    name: EngineName
    place: str | None = None
    start_ms: int | None = None


@dataclass(slots=True)
class Engine:
    """The engine that reads files; started with the first file, and stopped with the stack."""

    name: EngineName
    spark: SparkOptions
    stack: ExitStack
    filesystems: list[str] = field(default_factory=list)
    """The HDFS clusters whose files it reads: Spark on a cluster gets a token for each."""
    _running: RunningSession | None = None
    _head: HeadStart | None = None
    _readers: ReaderPool | None = None
    _start_ms: int | None = None
    _warm: WarmServer | None = None
    _is_searched: bool = False
    _is_begun: bool = False

    def begin(self) -> None:
        """Start now, in parallel to the listing, because a file must be read; repeatable."""
        if self._is_begun:
            return
        self._is_begun = True
        if self.name == "local":
            self.readers()
        elif self._running is None and self._server() is None:
            self._head = begin_head_start(
                self.spark.session,
                master=self.spark.master,
                settings=self.spark.settings,
                stack=self.stack,
            )

    def readers(self) -> ReaderPool:
        """The processes of the local engine."""
        if self._readers is None:
            self._readers = ReaderPool(self.stack)
        return self._readers

    def settle(self) -> None:
        """Wait for the head start: two threads must not load PySpark at once."""
        if self._head is not None:
            self._head.awaited()

    def running(self, files: int = 0) -> RunningSession:
        """Return the session, started if needed; `files` is the number of files to read, or 0."""
        if self.name == "local":
            raise OutsideError(
                "only Spark can read this source", hint="leave out `--engine local` and its setting"
            )
        began = time.monotonic()
        self.settle()
        if self._running is None:
            self._running = self._on_warm_server() or self._started(files)
            if self._running.is_ours:
                self._start_ms = round((time.monotonic() - began) * 1000)
        return self._running

    def _started(self, files: int) -> RunningSession:
        said = self.spark.settings
        place = locate_spark(self.spark.master, said)
        before = job.settings_for(files) if place.is_local else {}
        access = access_settings(place, self.filesystems, said)
        return self.stack.enter_context(
            spark_session(
                self.spark.session,
                master=self.spark.master,
                settings={**before, **said, **access},
                why_not=self.spark.why_not,
                head=self._head,
                limit=self.spark.limit,
            )
        )

    def _on_warm_server(self) -> RunningSession | None:
        """Open a session on this user's Spark server; None if the server cannot be used."""
        server = self._server()
        if server is None:
            return None
        try:
            return self.stack.enter_context(
                spark_session(None, master=None, settings={}, why_not=lambda: None, warm=server)
            )
        except LumosError as exc:
            _LOG.warning(_NO_ANSWER, exc.message)
            return None

    def _server(self) -> WarmServer | None:
        """The Spark server of this user, unless another Spark is configured."""
        if self._is_searched:
            return self._warm
        self._is_searched = True
        if is_free_to_choose(self.spark.session, self.spark.master, self.spark.settings):
            self._warm = self.stack.enter_context(warm_server())
        return self._warm

    def used(self) -> EngineUse | None:
        """Return the engine that was used; None if no file had to be read."""
        if self._running is not None:
            return EngineUse("spark", self._running.place, self._start_ms)
        return EngineUse("local") if self._readers is not None and self._readers.have_read else None
