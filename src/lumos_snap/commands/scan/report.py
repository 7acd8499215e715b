"""The report of a scan, and the commit of its changes."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT, DocumentKind
from lumos_snap.commands.scan.missing_datasets import MissingDatasets
from lumos_snap.commands.scan.options import ScanOptions
from lumos_snap.commands.scan.source import build_data_warning, describe_dataset, is_worth_reporting
from lumos_snap.commands.scan.sources import ScannedSources
from lumos_snap.config.settings import Observations
from lumos_snap.documents.limits import loads
from lumos_snap.errors import LumosError
from lumos_snap.git import Repository, commits, find_repository, open_repository
from lumos_snap.json_object import JsonObject
from lumos_snap.report.scan import (
    BadFile,
    ScanEngine,
    ScannedDataset,
    ScannedSource,
    ScanOutcome,
    ScanReport,
    SkippedFile,
)
from lumos_snap.scan.dataset import SourceDataset
from lumos_snap.scan.dataset_update import DatasetUpdate
from lumos_snap.scan.listing import SourceListing
from lumos_snap.text import readable
from lumos_snap.tree import Tree, WriteResult

# Commit of a scan's changes, on the requested branch.


class ScanCommit(NamedTuple):
    """A commit and its branch."""

    id: str
    branch: str


@dataclass(slots=True)
class CommitPlan:
    """The planned commit, if one is wanted."""

    repository: Repository | None = None
    tree: Tree | None = None
    message: str | None = None
    tracks_observations: bool = False
    staged: bool = False
    """Whether changes are staged or committed; the branch then stays checked out."""
    edited: tuple[str, ...] = ()
    """Snapshots that are left out, because only people have edited them since the last commit."""

    def done(
        self,
        changed: Sequence[str],
        decided: Sequence[DatasetUpdate],
        left: MissingDatasets,
        prefixes: Sequence[str],
    ) -> ScanCommit | None:
        """Commit the files that scans have written and removed; None without changes.

        Uncommitted files of earlier scans are included: of the datasets that this one has met, and
        removed ones whose urns have one of the prefixes.
        """
        if self.repository is None or self.tree is None:
            return None
        kinds = (SNAPSHOT, OBSERVATION) if self.tracks_observations else (SNAPSHOT,)
        folders = tuple(f"{kind.folder}/" for kind in kinds)
        wanted = {path for path in changed if path.startswith(folders)}
        sound = frozenset(one.urn for one in decided if not one.broken)
        earlier, edited = _find_uncommitted(self.tree, kinds, sound, prefixes)
        wanted |= earlier
        self.edited = tuple(sorted(edited - wanted))
        self.staged = bool(wanted)
        paths = commits.add(self.repository, sorted(wanted))
        self.staged = bool(paths)
        if not paths:
            return None
        message = self.message or build_message(frozenset(paths), decided, left)
        commit = commits.commit(
            self.repository,
            paths,
            message,
            what="the scan",
            again="its files are written: mend this, then `git commit`: all is staged",
        )
        return ScanCommit(commit, commits.require_branch(self.repository))


_MEASURED = ("urn", "name", "platform", "kind", "environment", "storage", "schema")
"""The keys of a snapshot that a scan writes; what is in the others comes from people."""


def _find_uncommitted(
    tree: Tree, kinds: Sequence[DocumentKind], sound: Container[str], prefixes: Sequence[str]
) -> tuple[set[str], set[str]]:
    """Files that differ from the last commit: those that scans wrote, and those of people."""
    scanned: set[str] = set()
    edited: set[str] = set()
    try:
        changes = tuple(tree.changes("HEAD", merge_base=False, fetch=False))
    except LumosError:  # the repository has no commit yet
        return {SNAPSHOT.path(urn) for urn in tree if urn in sound}, edited
    for one in changes:
        urn = str(one.urn or "")
        if one.kind not in kinds:
            continue
        if one.form_after is None:
            is_of_scans = any(f"{urn}/".startswith(f"{prefix}/") for prefix in prefixes)
        else:
            is_of_scans = urn in sound and (
                one.kind is OBSERVATION or _read_data_part(one.before) != _read_data_part(one.after)
            )
            edited |= {one.path} if urn in sound and not is_of_scans else set()
        scanned |= {one.path} if is_of_scans else set()
    return scanned, edited


def _read_data_part(content: bytes | None) -> JsonObject | None:
    try:
        document = loads(content or b"null")
    except orjson.JSONDecodeError:
        return None
    is_object = isinstance(document, dict)
    return {name: document.get(name) for name in _MEASURED} if is_object else None


@contextmanager
def prepare_commit(tree: Tree, asked: ScanOptions) -> Iterator[CommitPlan]:
    """Check that a commit is possible before anything is read or written, and switch to its branch.

    The scan decides against the target branch. Where nothing was committed, the previous branch is
    checked out again.
    """
    if not (asked.commit and asked.write):
        yield CommitPlan()
        return
    repository = open_repository(tree.root)
    commits.require_identity(repository)
    tracked = tree.config.observations is Observations.TRACKED
    made = CommitPlan(repository, tree, asked.message, tracked)
    if asked.branch is None:
        commits.require_branch(repository)
        yield made
        return
    with commits.on_branch(repository, asked.branch, stays=lambda: made.staged):
        yield made


def build_message(
    paths: Container[str], decided: Sequence[DatasetUpdate], left: MissingDatasets
) -> str:
    """Build the commit message: counts in the subject, and a list of datasets."""
    about = [(one.outcome, one.urn) for one in decided if one.path in paths]
    about += [(ScanOutcome.REMOVED, urn) for urn in left.removed if SNAPSHOT.path(urn) in paths]
    counts = Counter(outcome for outcome, _ in about)
    told = [f"{counts[one]} {one}" for one in _REPORTED_OUTCOMES if counts[one]]
    told += [f"{counts[ScanOutcome.UNCHANGED]} of an earlier scan"] * bool(
        counts[ScanOutcome.UNCHANGED]
    )
    lines = [f"{outcome}: {urn.removeprefix('lumos://')}" for outcome, urn in about]
    listed = [*lines[:_MOST_LINES], *(["…"] if len(lines) > _MOST_LINES else [])]
    body = "\n".join(listed)
    return f"Scan storage: {', '.join(told) or 'observations'}\n\n{body}\n"


_REPORTED_OUTCOMES = (
    ScanOutcome.ADDED,
    ScanOutcome.CHANGED,
    ScanOutcome.MOVED,
    ScanOutcome.REMOVED,
)
_MOST_LINES = 100


def build_report(
    seen: ScannedSources,
    decided: Sequence[DatasetUpdate],
    left: MissingDatasets,
    *,
    written: WriteResult,
    asked: ScanOptions,
    committed: ScanCommit | None,
    remarks: Iterable[str] = (),
) -> ScanReport:
    """Build the report of everything that was found and done."""
    moved_to = {old: new for new, old in left.moves.items()}
    gone = tuple(_describe_missing(urn, left, moved_to.get(urn)) for urn in left.gone)
    counts = Counter([one.outcome for one in decided] + [one.outcome for one in gone])
    told = [describe_dataset(one) for one in decided if is_worth_reporting(one)]
    gone_files = left.files()
    datasets = Counter(met.source.name for met in seen.met)
    used = seen.engine
    return ScanReport(
        engine=ScanEngine(**used._asdict()) if used else None,
        sources=tuple(
            _source(one.listing, one.looked_at, datasets[one.listing.source.name])
            for one in seen.surveys
        ),
        datasets=tuple(sorted([*told, *gone], key=lambda one: one.urn)),
        counts={outcome.value: counts[outcome] for outcome in ScanOutcome},
        bad_files=tuple(_bad(seen)),
        failed=seen.failed,
        written=tuple(sorted(path for path in written.changed if path not in gone_files)),
        removed=tuple(sorted(path for path in written.changed if path in gone_files)),
        left=tuple(sorted(written.left)),
        broken=tuple(sorted(one.path for one in decided if one.broken)),
        dry_run=not asked.write,
        commit=committed.id if committed else None,
        branch=committed.branch if committed else None,
        remarks=tuple(_all_remarks(seen, left, asked, remarks)),
    )


def warn_of_data(seen: ScannedSources, tree: Tree) -> Iterator[str]:
    """Warn where the next commit would take data."""
    try:
        repository = find_repository(tree.root)
    except LumosError:
        return  # reported by `lumos doctor`
    warnings = (build_data_warning(repository, one.listing.source) for one in seen.surveys)
    yield from filter(None, warnings)


def list_edited(paths: Sequence[str]) -> Iterator[str]:
    """Say which snapshots a commit leaves out."""
    if paths:
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        yield f"not committed (edited by hand, not by a scan): {paths[0]}{more}"


def _all_remarks(
    seen: ScannedSources, left: MissingDatasets, asked: ScanOptions, more: Iterable[str]
) -> Iterator[str]:
    yield from left.why_not
    if asked.only and not seen.met:
        yield f"no dataset matches {' or '.join(asked.only)}"
    yield from more
    for survey in seen.surveys:
        yield from survey.listing.remarks


def _describe_missing(urn: str, left: MissingDatasets, new: str | None) -> ScannedDataset:
    outcome = ScanOutcome.REMOVED if urn in left.removed else ScanOutcome.VANISHED
    notes = () if new is None else (f"lies at {new} now",)
    return ScannedDataset(urn=urn, path=SNAPSHOT.path(urn), outcome=outcome, notes=notes)


def _source(listing: SourceListing, looked_at: int, datasets: int) -> ScannedSource:
    return ScannedSource(
        name=listing.source.name,
        files=listing.files,
        bytes=listing.bytes,
        datasets=datasets,
        looked_at=looked_at,
        passed_over=dict(sorted(listing.passed_over.counts.items())),
        passed_over_files=tuple(
            SkippedFile(path=readable(path), reason=reason)
            for reason, paths in sorted(listing.passed_over.paths.items())
            for path in paths
        ),
        complete=listing.complete,
    )


def _bad(seen: ScannedSources) -> Iterator[BadFile]:
    for survey in seen.surveys:
        listing = survey.listing
        for one in sorted(listing.troubles):
            yield _file(listing.source.name, one.path, one.reason, one.detail)
    for met in seen.met:
        for one in sorted(met.evidence.bad):
            yield _file(met.source.name, one.path, one.reason, one.detail, met)


def _file(
    source: str, path: str, reason: str, detail: str, met: SourceDataset | None = None
) -> BadFile:
    return BadFile(
        source=source,
        path=readable(path) or ".",
        reason=reason,
        detail=detail,
        dataset=met.urn if met else None,
    )
