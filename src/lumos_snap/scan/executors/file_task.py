"""Looking at files: what each says, counted once for all of a dataset that say the same."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from lumos_snap.scan.executors.error_codes import DAMAGED
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.formats.detect import probe_file
from lumos_snap.scan.stores.store import BadFileError, Reader, Store
from lumos_snap.scan.tables.log import read_table

EXAMPLES = 3
"""How many files stand for all that say the same."""

UNKNOWN_ROWS = -1
"""Rows of a file that does not say how many it has."""


class FileTask(NamedTuple):
    """One file to look at."""

    dataset: int
    number: int
    store: int
    path: str
    hint: str
    suffix: str
    parts: tuple[str, ...]


class FileTally(NamedTuple):
    """What files of one dataset say alike: which they are, their rows, and some of them by name."""

    numbers: list[int]
    rows: list[int]
    examples: list[str]
    most: int | None
    """So many examples stand for all; no limit for bad files, each of which is named."""

    def add(self, other: "FileTally") -> None:
        """Count in others that say the same."""
        self.numbers.extend(other.numbers)
        self.rows.extend(other.rows)
        self.examples[:] = sorted([*self.examples, *other.examples])[: self.most]


FileTallies = dict[tuple[int, str], FileTally]
"""By dataset and evidence."""


class EvidenceLine(NamedTuple):
    """What files of one dataset say alike: the evidence as JSON, which they are, their rows."""

    said: str
    numbers: list[int]
    rows: list[int]


ProbeOutcome = ProbeResult | dict[str, str]


class FileProber:
    """The readers of some stores, for as long as files are looked at."""

    def __init__(self, stores: tuple[Store, ...]) -> None:
        self._readers = [store.reader() for store in stores]
        at_once = max(store.at_once for store in stores)
        self._pool = ThreadPoolExecutor(at_once) if at_once > 1 else None

    def __enter__(self) -> "FileProber":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def lines(self, asked: Iterable[FileTask]) -> list[EvidenceLine]:
        """Look at files; several at once where a store keeps its readers waiting."""
        return lines_of(self.tallies(asked))

    def tallies(self, asked: Iterable[FileTask]) -> FileTallies:
        """The same, before it is put into words."""
        found: FileTallies = {}
        for one, said in self._each(self._look, asked):
            add_tally(found, (one.dataset, _evidence_text(said)), _tally(one, said))
        return found

    @property
    def _each(self) -> Callable[..., Iterator[tuple[FileTask, ProbeOutcome]]]:
        return map if self._pool is None else self._pool.map

    def _look(self, one: FileTask) -> tuple[FileTask, ProbeOutcome]:
        return one, read_evidence(
            self._readers[one.store], one.path, one.hint, one.suffix, one.parts
        )


# What hostile bytes may make of code that does not expect them: one file must not end the scan.
_UNFORESEEN = (
    ArithmeticError, AttributeError, LookupError, MemoryError, NotImplementedError,
    RecursionError, TypeError, ValueError,
)  # fmt: skip


def read_evidence(
    reader: Reader, path: str, hint: str, suffix: str, parts: tuple[str, ...] = ()
) -> ProbeOutcome:
    """What one file says, or the log of one table; or why it says nothing."""
    try:
        if parts:
            return read_table(reader, hint, path, parts)
        with reader.opened(path) as file:
            return probe_file(file, hint, suffix)
    except BadFileError as exc:
        return {"reason": exc.reason, "detail": exc.detail}
    except _UNFORESEEN as exc:
        return {"reason": DAMAGED, "detail": f"cannot be understood ({type(exc).__name__})"}


def _evidence_text(said: ProbeOutcome) -> str:
    """What can be said of many files alike, as text: all but how many rows they have."""
    if not isinstance(said, ProbeResult):
        return encode_evidence(said)
    alike = {
        "format": said.format,
        "schema": said.schema,
        "versions": [said.version] if said.version else [],
        "codecs": sorted(said.codecs),
    }
    return encode_evidence(alike)


def add_tally(found: FileTallies, key: tuple[int, str], tally: FileTally) -> None:
    """Count files in with those that say the same."""
    if key in found:
        found[key].add(tally)
    else:
        found[key] = tally


def _tally(one: FileTask, said: ProbeOutcome) -> FileTally:
    rows, most = (said.rows, EXAMPLES) if isinstance(said, ProbeResult) else (None, None)
    return FileTally([one.number], [UNKNOWN_ROWS if rows is None else rows], [one.path], most)


def lines_of(tallies: FileTallies) -> list[EvidenceLine]:
    """What was found, in words."""
    return [_line(key, tallies[key]) for key in sorted(tallies)]


def _line(key: tuple[int, str], tally: FileTally) -> EvidenceLine:
    dataset, evidence = key
    said = encode_evidence({"dataset": dataset, "evidence": evidence, "examples": tally.examples})
    return EvidenceLine(said, tally.numbers, tally.rows)


def report_crash(one: FileTask, how: str) -> FileTallies:
    """What is said of a file that has ended the process that read it."""
    said: ProbeOutcome = {"reason": DAMAGED, "detail": f"ends the process that reads it: {how}"}
    return {(one.dataset, _evidence_text(said)): _tally(one, said)}
