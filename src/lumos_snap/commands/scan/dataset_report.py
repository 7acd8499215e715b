"""One dataset in the report of a scan."""

from lumos_snap.report.scan import (
    Outcome,
    ScannedDataset,
)
from lumos_snap.scan.dataset_update import Decided


def is_worth_telling(one: Decided) -> bool:
    """Whether a report says anything of a dataset."""
    return one.outcome is not Outcome.UNCHANGED or bool(one.notes or one.told)


def told_of(one: Decided) -> ScannedDataset:
    """What is said of a dataset."""
    if one.told is not None:
        return one.told
    summary, gathered = one.summary, one.gathered
    if summary is None:
        return ScannedDataset(
            urn=one.urn,
            path=one.path,
            outcome=one.outcome,
            files=gathered.files if gathered else None,
            bytes=gathered.bytes if gathered else None,
            notes=one.notes,
        )
    return ScannedDataset(
        urn=one.urn,
        path=one.path,
        outcome=one.outcome,
        format=summary.format,
        columns=summary.columns,
        files=summary.files,
        looked_at=summary.looked_at,
        bytes=summary.bytes,
        rows=summary.rows,
        moved_from=one.moved_from,
        notes=one.notes,
    )
