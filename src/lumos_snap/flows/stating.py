"""Datasets as they stand, file by file: what each lacks, and on which line that is seen."""

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from lumos_snap.canonical.kinds import OBSERVATION, SNAPSHOT, DocumentKind
from lumos_snap.canonical.place import urn_of
from lumos_snap.canonical.quick import proven
from lumos_snap.canonical.reading import read
from lumos_snap.diff import Comparison, Fact
from lumos_snap.errors import LumosError
from lumos_snap.flows.comparing import Pair
from lumos_snap.flows.describing import Lines
from lumos_snap.flows.judges import Judges
from lumos_snap.flows.judging import finding, unreadable
from lumos_snap.flows.spread import spread
from lumos_snap.report.base import Finding as ReportedFinding
from lumos_snap.rules.finding import Finding
from lumos_snap.tree.files import Content, Files

Portion = Iterable[Content]


@dataclass(frozen=True, slots=True)
class At:
    """A line that was found where the file was read."""

    number: int

    def line(self, _fact: Fact) -> int:
        """That line."""
        return self.number


@dataclass(frozen=True, slots=True)
class Stated:
    """One dataset: what it lacks, each with its line, or why its file tells nothing."""

    path: str
    findings: tuple[tuple[Finding, At], ...] = ()
    damaged: tuple[ReportedFinding, ...] = ()


def stated(portion: Portion, *, bench: Judges) -> tuple[list[Stated], int]:
    """The datasets of a portion of which there is something to say, and how many it has."""
    found: list[Stated] = []
    count = 0
    for count, (path, content) in enumerate(portion, 1):  # noqa: B007 - counted beyond the loop
        document, damaged = _document(path, content, SNAPSHOT)
        if document is None:
            found.append(Stated(path, damaged=damaged))
            continue
        lacks = bench.judge_state(str(document["urn"]), document)
        if lacks:
            assert isinstance(content, bytes)  # noqa: S101 - there is a document
            pair = Pair(path, Comparison(document["urn"], None, document, ()), content)
            lines = Lines(pair)
            found.append(Stated(path, tuple((one, At(lines.line(one.fact))) for one in lacks)))
    return found, count


def ages(files: Files, bench: Judges, paths: Sequence[str]) -> Iterator[Stated]:
    """Datasets whose data is too old, or of unknown age, by their latest readings."""
    readings = {f"{OBSERVATION.folder}/{_below(path)}": path for path in paths}
    measured = frozenset(files.found((OBSERVATION.folder,)).documents) & readings.keys()
    for reading, path in readings.items():
        if reading not in measured:
            yield from _aged(path, None, bench)
    work = functools.partial(_aged_portion, bench=bench)
    there = sorted(measured)
    for batch in spread(work, files.portions(there), size=len(there)):
        yield from batch


def _aged_portion(portion: Portion, *, bench: Judges) -> list[Stated]:
    found: list[Stated] = []
    for path, content in portion:
        document, damaged = _document(path, content, OBSERVATION)
        if document is None:
            found.append(Stated(path, damaged=damaged))
        else:
            found += _aged(f"{SNAPSHOT.folder}/{path.partition('/')[2]}", document, bench)
    return found


def _aged(path: str, observation: dict[str, Any] | None, bench: Judges) -> Iterator[Stated]:
    try:
        urn = str(urn_of(_below(path)))
    except LumosError:  # a file that is no dataset's: `lumos snap validate` says so
        return
    found = bench.judge_age(urn, observation)
    if found:
        yield Stated(path, tuple((one, At(1)) for one in found))


def _below(path: str) -> str:
    return path.removeprefix(f"{SNAPSHOT.folder}/")


def _document(
    path: str, content: bytes | OSError, kind: DocumentKind
) -> tuple[dict[str, Any] | None, tuple[ReportedFinding, ...]]:
    if isinstance(content, OSError):
        return None, (finding(path, unreadable(content)),)
    document = proven(content, kind.cls)
    if document is not None:
        return document, ()
    reading = read(content, kind.cls)
    if reading.document is None or reading.canonical is None:
        return None, tuple(finding(path, problem) for problem in reading.problems)
    return orjson.loads(reading.canonical), ()
