"""`lumos snap diff` with impact: beside each finding that matters, who feels it."""

import functools
from dataclasses import replace
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.commands.diff.judge import Progress, judged
from lumos_snap.commands.diff.sides import Asked, Chosen
from lumos_snap.concurrency import Ahead
from lumos_snap.errors import OutsideError
from lumos_snap.impact.index import Noted, Remembered, graph_of_folder, joined, remembered_of
from lumos_snap.lineage import Graph, graph_of
from lumos_snap.lineage.change import matters
from lumos_snap.report.diff import ChangedDataset, Difference, Remark
from lumos_snap.report.impact import Impact, Reach


class Traced(NamedTuple):
    """A diff, and the lineage of its new side."""

    report: Difference
    graph: Graph


class LineageError(OutsideError):
    """Lineage cannot be read; what was found without it stands."""

    def __init__(self, report: Difference, cause: OutsideError) -> None:
        super().__init__(f"who feels it is not known: {cause.message}", hint=cause.hint)
        self.report = report


def judged_with_impact(chosen: Chosen, asked: Asked, progress: Progress) -> Difference:
    """The same as a diff; where lineage cannot be read, it says so and stands without."""
    try:
        report, graph = traced(chosen, asked, progress)
    except LineageError as exc:
        said = Remark(path=SNAPSHOT.folder, message=exc.message)
        return replace(exc.report, remarks=(*exc.report.remarks, said))
    touched = [one for one in report.datasets if _matters(one)]
    if not any(map(functools.partial(_is_read, graph), touched)) and not graph.broken:
        return _unfelt(report, len(touched))
    from lumos_snap.impact import downstream  # noqa: PLC0415 - most changes reach nobody

    return downstream.felt(report, graph, chosen.head_tree.files)


def traced(chosen: Chosen, asked: Asked, progress: Progress, *, always: bool = False) -> Traced:
    """Compare and judge, and read the lineage of the new side meanwhile.

    Where nothing changed that matters there is none, unless it is always wanted.
    """
    noted, before = Noted(), _before(chosen, asked)
    report = judged(replace(chosen, changes=noted.noting(chosen.changes)), asked, progress)
    if not (always or any(map(_matters, report.datasets))):
        return Traced(report, graph_of({}))
    try:
        return Traced(report, _graph(chosen, asked, noted, before))
    except OutsideError as exc:
        raise LineageError(report, exc) from exc


def _before(chosen: Chosen, asked: Asked) -> Ahead[Remembered] | None:
    """What is remembered of the base is looked up while changes are judged."""
    commit = chosen.base.commit
    if commit is None:
        return None
    fetch = asked.sought.fetch
    return Ahead(functools.partial(remembered_of, chosen.head_tree, commit, fetch=fetch))


def _graph(chosen: Chosen, asked: Asked, noted: Noted, before: Ahead[Remembered] | None) -> Graph:
    if asked.sought.folders is not None:
        return graph_of_folder(chosen.head_tree)
    return joined(before.result() if before else Remembered(), noted)


def _matters(dataset: ChangedDataset) -> bool:
    return any(map(matters, dataset.findings))


def _is_read(graph: Graph, dataset: ChangedDataset) -> bool:
    """Whether anything is made from it, by its name or its former one."""
    names = filter(None, (dataset.urn, dataset.renamed_from))
    return any(map(graph.links_from, names))


_NOBODY = Impact(consumers=())


def _unfelt(report: Difference, touched: int) -> Difference:
    """The same diff, where nothing is made from what changed."""
    if not touched:
        return report
    return replace(
        report, datasets=tuple(map(_for_nobody, report.datasets)), reach=Reach.over(touched, 0, ())
    )


def _for_nobody(dataset: ChangedDataset) -> ChangedDataset:
    if not _matters(dataset):
        return dataset
    found = tuple(replace(one, impact=_NOBODY) if matters(one) else one for one in dataset.findings)
    return replace(dataset, findings=found)
