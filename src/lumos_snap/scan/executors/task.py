"""The function that Spark maps over batches of files.

Files that say the same are one line with a count, so that what reaches the driver grows with the
number of datasets and not of files; beside it, packed, which files these are.
"""

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from lumos_snap.scan.executors.file_task import Asked, Line, Looking, lines_of
from lumos_snap.scan.executors.isolation import read_in_child
from lumos_snap.scan.stores.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

Task = Callable[[Iterator[Any]], Iterator[Any]]

COLUMNS = ("dataset", "number", "store", "path", "hint", "suffix", "parts")
FOUND = "line string, numbers array<int>, rows array<bigint>"
"""What a task answers: the evidence as JSON, and the files that give it with their rows."""


def reading(stores: tuple[Store, ...]) -> Task:
    """What Spark maps over batches of files of some stores."""

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        files = (one for batch in batches for one in _asked(batch))
        yield _batch(_lines(stores, files))

    return task


def _lines(stores: tuple[Store, ...], files: Iterator[Asked]) -> list[Line]:
    if not hasattr(os, "fork"):  # Windows: a file that crashes its reader ends the job there
        with Looking(stores) as looking:
            return looking.lines(files)
    return lines_of(read_in_child(stores, files))


def _asked(batch: "pa.RecordBatch") -> Iterator[Asked]:
    columns = [batch.column(name).to_pylist() for name in COLUMNS]
    for dataset, number, store, path, hint, suffix, parts in zip(*columns, strict=True):
        names = tuple(map(_name, parts or ()))
        yield Asked(dataset, number, store, _name(path), hint, suffix, names)


def _name(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _batch(lines: list[Line]) -> "pa.RecordBatch":
    import pyarrow as pa

    columns = (
        pa.array([line.said for line in lines], pa.string()),
        pa.array([line.numbers for line in lines], pa.list_(pa.int32())),
        pa.array([line.rows for line in lines], pa.list_(pa.int64())),
    )
    return pa.RecordBatch.from_arrays(list(columns), ["line", "numbers", "rows"])
