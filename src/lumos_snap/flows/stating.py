"""Datasets as they stand, file by file: what each lacks, and on which line that is seen."""

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT, DocumentKind, kind_at
from lumos_snap.canonical.fast_read import valid
from lumos_snap.canonical.paths import urn_of
from lumos_snap.diff import Comparison, Fact
from lumos_snap.errors import LumosError
from lumos_snap.flows.comparing import Pair
from lumos_snap.flows.describing import Lines
from lumos_snap.flows.judges import Judges
from lumos_snap.flows.judging import judge
from lumos_snap.flows.spread import spread
from lumos_snap.report.envelope import Finding as ReportedFinding
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


def stated(portion: Portion, *, bench: Judges, environment: str | None) -> tuple[list[Stated], int]:
    """The documents of a portion of which there is something to say, and how many it has."""
    found: list[Stated] = []
    count = 0
    for count, (path, content) in enumerate(portion, 1):  # noqa: B007 - counted beyond the loop
        kind = kind_at(path)
        assert kind is not None  # noqa: S101 - documents are listed by their kinds
        document, damaged = _document(path, content, kind, environment)
        lacks = _lacks(path, content, document, bench) if kind is SNAPSHOT and document else ()
        if lacks or damaged:
            found.append(Stated(path, lacks, damaged))
    return found, count


def _lacks(
    path: str, content: bytes | OSError, document: dict[str, Any], bench: Judges
) -> tuple[tuple[Finding, At], ...]:
    lacks = bench.judge_state(str(document["urn"]), document)
    if not lacks or isinstance(content, OSError):
        return ()
    lines = Lines(Pair(path, Comparison(document["urn"], None, document, ()), content))
    return tuple((one, At(lines.line(one.fact))) for one in lacks)


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
        document, damaged = _document(path, content, OBSERVATION, None)
        if damaged:
            found.append(Stated(path, damaged=damaged))
        if document is not None:
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
    path: str, content: bytes | OSError, kind: DocumentKind, environment: str | None
) -> tuple[dict[str, Any] | None, tuple[ReportedFinding, ...]]:
    """The document in a file as far as it can be read, and all that is wrong with it."""
    if isinstance(content, bytes):
        document = valid(path, content, kind, environment)
        if document is not None:
            return document, ()
    judged = judge(path, content, environment)
    return None if judged.canonical is None else orjson.loads(judged.canonical), judged.findings
