"""What `DATASET.FIELD` means, where dots may stand in both."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.paths import urn_of
from lumos_snap.commands.diff.impact import traced
from lumos_snap.commands.diff.judge import Progress
from lumos_snap.commands.diff.saved_report import recorded
from lumos_snap.commands.diff.sides import Asked, chosen_sides
from lumos_snap.errors import LumosError
from lumos_snap.impact.downstream import Feelings, all_changes, circles, feelings, left_behind
from lumos_snap.impact.index import graph_now
from lumos_snap.lineage import Column, Graph
from lumos_snap.lineage.change import Change, overlap, removal, short
from lumos_snap.lineage.graph import cycles
from lumos_snap.model.field_path import format_path, parse_path, walk
from lumos_snap.report.consumers import (
    Affecting,
    Circle,
    Dangling,
    ImpactAnswer,
    MostRead,
    Overview,
)
from lumos_snap.report.diff import Difference
from lumos_snap.report.envelope import Finding
from lumos_snap.report.impact import Impact
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce
from lumos_snap.tree.selection import find_among, unknown


class Meant(NamedTuple):
    """A dataset, and the field of it that is meant, if one is."""

    urn: str
    field: str | None = None


def meant(tree: Tree, graph: Graph, wanted: str) -> Meant:
    """The dataset and field that a person means; the longest name of a dataset counts."""
    paths = () if wanted.startswith("lumos://") else tree.paths(SNAPSHOT)
    for dataset, field in _splits(wanted):
        urn = _dataset(graph, paths, dataset)
        if urn is not None:
            if field is not None:
                _require_field(tree, graph, urn, field)
            return Meant(urn, field)
    raise unknown(tree, wanted)


def _splits(wanted: str) -> Iterator[tuple[str, str | None]]:
    """Every way to read it: as a dataset, or with a field after one of its dots."""
    yield wanted, None
    at = len(wanted)
    while (at := wanted.rfind(".", 0, at)) > 0:
        try:
            yield wanted[:at], format_path(parse_path(wanted[at + 1 :]))
        except ValueError:
            continue


def _dataset(graph: Graph, paths: tuple[str, ...], name: str) -> str | None:
    """Its urn: also that of a dataset that only lineage names."""
    if name.startswith("lumos://"):
        return name if graph.knows(name) or graph.links_from(name) else None
    path = find_among(paths, name)
    return None if path is None else str(urn_of(path.removeprefix(SNAPSHOT.folder + "/")))


def _require_field(tree: Tree, graph: Graph, urn: str, field: str) -> None:
    """A slip of the pen must not look like a column that nobody reads."""
    if not graph.knows(urn) or any(_uses(one.source, field) for one in _columns(graph, urn)):
        return
    snapshot = tree[urn]
    fields = [*snapshot.schema.fields, *snapshot.schema.key_fields]
    known = [format_path(path) for path, _ in walk(fields)]
    known += [one.name for one in snapshot.storage.partitioning]
    if field not in known:
        raise _no_field(urn, field, known)


def _columns(graph: Graph, urn: str) -> Iterator[Column]:
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


def overview(graph: Graph, source: str) -> ImpactAnswer:
    """What is to be said of all lineage of a tree."""
    datasets = graph.all_datasets()
    consumers: defaultdict[str, set[str]] = defaultdict(set)
    edges = 0
    for link in graph.all_links():
        edges += 1
        consumers[link.upstream].add(link.consumer)
    themselves = sum(urn in found for urn, found in consumers.items())
    readers = Counter({urn: len(found - {urn}) for urn, found in consumers.items()})
    return ImpactAnswer(
        source=source,
        changes=(),
        overview=Overview(
            datasets=len(datasets),
            edges=edges,
            read_themselves=themselves,
            most_read=_most_read(readers),
        ),
        cycles=tuple(
            Circle(datasets=one) for one in cycles(consumers, lambda urn: consumers.get(urn, ()))
        ),
        dangling=tuple(
            Dangling(urn=consumer, upstream=urn)
            for urn in sorted(consumers.keys() - datasets)
            for consumer in sorted(consumers[urn])
        ),
        findings=unread(graph),
    )


def _most_read(readers: Counter[str]) -> tuple[MostRead, ...]:
    ranked = sorted(readers.items(), key=lambda one: (-one[1], one[0]))
    return tuple(MostRead(urn=urn, readers=number) for urn, number in ranked[:_MOST_READ] if number)


def unread(graph: Graph) -> tuple[Finding, ...]:
    """The snapshots of which nothing can be known, a line each."""
    return tuple(
        Finding(
            path=f"{SNAPSHOT.folder}/{path}",
            line=0,
            column=0,
            rule="lineage-unknown",
            message="cannot be read: what it is made from is not known",
            hint="`lumos snap validate` says what is wrong",
        )
        for path in graph.broken
    )


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
