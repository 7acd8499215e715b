"""`lumos snap impact`: downstream consumers of datasets and columns, and the effect of changes."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.paths import urn_of
from lumos_snap.commands.diff.impact import judge_with_lineage
from lumos_snap.commands.diff.judge import Progress
from lumos_snap.commands.diff.saved_report import read_saved_diff
from lumos_snap.commands.diff.sides import DiffOptions, resolve_sides
from lumos_snap.errors import LumosError
from lumos_snap.impact.downstream import (
    ChangeImpacts,
    all_changes,
    find_cycles,
    find_impacts,
    find_missing_upstreams,
)
from lumos_snap.impact.index import graph_now
from lumos_snap.lineage import ColumnLink, Graph
from lumos_snap.lineage.change import LineageChange, overlap, removal, short
from lumos_snap.lineage.graph import cycles
from lumos_snap.model.field_path import format_path, parse_path, walk
from lumos_snap.report.consumers import Impact
from lumos_snap.report.diff import DiffReport
from lumos_snap.report.envelope import FileFinding
from lumos_snap.report.impact import (
    AffectingChange,
    DanglingEdge,
    ImpactReport,
    LineageCycle,
    MostRead,
    Overview,
)
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce
from lumos_snap.tree.selection import find_among, unknown_dataset_error


class FieldReference(NamedTuple):
    """A dataset, and optionally one of its fields."""

    urn: str
    field: str | None = None


def resolve_reference(tree: Tree, graph: Graph, wanted: str) -> FieldReference:
    """Resolve `DATASET.FIELD`, where both may contain dots; the longest dataset name wins."""
    paths = () if wanted.startswith("lumos://") else tree.paths(SNAPSHOT)
    for dataset, field in _splits(wanted):
        urn = _dataset(graph, paths, dataset)
        if urn is not None:
            if field is not None:
                _require_field(tree, graph, urn, field)
            return FieldReference(urn, field)
    raise unknown_dataset_error(tree, wanted)


def _splits(wanted: str) -> Iterator[tuple[str, str | None]]:
    """Every way to split the text: as a dataset, or with a field after one of its dots."""
    yield wanted, None
    at = len(wanted)
    while (at := wanted.rfind(".", 0, at)) > 0:
        try:
            yield wanted[:at], format_path(parse_path(wanted[at + 1 :]))
        except ValueError:
            continue


def _dataset(graph: Graph, paths: tuple[str, ...], name: str) -> str | None:
    """The urn of a dataset, also of one that only lineage names."""
    if name.startswith("lumos://"):
        return name if graph.knows(name) or graph.links_from(name) else None
    path = find_among(paths, name)
    return None if path is None else str(urn_of(path.removeprefix(SNAPSHOT.folder + "/")))


def _require_field(tree: Tree, graph: Graph, urn: str, field: str) -> None:
    """Raise for an unknown field: a typo must not look like a column without consumers."""
    if not graph.knows(urn) or any(_uses(one.source, field) for one in _columns(graph, urn)):
        return
    snapshot = tree[urn]
    fields = [*snapshot.schema.fields, *snapshot.schema.key_fields]
    known = [format_path(path) for path, _ in walk(fields)]
    known += [one.name for one in snapshot.storage.partitioning]
    if field not in known:
        raise _no_field(urn, field, known)


def _columns(graph: Graph, urn: str) -> Iterator[ColumnLink]:
    for link in graph.links_from(urn):
        yield from link.columns


def _uses(source: str, field: str) -> bool:
    return bool(source) and overlap(source, field)


def _no_field(urn: str, field: str, known: list[str]) -> LumosError:
    import difflib  # noqa: PLC0415 - only when something went wrong

    close = difflib.get_close_matches(field, known, n=1)
    hint = f"did you mean {close[0]}?" if close else "`lumos snap show` lists its fields"
    return LumosError(f"{short(urn)} has no field {field!r}", hint=hint)


_MOST_READ = 10


def summarize_lineage(graph: Graph, source: str) -> ImpactReport:
    """Summarize all lineage of a tree."""
    datasets = graph.all_datasets()
    consumers: defaultdict[str, set[str]] = defaultdict(set)
    edges = 0
    for link in graph.all_links():
        edges += 1
        consumers[link.upstream].add(link.consumer)
    themselves = sum(urn in found for urn, found in consumers.items())
    readers = Counter({urn: len(found - {urn}) for urn, found in consumers.items()})
    return ImpactReport(
        source=source,
        changes=(),
        overview=Overview(
            datasets=len(datasets),
            edges=edges,
            read_themselves=themselves,
            most_read=_most_read(readers),
        ),
        cycles=tuple(
            LineageCycle(datasets=one)
            for one in cycles(consumers, lambda urn: consumers.get(urn, ()))
        ),
        dangling=tuple(
            DanglingEdge(urn=consumer, upstream=urn)
            for urn in sorted(consumers.keys() - datasets)
            for consumer in sorted(consumers[urn])
        ),
        findings=find_unreadable(graph),
    )


def _most_read(readers: Counter[str]) -> tuple[MostRead, ...]:
    ranked = sorted(readers.items(), key=lambda one: (-one[1], one[0]))
    return tuple(MostRead(urn=urn, readers=number) for urn, number in ranked[:_MOST_READ] if number)


def find_unreadable(graph: Graph) -> tuple[FileFinding, ...]:
    """Findings for snapshots whose lineage cannot be read, one each."""
    return tuple(
        FileFinding(
            path=f"{SNAPSHOT.folder}/{path}",
            line=0,
            column=0,
            rule="lineage-unknown",
            message="cannot be read: what it is made from is not known",
            hint="`lumos snap validate` says what is wrong",
        )
        for path in graph.broken
    )


def find_consumers(tree: Tree, wanted: str | None, *, fetch: bool = True) -> ImpactReport:
    """Find the consumers of a dataset or column; without a name, summarize the tree."""
    graph = graph_now(tree, fetch=fetch)
    if wanted is None:
        return summarize_lineage(graph, tree.label)
    urn, field = resolve_reference(tree, graph, wanted)
    found = find_impacts(graph, tree.files, (removal(urn, field),))
    answer = _answer(graph, found, tree.label)
    return replace(answer, changes=tuple(map(_without_finding, answer.changes)))


def _without_finding(one: AffectingChange) -> AffectingChange:
    """Drop the finding: nothing has changed yet."""
    return replace(one, fingerprint=None, rule=None, slug=None, level=None, message=None)


def impact_of_diff(
    open_here: Callable[[], Tree],
    asked: DiffOptions,
    wanted: str | None,
    announce: Announce,
    progress: Progress,
) -> ImpactReport:
    """Impact of the differences from a base."""
    chosen = resolve_sides(open_here, asked.sought, announce)
    report, graph = judge_with_lineage(chosen, asked, progress, always=True)
    return _impact_of_report(report, graph, chosen.head_tree, wanted)


def impact_of_file(
    tree: Tree, file: Path, wanted: str | None, *, fetch: bool = True
) -> ImpactReport:
    """Impact of a saved diff report."""
    report = read_saved_diff(file)
    there = tree if report.head.commit is None else tree.at(report.head.commit)
    return _impact_of_report(report, graph_now(there, fetch=fetch), there, wanted)


def _impact_of_report(
    report: DiffReport, graph: Graph, tree: Tree, wanted: str | None
) -> ImpactReport:
    """Impact of a diff report, or of its part about one dataset or column."""
    changes = all_changes(report.datasets)
    if wanted is not None:
        only = resolve_reference(tree, graph, wanted)
        changes = tuple(change for change in changes if _is_about(change, only))
    answer = _answer(graph, find_impacts(graph, tree.files, changes), report.head.name)
    wrong = _merge_findings(report.damaged, report.undecided, answer.findings)
    return replace(answer, base=report.base, findings=wrong)


def _is_about(change: LineageChange, only: FieldReference) -> bool:
    is_field = only.field is None or any(overlap(one, only.field) for one in change.columns)
    return only.urn in change.urns and is_field


def _answer(graph: Graph, found: ChangeImpacts, source: str) -> ImpactReport:
    return ImpactReport(
        source=source,
        changes=tuple(_build_affecting(graph, *one) for one in found.impacts()),
        reach=found.reach,
        cycles=tuple(LineageCycle(datasets=one) for one in find_cycles(graph, found)),
        dangling=tuple(
            DanglingEdge(urn=one, upstream=up) for one, up in find_missing_upstreams(graph, found)
        ),
        findings=find_unreadable(graph),
    )


def _build_affecting(graph: Graph, change: LineageChange, impact: Impact) -> AffectingChange:
    one = change.finding
    return AffectingChange(
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


def _merge_findings(*groups: Iterable[FileFinding]) -> tuple[FileFinding, ...]:
    """Merge findings about the same files: one for each file."""
    by_path = {one.path: one for group in reversed(groups) for one in group}
    return tuple(by_path[path] for path in sorted(by_path))
