"""The lineage of a whole tree: how much there is, what is read most, and what is wrong with it."""

from collections import Counter, defaultdict

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.lineage import Graph
from lumos_snap.lineage.graph import cycles
from lumos_snap.report.envelope import Finding
from lumos_snap.report.impact import Circle, Dangling, ImpactAnswer, MostRead, Overview

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
