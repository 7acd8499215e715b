"""One dataset in the report of a scan."""

from lumos_snap.report.scan import ScannedDataset, ScanOutcome
from lumos_snap.scan.dataset_update import DatasetUpdate


def is_worth_reporting(one: DatasetUpdate) -> bool:
    """Whether a dataset appears in the report."""
    return one.outcome is not ScanOutcome.UNCHANGED or bool(one.notes or one.told)


def describe_dataset(one: DatasetUpdate) -> ScannedDataset:
    """Describe a dataset for the report."""
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
