"""Reads the evidence of files, and merges equal evidence of one dataset."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from lumos_snap.scan.executors.error_codes import DAMAGED
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.formats.detect import (
    NOT_SAMPLED,
    SIGNATURE_ONLY,
    probe_file,
    signature_of,
)
from lumos_snap.scan.stores.store import BadFileError, Reader, Store
from lumos_snap.scan.tables.registry import read_table

EXAMPLES = 3
"""Number of example paths for files with the same evidence."""

SIGNED = "signed"
"""Key of the evidence of a bad file whose name suggests no format, and whose first bytes do."""
_UNNAMED = ("", SIGNATURE_ONLY)

UNKNOWN_ROWS = -1
"""Row count of a file without one."""


class FileTask(NamedTuple):
    """One file to read."""

    dataset: int
    number: int
    store: int
    path: str
    hint: str
    suffix: str
    parts: tuple[str, ...]


class FileTally(NamedTuple):
    """Files of one dataset with the same evidence: numbers, rows, and some example paths."""

    numbers: list[int]
    rows: list[int]
    examples: list[str]
    most: int | None
    """Most examples to keep; no limit for bad files, each of which is named."""

    def add(self, other: "FileTally") -> None:
        """Add other files with the same evidence."""
        self.numbers.extend(other.numbers)
        self.rows.extend(other.rows)
        self.examples[:] = sorted([*self.examples, *other.examples])[: self.most]


FileTallies = dict[tuple[int, str], FileTally]
"""By dataset and evidence."""


class EvidenceLine(NamedTuple):
    """Evidence of files of one dataset, as JSON, with their numbers and rows."""

    said: str
    numbers: list[int]
    rows: list[int]


ProbeOutcome = ProbeResult | dict[str, str]


class FileProber:
    """Reads files with the readers of some stores."""

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
        """Read files, several at once where reads wait for the network; return encoded evidence."""
        return lines_of(self.tallies(asked))

    def tallies(self, asked: Iterable[FileTask]) -> FileTallies:
        """Read files; return the tallies before encoding."""
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


# Errors that invalid bytes may cause in code that does not expect them: one bad file must not end
# the scan.
_UNFORESEEN = (
    ArithmeticError, AttributeError, LookupError, MemoryError, NotImplementedError,
    RecursionError, TypeError, ValueError,
)  # fmt: skip


def read_evidence(
    reader: Reader, path: str, hint: str, suffix: str, parts: tuple[str, ...] = ()
) -> ProbeOutcome:
    """Read the evidence of one file, or of one table's log; or the reason why it cannot be read."""
    try:
        if parts:
            return read_table(reader, hint, path, parts)
        with reader.opened(path) as file:
            try:
                return probe_file(file, hint, suffix)
            except (BadFileError, *_UNFORESEEN) as exc:
                is_signed = hint in _UNNAMED and signature_of(file) is not None
                return {**_describe_failure(exc), **({SIGNED: "yes"} if is_signed else {})}
    except (BadFileError, *_UNFORESEEN) as exc:
        return _describe_failure(exc)


def _describe_failure(exc: Exception) -> dict[str, str]:
    if isinstance(exc, BadFileError):
        return {"reason": exc.reason, "detail": exc.detail}
    return {"reason": DAMAGED, "detail": f"cannot be understood ({type(exc).__name__})"}


def _evidence_text(said: ProbeOutcome) -> str:
    """Encode the evidence that files can share: everything but the number of rows."""
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
    """Add files to those with the same evidence."""
    if key in found:
        found[key].add(tally)
    else:
        found[key] = tally


def _tally(one: FileTask, said: ProbeOutcome) -> FileTally:
    rows, most = (said.rows, EXAMPLES) if isinstance(said, ProbeResult) else (None, None)
    if said == NOT_SAMPLED:
        return FileTally([one.number], [UNKNOWN_ROWS], [], 0)
    return FileTally([one.number], [UNKNOWN_ROWS if rows is None else rows], [one.path], most)


def lines_of(tallies: FileTallies) -> list[EvidenceLine]:
    """Encode the evidence as lines."""
    return [_line(key, tallies[key]) for key in sorted(tallies)]


def _line(key: tuple[int, str], tally: FileTally) -> EvidenceLine:
    dataset, evidence = key
    said = encode_evidence({"dataset": dataset, "evidence": evidence, "examples": tally.examples})
    return EvidenceLine(said, tally.numbers, tally.rows)


def report_crash(one: FileTask, how: str) -> FileTallies:
    """Build the evidence of a file that crashed the process that read it."""
    said = {"reason": DAMAGED, "detail": f"ends the process that reads it: {how}"}
    said |= {SIGNED: "yes"} if one.hint == SIGNATURE_ONLY else {}
    return {(one.dataset, _evidence_text(said)): _tally(one, said)}
