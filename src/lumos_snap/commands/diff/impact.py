"""`lumos snap diff` with impact: the affected consumers of each relevant finding."""

import functools
from dataclasses import replace
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.commands.diff.judge import Progress, judge_sides
from lumos_snap.commands.diff.sides import DiffOptions, DiffSides
from lumos_snap.concurrency import BackgroundCall
from lumos_snap.errors import OutsideError
from lumos_snap.impact.index import (
    LineageRecorder,
    LineageState,
    graph_of_folder,
    join_graph,
    load_tree_lineage,
)
from lumos_snap.lineage import Graph, graph_of
from lumos_snap.lineage.change import matters
from lumos_snap.report.consumers import Impact, Reach
from lumos_snap.report.diff import ChangedDataset, DiffReport, Remark


class LineageDiff(NamedTuple):
    """A diff, and the lineage of its new side."""

    report: DiffReport
    graph: Graph


class LineageError(OutsideError):
    """Lineage cannot be read; the report without it remains valid."""

    def __init__(self, report: DiffReport, cause: OutsideError) -> None:
        super().__init__(f"who feels it is not known: {cause.message}", hint=cause.hint)
        self.report = report


def judge_with_impact(chosen: DiffSides, asked: DiffOptions, progress: Progress) -> DiffReport:
    """Judge a diff with impact; without lineage, add a remark and leave impact out."""
    try:
        report, graph = judge_with_lineage(chosen, asked, progress)
    except LineageError as exc:
        said = Remark(path=SNAPSHOT.folder, message=exc.message)
        return replace(exc.report, remarks=(*exc.report.remarks, said))
    touched = [one for one in report.datasets if _matters(one)]
    if not any(map(functools.partial(_has_consumers, graph), touched)) and not graph.broken:
        return _without_impact(report, len(touched))
    from lumos_snap.impact import downstream  # noqa: PLC0415 - most changes reach nobody

    return downstream.add_impact(report, graph, chosen.head_tree.files)


def judge_with_lineage(
    chosen: DiffSides, asked: DiffOptions, progress: Progress, *, always: bool = False
) -> LineageDiff:
    """Compare and judge, and read the lineage of the new side in the background.

    Without relevant changes no lineage is read, unless `always`.
    """
    noted, before = LineageRecorder(), _before(chosen, asked)
    report = judge_sides(replace(chosen, changes=noted.noting(chosen.changes)), asked, progress)
    if not (always or any(map(_matters, report.datasets))):
        return LineageDiff(report, graph_of({}))
    try:
        return LineageDiff(report, _graph(chosen, asked, noted, before))
    except OutsideError as exc:
        raise LineageError(report, exc) from exc


def _before(chosen: DiffSides, asked: DiffOptions) -> BackgroundCall[LineageState] | None:
    """Start to load the remembered lineage of the base while changes are judged."""
    commit = chosen.base.commit
    if commit is None:
        return None
    fetch = asked.sought.fetch
    return BackgroundCall(
        functools.partial(load_tree_lineage, chosen.head_tree, commit, fetch=fetch)
    )


def _graph(
    chosen: DiffSides,
    asked: DiffOptions,
    noted: LineageRecorder,
    before: BackgroundCall[LineageState] | None,
) -> Graph:
    if asked.sought.folders is not None:
        return graph_of_folder(chosen.head_tree)
    return join_graph(before.result() if before else LineageState(), noted)


def _matters(dataset: ChangedDataset) -> bool:
    return any(map(matters, dataset.findings))


def _has_consumers(graph: Graph, dataset: ChangedDataset) -> bool:
    """Whether a dataset has downstream consumers, by its current or its former name."""
    names = filter(None, (dataset.urn, dataset.renamed_from))
    return any(map(graph.links_from, names))


_NOBODY = Impact(consumers=())


def _without_impact(report: DiffReport, touched: int) -> DiffReport:
    """The same diff, where the changed datasets have no consumers."""
    if not touched:
        return report
    return replace(
        report,
        datasets=tuple(map(_with_no_consumers, report.datasets)),
        reach=Reach.over(touched, 0, ()),
    )


def _with_no_consumers(dataset: ChangedDataset) -> ChangedDataset:
    if not _matters(dataset):
        return dataset
    found = tuple(replace(one, impact=_NOBODY) if matters(one) else one for one in dataset.findings)
    return replace(dataset, findings=found)
