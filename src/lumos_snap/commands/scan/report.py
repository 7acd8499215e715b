"""The report of a scan."""

from collections import Counter
from collections.abc import Iterator, Sequence

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.commands.scan.cache import describe_dataset, is_worth_reporting
from lumos_snap.commands.scan.commit import ScanCommit
from lumos_snap.commands.scan.missing_datasets import MissingDatasets
from lumos_snap.commands.scan.options import ScanOptions
from lumos_snap.commands.scan.sources import ScannedSources
from lumos_snap.report.scan import (
    BadFile,
    ScanEngine,
    ScannedDataset,
    ScannedSource,
    ScanOutcome,
    ScanReport,
)
from lumos_snap.scan.dataset import SourceDataset
from lumos_snap.scan.dataset_update import DatasetUpdate
from lumos_snap.scan.listing import SourceListing
from lumos_snap.text import readable
from lumos_snap.tree import WriteResult


def build_report(
    seen: ScannedSources,
    decided: Sequence[DatasetUpdate],
    left: MissingDatasets,
    *,
    written: WriteResult,
    asked: ScanOptions,
    committed: ScanCommit | None,
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
        remarks=(
            *left.why_not,
            *_find_unmatched(seen, asked),
            *(said for one in seen.surveys for said in one.listing.remarks),
        ),
    )


def _find_unmatched(seen: ScannedSources, asked: ScanOptions) -> Iterator[str]:
    if asked.only and not seen.met:
        yield f"no dataset matches {' or '.join(asked.only)}"


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
        passed_over=dict(sorted(listing.passed_over.items())),
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
