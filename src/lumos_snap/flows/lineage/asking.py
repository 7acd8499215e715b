"""`lumos snap impact`: who reads a dataset or a column, and who feels what changed."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from lumos_snap.flows.deciding import Progress
from lumos_snap.flows.lineage.difference import traced
from lumos_snap.flows.lineage.feelings import (
    Feelings,
    all_changes,
    circles,
    feelings,
    left_behind,
)
from lumos_snap.flows.lineage.graphs import graph_now
from lumos_snap.flows.lineage.naming import Meant, meant
from lumos_snap.flows.lineage.overview import overview, unread
from lumos_snap.flows.recorded import recorded
from lumos_snap.flows.sides import Asked, chosen_sides
from lumos_snap.lineage import Graph
from lumos_snap.lineage.change import Change, overlap, removal
from lumos_snap.report.diff import Difference
from lumos_snap.report.envelope import Finding
from lumos_snap.report.impact import Affecting, Circle, Dangling, Impact, ImpactAnswer
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce


def who_reads(tree: Tree, wanted: str | None, *, fetch: bool = True) -> ImpactAnswer:
    """Who reads a dataset or a column, as if it were to go; without a name, the whole tree."""
    graph = graph_now(tree, fetch=fetch)
    if wanted is None:
        return overview(graph, tree.label)
    urn, field = meant(tree, graph, wanted)
    found = feelings(graph, tree.files, (removal(urn, field),))
    answer = _answer(graph, found, tree.label)
    return replace(answer, changes=tuple(map(_supposed, answer.changes)))


def _supposed(one: Affecting) -> Affecting:
    """Without a finding: nothing has changed yet."""
    return replace(one, fingerprint=None, rule=None, slug=None, level=None, message=None)


def of_difference(
    open_here: Callable[[], Tree],
    asked: Asked,
    wanted: str | None,
    announce: Announce,
    progress: Progress,
) -> ImpactAnswer:
    """Who feels what differs from a base."""
    chosen = chosen_sides(open_here, asked.sought, announce)
    report, graph = traced(chosen, asked, progress, always=True)
    return _of_report(report, graph, chosen.head_tree, wanted)


def of_file(tree: Tree, file: Path, wanted: str | None, *, fetch: bool = True) -> ImpactAnswer:
    """Who feels what a diff has found before, of which a file holds the JSON."""
    report = recorded(file)
    there = tree if report.head.commit is None else tree.at(report.head.commit)
    return _of_report(report, graph_now(there, fetch=fetch), there, wanted)


def _of_report(report: Difference, graph: Graph, tree: Tree, wanted: str | None) -> ImpactAnswer:
    """Who feels what a diff found, or the part of it that is about one dataset or column."""
    changes = all_changes(report.datasets)
    if wanted is not None:
        only = meant(tree, graph, wanted)
        changes = tuple(change for change in changes if _is_about(change, only))
    answer = _answer(graph, feelings(graph, tree.files, changes), report.head.name)
    wrong = _merged(report.damaged, report.undecided, answer.findings)
    return replace(answer, base=report.base, findings=wrong)


def _is_about(change: Change, only: Meant) -> bool:
    is_field = only.field is None or any(overlap(one, only.field) for one in change.columns)
    return only.urn in change.urns and is_field


def _answer(graph: Graph, found: Feelings, source: str) -> ImpactAnswer:
    return ImpactAnswer(
        source=source,
        changes=tuple(_affecting(graph, *one) for one in found.impacts()),
        reach=found.reach,
        cycles=tuple(Circle(datasets=one) for one in circles(graph, found)),
        dangling=tuple(Dangling(urn=one, upstream=up) for one, up in left_behind(graph, found)),
        findings=unread(graph),
    )


def _affecting(graph: Graph, change: Change, impact: Impact) -> Affecting:
    one = change.finding
    return Affecting(
        urn=one.urn,
        field=one.field,
        reads_itself=any(link.consumer == one.urn for link in graph.links_from(one.urn)),
        fingerprint=one.fingerprint,
        rule=one.rule,
        slug=one.slug,
        level=one.level,
        message=one.message,
        impact=impact,
    )


def _merged(*groups: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings of several looks at the same files: one for each file."""
    by_path = {one.path: one for group in reversed(groups) for one in group}
    return tuple(by_path[path] for path in sorted(by_path))
