"""What a task does: look at its files, and say of each dataset what was found once.

Files that say the same are one line with a count, so that what reaches the driver grows with the
number of datasets and not of files; beside it, packed, which files these are.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from lumos_snap.scan.probe.file import BadFileError
from lumos_snap.scan.probe.probed import Probed, written
from lumos_snap.scan.probe.reasons import DAMAGED
from lumos_snap.scan.probe.recognise import probed
from lumos_snap.scan.probe.store import Reader, Store
from lumos_snap.scan.probe.tables.reading import table

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLES = 3
"""How many files stand for all that say the same."""

UNCOUNTED = -1
"""Rows of a file that does not say how many it has."""

Task = Callable[[Iterator[Any]], Iterator[Any]]

COLUMNS = ("dataset", "number", "store", "path", "hint", "suffix", "parts")
FOUND = "line string, numbers array<int>, rows array<bigint>"
"""What a task answers: the evidence as JSON, and the files that give it with their rows."""


class Asked(NamedTuple):
    """One file to look at."""

    dataset: int
    number: int
    store: int
    path: str
    hint: str
    suffix: str
    parts: tuple[str, ...]


class Tally:
    """What files of one dataset say alike: which they are, and some of them by name."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.rows: list[int] = []
        self.examples: list[str] = []

    def add(self, one: Asked, said: "Said") -> None:
        """Count a file in; every bad one is named."""
        rows, most = (said.rows, EXAMPLES) if isinstance(said, Probed) else (None, None)
        self.numbers.append(one.number)
        self.rows.append(UNCOUNTED if rows is None else rows)
        self.examples = sorted([*self.examples, one.path])[:most]


class Line(NamedTuple):
    """What files of one dataset say alike: the evidence as JSON, which they are, their rows."""

    said: str
    numbers: list[int]
    rows: list[int]


def reading(stores: tuple[Store, ...]) -> Task:
    """What Spark maps over batches of files of some stores."""

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        with Looking(stores) as looking:
            yield _batch(looking.lines(one for batch in batches for one in _asked(batch)))

    return task


def _asked(batch: "pa.RecordBatch") -> Iterator[Asked]:
    columns = [batch.column(name).to_pylist() for name in COLUMNS]
    for dataset, number, store, path, hint, suffix, parts in zip(*columns, strict=True):
        names = tuple(map(_name, parts or ()))
        yield Asked(dataset, number, store, _name(path), hint, suffix, names)


def _name(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


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
        tallies: dict[tuple[int, str], Tally] = {}
        for one, said in self._each(self._look, asked):
            tallies.setdefault((one.dataset, _evidence(said)), Tally()).add(one, said)
        return [_line(key, tallies[key]) for key in sorted(tallies)]

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


def _line(key: tuple[int, str], tally: Tally) -> Line:
    dataset, evidence = key
    said = written({"dataset": dataset, "evidence": evidence, "examples": tally.examples})
    return Line(said, tally.numbers, tally.rows)


def refused(one: Asked, reason: str, detail: str) -> Line:
    """What is said of a file at which nobody can look."""
    tally = Tally()
    said = {"reason": reason, "detail": detail}
    tally.add(one, said)
    return _line((one.dataset, _evidence(said)), tally)


def _batch(lines: list[Line]) -> "pa.RecordBatch":
    import pyarrow as pa

    columns = (
        pa.array([line.said for line in lines], pa.string()),
        pa.array([line.numbers for line in lines], pa.list_(pa.int32())),
        pa.array([line.rows for line in lines], pa.list_(pa.int64())),
    )
    return pa.RecordBatch.from_arrays(list(columns), ["line", "numbers", "rows"])
