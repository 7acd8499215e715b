"""Stores whose files do something to the process that looks at them."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from lumos_snap.scan.probe.file import File
from lumos_snap.scan.probe.store import Answered, Entry, Trouble, Wants, unheard

LETHAL = "lethal"


class Deadly(NamedTuple):
    """Some of its files end whoever opens them; a path says how."""

    @property
    def at_once(self) -> int:
        return 1

    def reader(self) -> "Deadly":
        return self

    def entries(
        self, start: str, may_hold: Wants, answered: Answered = unheard
    ) -> Iterator[Entry | Trouble]:
        yield from ()

    def has(self, path: str) -> bool:
        return bool(path)

    @contextmanager
    def opened(self, path: str) -> Iterator[File]:
        if LETHAL in path:
            os.kill(os.getpid(), signal.SIGKILL)
        if "wrong" in path:
            raise ZeroDivisionError(path) if "foreseen" in path else SystemError(path)
        if "slow" in path:
            time.sleep(60)
        if "greedy" in path:
            bytearray(8 * 1024**3)
        content = b"a,b\n1,2\n"
        yield File(len(content), lambda offset, length: content[offset : offset + length])


class Closed(Deadly):
    """Nobody gets a reader of it."""

    __slots__ = ()

    def reader(self) -> "Deadly":
        raise ModuleNotFoundError("No module named 'elsewhere'")
