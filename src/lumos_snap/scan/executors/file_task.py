"""Looking at files: what each says, counted once for all of a dataset that say the same."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from lumos_snap.scan.executors.error_codes import DAMAGED
from lumos_snap.scan.executors.probe_result import Probed, written
from lumos_snap.scan.formats.detect import probed
from lumos_snap.scan.stores.store import BadFileError, Reader, Store
from lumos_snap.scan.tables.log import table

EXAMPLES = 3
"""How many files stand for all that say the same."""

UNCOUNTED = -1
"""Rows of a file that does not say how many it has."""


class Asked(NamedTuple):
    """One file to look at."""

    dataset: int
    number: int
    store: int
    path: str
    hint: str
    suffix: str
    parts: tuple[str, ...]


class Tally(NamedTuple):
    """What files of one dataset say alike: which they are, their rows, and some of them by name."""

    numbers: list[int]
    rows: list[int]
    examples: list[str]
    most: int | None
    """So many examples stand for all; no limit for bad files, each of which is named."""

    def add(self, other: "Tally") -> None:
        """Count in others that say the same."""
        self.numbers.extend(other.numbers)
        self.rows.extend(other.rows)
        self.examples[:] = sorted([*self.examples, *other.examples])[: self.most]


Tallies = dict[tuple[int, str], Tally]
"""By dataset and evidence."""


class Line(NamedTuple):
    """What files of one dataset say alike: the evidence as JSON, which they are, their rows."""

    said: str
    numbers: list[int]
    rows: list[int]


Said = Probed | dict[str, str]


class Looking:
    """The readers of some stores, for as long as files are looked at."""

    def __init__(self, stores: tuple[Store, ...]) -> None:
        self._readers = [store.reader() for store in stores]
        at_once = max(store.at_once for store in stores)
        self._pool = ThreadPoolExecutor(at_once) if at_once > 1 else None

    def __enter__(self) -> "Looking":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def lines(self, asked: Iterable[Asked]) -> list[Line]:
        """Look at files; several at once where a store keeps its readers waiting."""
        return lines_of(self.tallies(asked))

    def tallies(self, asked: Iterable[Asked]) -> Tallies:
        """The same, before it is put into words."""
        found: Tallies = {}
        for one, said in self._each(self._look, asked):
            count_in(found, (one.dataset, _evidence(said)), _tally(one, said))
        return found

    @property
    def _each(self) -> Callable[..., Iterator[tuple[Asked, Said]]]:
        return map if self._pool is None else self._pool.map

    def _look(self, one: Asked) -> tuple[Asked, Said]:
        return one, look(self._readers[one.store], one.path, one.hint, one.suffix, one.parts)


# What hostile bytes may make of code that does not expect them: one file must not end the scan.
_UNFORESEEN = (
    ArithmeticError, AttributeError, LookupError, MemoryError, NotImplementedError,
    RecursionError, TypeError, ValueError,
)  # fmt: skip


def look(reader: Reader, path: str, hint: str, suffix: str, parts: tuple[str, ...] = ()) -> Said:
    """What one file says, or the log of one table; or why it says nothing."""
    try:
        if parts:
            return table(reader, hint, path, parts)
        with reader.opened(path) as file:
            return probed(file, hint, suffix)
    except BadFileError as exc:
        return {"reason": exc.reason, "detail": exc.detail}
    except _UNFORESEEN as exc:
        return {"reason": DAMAGED, "detail": f"cannot be understood ({type(exc).__name__})"}


def _evidence(said: Said) -> str:
    """What can be said of many files alike, as text: all but how many rows they have."""
    if not isinstance(said, Probed):
        return written(said)
    alike = {
        "format": said.format,
        "schema": said.schema,
        "versions": [said.version] if said.version else [],
        "codecs": sorted(said.codecs),
    }
    return written(alike)


def count_in(found: Tallies, key: tuple[int, str], tally: Tally) -> None:
    """Count files in with those that say the same."""
    if key in found:
        found[key].add(tally)
    else:
        found[key] = tally


def _tally(one: Asked, said: Said) -> Tally:
    rows, most = (said.rows, EXAMPLES) if isinstance(said, Probed) else (None, None)
    return Tally([one.number], [UNCOUNTED if rows is None else rows], [one.path], most)


def lines_of(tallies: Tallies) -> list[Line]:
    """What was found, in words."""
    return [_line(key, tallies[key]) for key in sorted(tallies)]


def _line(key: tuple[int, str], tally: Tally) -> Line:
    dataset, evidence = key
    said = written({"dataset": dataset, "evidence": evidence, "examples": tally.examples})
    return Line(said, tally.numbers, tally.rows)


def refused(one: Asked, how: str) -> Tallies:
    """What is said of a file that has ended the process that read it."""
    said: Said = {"reason": DAMAGED, "detail": f"ends the process that reads it: {how}"}
    return {(one.dataset, _evidence(said)): _tally(one, said)}
