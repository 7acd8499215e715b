"""The cache of a scan, beside the tree: it affects speed, never the result.

A dataset is reused without work where its files and its documents are the same as after the last
scan.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import merge
from itertools import count, groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import lumos_snap
from lumos_snap._version import __version__
from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT
from lumos_snap.commands.scan.options import ScanOptions, ScanProgress, ScanStage
from lumos_snap.commands.scan.source import Survey, describe_dataset
from lumos_snap.report.scan import ScannedDataset, ScanOutcome
from lumos_snap.scan import scan_cache
from lumos_snap.scan.dataset import SourceDataset
from lumos_snap.scan.dataset_update import Contents, DatasetUpdate
from lumos_snap.scan.listing import BETWEEN
from lumos_snap.scan.scan_cache import (
    CachedDecision,
    CachedFile,
    ScanCache,
    read_cache,
)
from lumos_snap.scan.sources.source import Source
from lumos_snap.schema import document_of, value_of
from lumos_snap.text import readable
from lumos_snap.tree import Tree
from lumos_snap.tree.writer import state_file

_LONGEST = 100
_OFTEN = 10_000  # files between two progress reports


def open_cache(tree: Tree, source: Source, asked: ScanOptions) -> ScanCache:
    """Open the cache of a source."""
    place = state_file(tree.files.folder(), _cache_file(source))
    return read_cache(
        place, of=_evidence_key(source), decided_by=_decision_key(tree, source, asked)
    )


def _cache_file(source: Source) -> str:
    """The cache file of a source, below the state folder."""
    name = quote(source.name, safe="", errors="surrogateescape")
    return f"scan/{name if len(name) <= _LONGEST else _digest(name)}.gz"


def _evidence_key(source: Source) -> str:
    """Cache key of evidence: the location of the files, and the code that reads them."""
    return _digest(repr((source.address, source.store, __version__, _code())))


def _decision_key(tree: Tree, source: Source, asked: ScanOptions) -> str:
    """Cache key of the settings that decisions depend on in addition."""
    own = (source.prefix, source.location, source.layout, source.filter, source.sample)
    shared = (tree.config.environment, tree.config.scan.absent_after, asked.reinfer)
    return _digest(repr((*own, *shared)))


@lru_cache(maxsize=1)
def _code() -> tuple[tuple[str, int, int], ...]:
    """Names, sizes and times of this package's modules: an edited module invalidates the cache."""
    found = []
    for folder, _, names in os.walk(Path(lumos_snap.__file__).parent):
        for name in names:
            if name.endswith(".py"):
                status = Path(folder, name).stat()
                found.append((name, status.st_size, status.st_mtime_ns))
    return tuple(sorted(found))


def _digest(text: str | bytes) -> str:
    raw = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


@dataclass(slots=True)
class RecordingReader:
    """Reads documents, and records the digest of each."""

    contents: Contents
    noted: dict[str, str | None] = field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        """Read a file of the tree."""
        content = self.contents(path)
        self.noted[path] = None if content is None else _digest(content)
        return content


def reuse_decision(
    met: SourceDataset, decision: CachedDecision | None, noting: RecordingReader
) -> DatasetUpdate | None:
    """Reuse the cached decision of an unchanged dataset; None where it must be decided again."""
    if decision is None or not met.in_sight or decision["mark"] != met.gathered.mark:
        return None
    for kind in (SNAPSHOT, OBSERVATION):
        path = kind.path(met.urn)
        noting.read(path)
        if noting.noted[path] != decision[kind.folder]:
            return None
    told = decision["told"]
    return DatasetUpdate(
        urn=met.urn,
        outcome=ScanOutcome.UNCHANGED,
        gathered=met.gathered,
        told=None if told is None else value_of(told, ScannedDataset),
    )


def save_cache(
    tree: Tree,
    surveys: Iterable[Survey],
    decided: Mapping[str, DatasetUpdate],
    noting: RecordingReader,
    progress: ScanProgress,
    *,
    partly: bool,
) -> None:
    """Save the cache; entries outside the scope of this scan are kept."""
    for survey in surveys:
        prefix = survey.listing.source.prefix
        now = {
            urn: _decision(one, noting)
            for urn, one in decided.items()
            if (urn == prefix or urn.startswith(f"{prefix}/")) and _is_settled(one)
        }
        is_part = partly or not survey.listing.complete
        decisions = {**survey.memory.decisions, **now} if is_part else now
        if not survey.is_as_it_was or decisions != survey.memory.decisions:
            _write(tree, survey, decisions, progress, is_part=is_part)


_WRITTEN = frozenset((ScanOutcome.ADDED, ScanOutcome.CHANGED, ScanOutcome.MOVED))


def _is_settled(one: DatasetUpdate) -> bool:
    """Whether the outcome would be the same and without notes on the next scan.

    Notes about a change do not apply to the result of the change.
    """
    if one.broken or one.gathered is None:
        return False
    return one.outcome is ScanOutcome.UNCHANGED or (one.outcome in _WRITTEN and not one.notes)


def _decision(one: DatasetUpdate, noting: RecordingReader) -> CachedDecision:
    """Build the cache entry of a dataset: its evidence, its documents, and the grouping rule."""
    gathered = one.gathered
    told = describe_dataset(one) if one.notes else one.told
    digests = {
        kind.folder: _digest(one.files[path]) if path in one.files else noting.noted.get(path)
        for kind in (SNAPSHOT, OBSERVATION)
        for path in (kind.path(one.urn),)
    }
    return {
        **digests,
        "mark": gathered.mark if gathered else 0,
        "told": None if told is None else document_of(told),
        "rule": gathered.placed.rule if gathered else "",
        "files": gathered.files if gathered else 0,
        "example": readable(gathered.first) if gathered else "",
    }


def _write(
    tree: Tree,
    survey: Survey,
    decisions: Mapping[str, CachedDecision],
    progress: ScanProgress,
    *,
    is_part: bool,
) -> None:
    before, ledger = survey.memory, survey.ledger
    total = before.count + ledger.count if is_part else ledger.count
    passed = count(1)

    def all_files() -> Iterator[CachedFile]:
        for one in _merge_known(ledger.lines(), before.files()) if is_part else ledger.lines():
            if (done := next(passed)) % _OFTEN == 0:
                progress(ScanStage.CACHED, done // 2, total)  # the files are iterated twice
            yield one

    with TemporaryDirectory(prefix="lumos-scan-") as folder:
        place = Path(folder, "memory")
        with scan_cache.create_cache_file(place) as file:
            scan_cache.write_cache(
                file,
                all_files,
                before.evidence,
                decisions,
                of=before.of,
                decided_by=before.decided_by,
            )
        tree.keep(_cache_file(survey.listing.source), place)
    progress(ScanStage.CACHED, total, total)


def _merge_known(new: Iterator[CachedFile], old: Iterator[CachedFile]) -> Iterator[CachedFile]:
    """Merge sorted entries; the newer entry of a file wins."""
    for _, alike in groupby(merge(new, old, key=_path), key=_path):
        yield next(alike)


def _path(one: CachedFile) -> str:
    return one[0].partition(BETWEEN)[0]
