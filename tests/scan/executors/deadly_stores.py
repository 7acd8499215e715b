"""Stores whose files do something to the process that reads them, and both ways to read them."""

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from lumos_snap.scan.executors import task
from lumos_snap.scan.executors.file_task import EvidenceLine, FileTask, lines_of
from lumos_snap.scan.executors.local import ReaderPool
from lumos_snap.scan.stores.store import (
    FileEntry,
    OnAnswer,
    RangedFile,
    Store,
    Trouble,
    Wants,
    ignore_answer,
)

LETHAL = "lethal"


class Deadly(NamedTuple):
    """Some of its files end whoever opens them; a path says how."""

    @property
    def at_once(self) -> int:
        return 1

    def reader(self) -> "Deadly":
        return self

    def entries(
        self, start: str, may_hold: Wants, answered: OnAnswer = ignore_answer
    ) -> Iterator[FileEntry | Trouble]:
        yield from ()

    def has(self, path: str) -> bool:
        return bool(path)

    @contextmanager
    def opened(self, path: str) -> Iterator[RangedFile]:
        if LETHAL in path:
            os.kill(os.getpid(), signal.SIGKILL)
        if "wrong" in path:
            raise ZeroDivisionError(path) if "foreseen" in path else SystemError(path)
        if "slow" in path:
            time.sleep(60)
        if "greedy" in path:
            bytearray(8 * 1024**3)
        content = b"a,b\n1,2\n"
        yield RangedFile(len(content), lambda offset, length: content[offset : offset + length])


class Closed(Deadly):
    """Nobody gets a reader of it."""

    __slots__ = ()

    def reader(self) -> "Deadly":
        raise ModuleNotFoundError("No module named 'elsewhere'")


def in_processes(files: list[FileTask], store: Store) -> list[EvidenceLine]:
    with ExitStack() as stack:
        found = ReaderPool(stack).look(iter(files), len(files), (store,))
        return [line for lines in found for line in lines]


def in_children(files: list[FileTask], store: Store) -> list[EvidenceLine]:
    return lines_of(task.read_in_child((store,), iter(files)))


def asked(*paths: str) -> list[FileTask]:
    return [FileTask(n % 3, n, 0, path, "", ".csv", ()) for n, path in enumerate(paths)]


def by_file(lines: list[EvidenceLine]) -> dict[int, tuple[int, str, int]]:
    """What is said of each file: its dataset, the evidence, its rows."""
    told: list[tuple[int, tuple[int, str, int]]] = []
    for line in lines:
        said = json.loads(line.said)
        for number, rows in zip(line.numbers, line.rows, strict=True):
            told.append((number, (said["dataset"], said["evidence"], rows)))
    assert max(Counter(number for number, _ in told).values()) == 1
    return dict(told)
