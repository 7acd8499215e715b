"""`lumos snap scan`: read storage, and update the tree."""

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime

from lumos_snap.commands.scan.cache import RecordingReader, reuse_decision, save_cache
from lumos_snap.commands.scan.duplicates import find_duplicates
from lumos_snap.commands.scan.missing_datasets import MissingDatasets, find_missing
from lumos_snap.commands.scan.options import ScanOptions, ScanProgress, ScanStage, ignore_progress
from lumos_snap.commands.scan.report import (
    CommitPlan,
    build_report,
    list_edited,
    prepare_commit,
    warn_of_data,
)
from lumos_snap.commands.scan.sources import ScannedSources, scan_sources
from lumos_snap.commands.scan.unreachable import find_unreached, note_unreached
from lumos_snap.report.scan import ScanOutcome, ScanReport
from lumos_snap.scan.dataset_update import DatasetUpdate, UpdateOptions, update_dataset
from lumos_snap.scan.executors import error_codes
from lumos_snap.tree import Tree, WriteResult


def scan(
    tree: Tree, asked: ScanOptions, *, now: datetime, progress: ScanProgress = ignore_progress
) -> ScanReport:
    """Read storage, and update the tree's snapshots."""
    tree.files.folder()  # raises where there is no working tree
    with prepare_commit(tree, asked) as commit:
        return _run_scan(tree, asked, now, progress, commit)


def _run_scan(
    tree: Tree, asked: ScanOptions, now: datetime, progress: ScanProgress, commit: CommitPlan
) -> ScanReport:
    with ExitStack() as stack:
        seen = scan_sources(tree, asked, progress, stack)
        noting = RecordingReader(tree.files.read)
        settings = UpdateOptions(
            contents=noting.read,
            environment=tree.config.environment,
            reinfer=asked.reinfer,
            now=now,
        )
        decided = _decide_datasets(seen, settings, noting, progress)
        left = find_missing(tree, seen, decided, asked)
        decided = _apply_moves(seen, decided, left, settings)
        written = _write_files(tree, decided, left, asked, progress)
        if asked.write:
            settled = {one.urn: one for one in decided if one.path not in written.left}
            save_cache(tree, seen.surveys, settled, noting, progress, partly=bool(asked.only))
        prefixes = () if asked.only else [one.listing.source.prefix for one in seen.surveys]
        committed = commit.done(written.changed, decided, left, prefixes)
        report = build_report(
            seen,
            decided,
            left,
            written=written,
            asked=asked,
            committed=committed,
            remarks=(
                *list_edited(commit.edited),
                *warn_of_data(seen, tree),
                *find_duplicates(seen.met),
            ),
        )
        if asked.write:
            note_unreached(tree, find_unreached(report), (one.name for one in report.sources))
        return report


def _decide_datasets(
    seen: ScannedSources, settings: UpdateOptions, noting: RecordingReader, progress: ScanProgress
) -> list[DatasetUpdate]:
    decided = []
    decisions, fresh = seen.decisions(), seen.fresh()
    for done, met in enumerate(seen.met, 1):
        before = None if met.gathered.number in fresh else decisions.get(met.urn)
        decided.append(reuse_decision(met, before, noting) or update_dataset(met, settings))
        progress(ScanStage.MERGED, done, len(seen.met))
    return decided


def _apply_moves(
    seen: ScannedSources,
    decided: Sequence[DatasetUpdate],
    left: MissingDatasets,
    settings: UpdateOptions,
) -> list[DatasetUpdate]:
    """Keep the curated metadata of datasets that only moved."""
    return [
        update_dataset(met, settings, former=left.former(one.urn)) if one.urn in left.moves else one
        for met, one in zip(seen.met, decided, strict=True)
    ]


def _write_files(
    tree: Tree,
    decided: Sequence[DatasetUpdate],
    left: MissingDatasets,
    asked: ScanOptions,
    progress: ScanProgress,
) -> WriteResult:
    """Write whole files; files that were changed by others in the meantime stay unchanged."""
    contents = {path: content for one in decided for path, content in one.files.items()}
    if not asked.write:
        return WriteResult((*contents, *left.files()), ())
    were = {path: content for one in decided for path, content in one.were.items()}
    return tree.write_bytes(
        contents,
        were,
        gone=left.files(),
        progress=lambda done, total: progress(ScanStage.WRITTEN, done, total),
    )


def has_changes(report: ScanReport) -> bool:
    """Whether the scan changed the tree, or would without `--dry-run`."""
    return any(report.counts.get(outcome, 0) for outcome in _CHANGING)


def is_incomplete(report: ScanReport) -> bool:
    """Whether some stored data is not described."""
    unread = report.counts[ScanOutcome.KEPT] or report.counts[ScanOutcome.FAILED]
    return bool(report.bad_files or unread)


def is_out_of_reach(report: ScanReport) -> bool:
    """Whether a source, or a part of it, could not be listed or read: its content is unknown."""
    lost = any(one.reason == error_codes.UNREACHABLE for one in report.bad_files)
    return bool(report.failed) or lost or not all(one.complete for one in report.sources)


_CHANGING = (ScanOutcome.ADDED, ScanOutcome.CHANGED, ScanOutcome.MOVED, ScanOutcome.REMOVED)
