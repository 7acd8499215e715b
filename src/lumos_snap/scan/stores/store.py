"""What a store is: a place that lists its files, and whose files are read in ranges.

A store says where, and holds nothing open: it travels to workers as it is, and two that are equal
are the same place. Its listing runs on the driver, its readers in tasks.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from lumos_snap.scan.stores.file import File


class Entry(NamedTuple):
    """A file as a listing knows it."""

    path: str
    """Below the root, with `/` between names; bytes that are not UTF-8 are surrogate escapes."""
    size: int
    modified: int
    """In nanoseconds since 1970."""
    tag: str = ""
    """Whatever else the store says that changes with the content: an etag, a checksum."""


class Trouble(NamedTuple):
    """What could not be looked at; a folder `hides` what lies below it."""

    path: str
    reason: str
    detail: str
    hides: bool = False


Wants = Callable[[str], bool]
"""Whether a folder, without a slash at its end, may hold files that are asked for."""

Answered = Callable[[], None]
"""Is told of each answer of the store, in the thread that asks for the files."""


def unheard() -> None:
    """Nobody counts the answers."""


class Reader(Protocol):
    """Opens the files of one store, in one task; several threads may use it at once."""

    def opened(self, path: str) -> AbstractContextManager[File]:
        """A file, open for ranged reads for as long as the context lasts."""
        ...


class Store(Protocol):
    """Where files lie."""

    @property
    def at_once(self) -> int:
        """How many files a task does well to read at once: more than one where reads wait."""
        ...

    def entries(
        self, start: str, may_hold: Wants, answered: Answered = unheard
    ) -> Iterator[Entry | Trouble]:
        """Every file below a folder, in any order; only of folders that `may_hold` any.

        Raises `OutsideError` where nothing at all can be reached. What fails later is a trouble
        that hides what lies below it, and the rest goes on.
        """
        ...

    def has(self, path: str) -> bool:
        """Whether something lies at a path."""
        ...

    def reader(self) -> Reader:
        """What a task reads files with."""
        ...
