"""Looking at files: the table that the job works on, and what comes back."""

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.errors import LumosError
from lumos_snap.scan import job
from lumos_snap.scan.headstart import HeadStart
from lumos_snap.scan.nearby import FEW, Readers
from lumos_snap.scan.probe.reading import Asked, Line
from lumos_snap.scan.probe.store import Store
from lumos_snap.scan.probe.task import reading
from lumos_snap.scan.session import Diagnose, Running, begun, is_wanted, spark_session
from lumos_snap.scan.spool import Spool, Unread
from lumos_snap.scan.whereabouts import whereabouts

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

_A_JOB = 50_000
"""Files that one job looks at: what is sent and what comes back stay small, however many wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spark:
    """Which session looks at files: the caller's, or one of our own."""

    session: "SparkSession | None" = None
    master: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    why_not: Diagnose
    """Why it may not start."""


@dataclass(slots=True)
class Engine:
    """What looks at files, started when it is first needed, and ended with the stack.

    Few files are read on this machine; Spark reads many, and all where somebody has said where it
    runs, or it runs already.
    """

    spark: Spark
    stack: ExitStack
    _running: Running | None = None
    _head: HeadStart | None = None
    _readers: Readers | None = None

    def begin(self, files: int) -> None:
        """So many files, or more, are going to be looked at: what can be started before is."""
        if self.suffices(files):
            self.readers()
        elif self._running is None and self._head is None:
            self._head = begun(
                self.spark.session,
                master=self.spark.master,
                settings=self.spark.settings,
                stack=self.stack,
            )

    def suffices(self, files: int) -> bool:
        """Whether so many files are read without Spark."""
        if files > FEW or self._running is not None or not sys.executable:
            return False
        return not is_wanted(self.spark.session, self.spark.master, self.spark.settings)

    def readers(self) -> Readers:
        """The processes that read few files."""
        if self._readers is None:
            self._readers = Readers(self.stack)
        return self._readers

    def settle(self) -> None:
        """Wait for what was begun: two threads must not load PySpark at once."""
        if self._head is not None:
            self._head.awaited()

    def running(self, files: int = 0) -> Running:
        """The session; one of our own is told how many files wait, where that is known."""
        self.settle()
        if self._running is None:
            said = self.spark.settings
            is_here = whereabouts(self.spark.master, said).is_local
            self._running = self.stack.enter_context(
                spark_session(
                    self.spark.session,
                    master=self.spark.master,
                    settings={**(job.settings_for(files) if is_here else {}), **said},
                    why_not=self.spark.why_not,
                    head=self._head,
                )
            )
        return self._running


class Found(NamedTuple):
    """Evidence that files of one dataset give."""

    dataset: int
    evidence: str
    examples: Sequence[str]
    numbers: Sequence[int]
    rows: Sequence[int]


Looked = Callable[[int, int], None]
"""Is told how many files were looked at, of how many."""


def looked_at(
    spool: Spool, stores: Sequence[Store | None], engine: Engine, looked: Looked
) -> Iterator[Found]:
    """What files say; `stores` has the store of each dataset. Where nothing waits, nothing runs."""
    if not spool.count:
        return
    _require_arrow()
    several = tuple(dict.fromkeys(store for store in stores if store is not None))
    places = [several.index(store) if store is not None else 0 for store in stores]
    looked(0, spool.count)
    look = _nearby if engine.suffices(spool.count) else _in_spark
    for line in look(spool, _Places(several, places), engine, looked):
        yield Found(**json.loads(line.said), numbers=line.numbers, rows=line.rows)


class _Places(NamedTuple):
    """Stores, and which of them each dataset lies in."""

    stores: tuple[Store, ...]
    of: Sequence[int]


def _nearby(spool: Spool, places: _Places, engine: Engine, looked: Looked) -> Iterator[Line]:
    waiting = (one for portion in spool.portions(_A_JOB) for one in portion)
    asked = (Asked(one.dataset, one.number, places.of[one.dataset], *one[2:]) for one in waiting)
    done = 0
    for lines in engine.readers().look(asked, spool.count, places.stores):
        yield from lines
        done += sum(len(line.numbers) for line in lines)
        looked(done, spool.count)


def _in_spark(spool: Spool, places: _Places, engine: Engine, looked: Looked) -> Iterator[Line]:
    engine.settle()
    running = engine.running(min(spool.count, _A_JOB))
    before = 0
    for portion in spool.portions(_A_JOB):
        in_files = _in_files(looked, before, len(portion), spool.count)
        table = _table(portion, places.of)
        yield from job.read(running, table, reading(places.stores), in_files)
        before += len(portion)
        looked(before, spool.count)


def _in_files(looked: Looked, before: int, files: int, total: int) -> job.Done:
    """Tasks are alike: a part of them is that part of the files."""
    return lambda done, tasks: looked(before + files * done // max(tasks, 1), total)


def _require_arrow() -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise LumosError(
            "scanning needs pyarrow, which is not installed",
            hint="pip install 'lumos-snap[scan]'; `lumos doctor` shows what else is missing",
        )


def _table(files: Sequence[Unread], places: Sequence[int]) -> "pa.Table":
    import pyarrow as pa

    parts = [[_raw(part) for part in one.parts] for one in files]
    return pa.table(
        {
            "dataset": pa.array((one.dataset for one in files), pa.int32()),
            "number": pa.array((one.number for one in files), pa.int32()),
            "store": pa.array((places[one.dataset] for one in files), pa.int32()),
            "path": pa.array((_raw(one.path) for one in files), pa.binary()),
            "hint": pa.array((one.hint for one in files), pa.string()),
            "suffix": pa.array((one.suffix for one in files), pa.string()),
            "parts": pa.array(parts, pa.list_(pa.binary())),
        }
    )


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
