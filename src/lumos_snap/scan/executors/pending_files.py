"""Reads the queued files of a scan: the table that a job gets, and the evidence that it returns."""

import importlib.util
import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.errors import LumosError
from lumos_snap.scan.executors.engine import Engine
from lumos_snap.scan.executors.file_task import EvidenceLine, FileTask
from lumos_snap.scan.executors.task import make_task
from lumos_snap.scan.file_index import PendingFile, PendingFiles
from lumos_snap.scan.spark import job
from lumos_snap.scan.stores.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

_A_JOB = 50_000
"""Files per job: requests and results stay small, however many files are queued."""


class FileEvidence(NamedTuple):
    """Evidence of some files of one dataset."""

    dataset: int
    evidence: str
    examples: Sequence[str]
    numbers: Sequence[int]
    rows: Sequence[int]


OnRead = Callable[[int, int], None]
"""Called with the number of files read so far and their total."""


def read_files(
    spool: PendingFiles, stores: Sequence[Store | None], engine: Engine, looked: OnRead
) -> Iterator[FileEvidence]:
    """Yield the evidence of queued files; `stores` has one store per dataset.

    If no file is queued, no engine starts.
    """
    if not spool.count:
        return
    _require_arrow()
    several = tuple(dict.fromkeys(store for store in stores if store is not None))
    places = [several.index(store) if store is not None else 0 for store in stores]
    looked(0, spool.count)
    look = _read_locally if engine.name == "local" else _read_in_spark
    for line in look(spool, _StoreIndex(several, places), engine, looked):
        yield FileEvidence(**json.loads(line.said), numbers=line.numbers, rows=line.rows)


class _StoreIndex(NamedTuple):
    """Stores, and the index of each dataset's store."""

    stores: tuple[Store, ...]
    of: Sequence[int]


def _read_locally(
    spool: PendingFiles, places: _StoreIndex, engine: Engine, looked: OnRead
) -> Iterator[EvidenceLine]:
    waiting = (one for portion in spool.portions(_A_JOB) for one in portion)
    asked = (FileTask(one.dataset, one.number, places.of[one.dataset], *one[2:]) for one in waiting)
    done = 0
    for lines in engine.readers().look(asked, spool.count, places.stores):
        yield from lines
        done += sum(len(line.numbers) for line in lines)
        looked(done, spool.count)


def _read_in_spark(
    spool: PendingFiles, places: _StoreIndex, engine: Engine, looked: OnRead
) -> Iterator[EvidenceLine]:
    engine.settle()
    running = engine.running(min(spool.count, _A_JOB))
    before = 0
    for portion in spool.portions(_A_JOB):
        in_files = _progress_in_files(looked, before, len(portion), spool.count)
        table = _table(portion, places.of)
        yield from job.read_in_tasks(running, table, make_task(places.stores), in_files)
        before += len(portion)
        looked(before, spool.count)


def _progress_in_files(looked: OnRead, before: int, files: int, total: int) -> job.OnTasksDone:
    """Convert progress in tasks to progress in files: tasks are about equal in size."""
    return lambda done, tasks: looked(before + files * done // max(tasks, 1), total)


def _require_arrow() -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise LumosError(
            "scanning needs pyarrow, which is not installed",
            hint="pip install 'lumos-snap[scan]'; `lumos doctor` shows what else is missing",
        )


def _table(files: Sequence[PendingFile], places: Sequence[int]) -> "pa.Table":
    import pyarrow as pa

    parts = [[_encode_path(part) for part in one.parts] for one in files]
    return pa.table(
        {
            "dataset": pa.array((one.dataset for one in files), pa.int32()),
            "number": pa.array((one.number for one in files), pa.int32()),
            "store": pa.array((places[one.dataset] for one in files), pa.int32()),
            "path": pa.array((_encode_path(one.path) for one in files), pa.binary()),
            "hint": pa.array((one.hint for one in files), pa.string()),
            "suffix": pa.array((one.suffix for one in files), pa.string()),
            "parts": pa.array(parts, pa.list_(pa.binary())),
        }
    )


def _encode_path(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
