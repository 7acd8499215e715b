"""What a report says of one dataset."""

from collections import Counter
from collections.abc import Iterator, Sequence

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.commands.scan.commit import Committed
from lumos_snap.commands.scan.dataset_report import is_worth_telling, told_of
from lumos_snap.commands.scan.missing_datasets import Leaving
from lumos_snap.commands.scan.options import Asked
from lumos_snap.commands.scan.sources import Seen
from lumos_snap.report.scan import (
    BadFile,
    Outcome,
    ScanEngine,
    Scanned,
    ScannedDataset,
    ScannedSource,
)
from lumos_snap.scan.dataset import Met
from lumos_snap.scan.dataset_update import Decided
from lumos_snap.scan.listing import Listing
from lumos_snap.text import readable
from lumos_snap.tree import Written


def reported(
    seen: Seen,
    decided: Sequence[Decided],
    left: Leaving,
    *,
    written: Written,
    asked: Asked,
    committed: Committed | None,
) -> Scanned:
    """Everything that was found and done, for people and machines."""
    moved_to = {old: new for new, old in left.moves.items()}
    gone = tuple(_gone(urn, left, moved_to.get(urn)) for urn in left.gone)
    counts = Counter([one.outcome for one in decided] + [one.outcome for one in gone])
    told = [told_of(one) for one in decided if is_worth_telling(one)]
    gone_files = left.files()
    datasets = Counter(met.source.name for met in seen.met)
    used = seen.engine
    return Scanned(
        engine=ScanEngine(**used._asdict()) if used else None,
        sources=tuple(
            _source(one.listing, one.looked_at, datasets[one.listing.source.name])
            for one in seen.surveys
        ),
        datasets=tuple(sorted([*told, *gone], key=lambda one: one.urn)),
        counts={outcome.value: counts[outcome] for outcome in Outcome},
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
            *_unmatched(seen, asked),
            *(said for one in seen.surveys for said in one.listing.remarks),
        ),
    )


def _unmatched(seen: Seen, asked: Asked) -> Iterator[str]:
    if asked.only and not seen.met:
        yield f"no dataset matches {' or '.join(asked.only)}"


def _gone(urn: str, left: Leaving, new: str | None) -> ScannedDataset:
    outcome = Outcome.REMOVED if urn in left.removed else Outcome.VANISHED
    notes = () if new is None else (f"lies at {new} now",)
    return ScannedDataset(urn=urn, path=SNAPSHOT.path(urn), outcome=outcome, notes=notes)


def _source(listing: Listing, looked_at: int, datasets: int) -> ScannedSource:
    return ScannedSource(
        name=listing.source.name,
        files=listing.files,
        bytes=listing.bytes,
        datasets=datasets,
        looked_at=looked_at,
        passed_over=dict(sorted(listing.passed_over.items())),
        complete=listing.complete,
    )


def _bad(seen: Seen) -> Iterator[BadFile]:
    for survey in seen.surveys:
        listing = survey.listing
        for one in sorted(listing.troubles):
            yield _file(listing.source.name, one.path, one.reason, one.detail)
    for met in seen.met:
        for one in sorted(met.evidence.bad):
            yield _file(met.source.name, one.path, one.reason, one.detail, met)


def _file(source: str, path: str, reason: str, detail: str, met: Met | None = None) -> BadFile:
    return BadFile(
        source=source,
        path=readable(path) or ".",
        reason=reason,
        detail=detail,
        dataset=met.urn if met else None,
    )
