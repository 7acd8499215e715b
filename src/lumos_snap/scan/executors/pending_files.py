"""Looking at files: the table that the job works on, and what comes back."""

import importlib.util
import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.errors import LumosError
from lumos_snap.scan.executors.engine import Engine
from lumos_snap.scan.executors.file_task import Asked, Line
from lumos_snap.scan.executors.task import reading
from lumos_snap.scan.file_index import Spool, Unread
from lumos_snap.scan.spark import job
from lumos_snap.scan.stores.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

_A_JOB = 50_000
"""Files that one job looks at: what is sent and what comes back stay small, however many wait."""


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
    look = _nearby if engine.name == "local" else _in_spark
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
