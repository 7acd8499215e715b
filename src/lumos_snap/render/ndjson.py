"""A diff as lines of JSON, for programs that read one thing after the other."""

from collections.abc import Iterator

from lumos_snap.render.json_report import written
from lumos_snap.report.diff import ChangedDataset, Difference
from lumos_snap.report.envelope import answer
from lumos_snap.report.ndjson import DatasetSummary, DiffLine, DiffSummary


def difference(report: Difference) -> str:
    """The whole diff: the verdict first, then what cannot be read, then datasets and findings."""
    return "".join(written(answer(line)) for line in _lines(report))


def _lines(report: Difference) -> Iterator[DiffLine]:
    yield DiffLine(diff=_summary(report))
    yield from (DiffLine(policy_change=one) for one in report.policy_changes)
    yield from (DiffLine(new_waiver=one) for one in report.new_waivers)
    yield from (DiffLine(undecided=one) for one in report.undecided)
    yield from (DiffLine(damaged=one) for one in report.damaged)
    for dataset in report.datasets:
        yield DiffLine(dataset=_dataset(dataset))
        yield from (DiffLine(finding=one) for one in dataset.findings)
    yield from (DiffLine(entity=one) for one in report.entities)
    yield from (DiffLine(remark=one) for one in report.remarks)


def _summary(report: Difference) -> DiffSummary:
    return DiffSummary(
        base=report.base,
        head=report.head,
        root=report.root,
        verdict=report.verdict,
        reasons=report.reasons,
        fail_on=report.fail_on,
        bump=report.bump,
        counts=report.counts,
        reach=report.reach,
    )


def _dataset(dataset: ChangedDataset) -> DatasetSummary:
    return DatasetSummary(
        urn=dataset.urn,
        path=dataset.path,
        change=dataset.change,
        renamed_from=dataset.renamed_from,
        bump=dataset.bump,
        readers=dataset.readers,
    )
