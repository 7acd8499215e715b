"""The downstream lineage graph: from a dataset to its consumers."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from lumos_snap.lineage.change import overlap
from lumos_snap.lineage.edges import (
    NO_INDEX,
    ColumnLink,
    DatasetEdges,
    EdgesOrUnreadable,
    LineageIndex,
    LineageLink,
    urn_at,
)


@dataclass(slots=True)
class Graph:
    """The lineage of a tree: an index of a former state, plus later changes.

    A changed snapshot replaces its entries in the index.
    """

    index: LineageIndex
    replaced: frozenset[str] = frozenset()
    """The datasets whose entries in the index are outdated."""
    datasets: frozenset[str] = frozenset()
    """The datasets of the tree that are not taken from the index."""
    broken: tuple[str, ...] = ()
    """The files that cannot be read, by their paths below the folder of snapshots."""
    _later: dict[str, set[LineageLink]] = field(default_factory=dict)
    _asked: dict[str, tuple[LineageLink, ...]] = field(default_factory=dict)

    def links_from(self, urn: str) -> tuple[LineageLink, ...]:
        """The edges from a dataset to its consumers, sorted."""
        found = self._asked.get(urn)
        if found is None:
            found = self._asked[urn] = tuple(sorted(self._links_from(urn)))
        return found

    def _links_from(self, urn: str) -> set[LineageLink]:
        before = (one for one in self.index.links_from(urn) if one.consumer not in self.replaced)
        return {*before, *self._later.get(urn, ())}

    def knows(self, urn: str) -> bool:
        """Whether a dataset is in the tree."""
        return urn in self.datasets or (urn not in self.replaced and self.index.knows(urn))

    def all_datasets(self) -> frozenset[str]:
        """Every dataset of the tree."""
        before = (one for one in self.index.stated() if isinstance(one, str))
        return frozenset((*(one for one in before if one not in self.replaced), *self.datasets))

    def all_links(self) -> Iterator[LineageLink]:
        """Every edge of the tree."""
        for one in self.index.stated():
            if isinstance(one, LineageLink) and one.consumer not in self.replaced:
                yield one
        for links in self._later.values():
            yield from links


def graph_of(said: Mapping[str, EdgesOrUnreadable | None], index: LineageIndex = NO_INDEX) -> Graph:
    """Build the graph from an index and the changed files, by path.

    A deleted file is None.
    """
    later: dict[str, set[LineageLink]] = defaultdict(set)
    datasets, broken = set(), set()
    for path, one in said.items():
        if isinstance(one, DatasetEdges):
            datasets.add(one.urn)
            for link in one.links:
                later[link.upstream].add(link)
        elif one is not None:
            broken.add(path)
    gone = (urn_at(path) for path, one in said.items() if not isinstance(one, DatasetEdges))
    return Graph(
        index,
        frozenset((*datasets, *gone)),
        frozenset(datasets),
        tuple(sorted(broken.union(set(index.broken()).difference(said)))),
        dict(later),
    )


Successors = Callable[[str], Iterable[str]]


@dataclass(slots=True)
class _Search:
    """Tarjan's algorithm for strongly connected components, without recursion for deep lineage."""

    successors: Successors
    numbers: dict[str, int] = field(default_factory=dict)
    lowest: dict[str, int] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    is_open: set[str] = field(default_factory=set)

    def groups_from(self, start: str) -> Iterator[list[str]]:
        """Every component reachable from a dataset that was not visited before."""
        if start in self.numbers:
            return
        walk = [(start, self._met(start))]
        while walk:
            urn, rest = walk[-1]
            following = next(rest, None)
            if following is None:
                walk.pop()
                if walk:
                    self._lower(walk[-1][0], self.lowest[urn])
                if self.lowest[urn] == self.numbers[urn]:
                    yield self._closed(urn)
            elif following not in self.numbers:
                walk.append((following, self._met(following)))
            elif following in self.is_open:
                self._lower(urn, self.numbers[following])

    def _met(self, urn: str) -> Iterator[str]:
        self.numbers[urn] = self.lowest[urn] = len(self.numbers)
        self.open.append(urn)
        self.is_open.add(urn)
        return iter(sorted(set(self.successors(urn)) - {urn}))

    def _lower(self, urn: str, number: int) -> None:
        self.lowest[urn] = min(self.lowest[urn], number)

    def _closed(self, urn: str) -> list[str]:
        found: list[str] = []
        while not found or found[-1] != urn:
            found.append(self.open.pop())
            self.is_open.discard(found[-1])
        return found


def cycles(urns: Iterable[str], successors: Successors) -> tuple[tuple[str, ...], ...]:
    """One shortest cycle for each group of cyclically connected datasets, sorted."""
    search = _Search(successors)
    groups = [group for urn in sorted(urns) for group in search.groups_from(urn)]
    return tuple(sorted(_circle(frozenset(g), successors) for g in groups if len(g) > 1))


def _circle(group: frozenset[str], successors: Successors) -> tuple[str, ...]:
    """The shortest cycle from the first dataset of a group back to itself."""
    start = min(group)
    ways: dict[str, tuple[str, ...]] = {start: (start,)}
    front = [start]
    while front:
        following = []
        for urn in front:
            for other in sorted(group.intersection(successors(urn)) - {urn}):
                if other == start:
                    return ways[urn]
                if other not in ways:
                    ways[other] = (*ways[urn], other)
                    following.append(other)
        front = following
    return (start,)  # not a cycle


class Every(Enum):
    """An impact that is not about one column."""

    ALL = "all columns"
    SOME = "some columns, nobody knows which"


Trace: TypeAlias = str | Every
Traces: TypeAlias = frozenset[Trace]


@dataclass(slots=True)
class ReachedDataset:
    """A dataset that an impact reaches."""

    urn: str
    depth: int
    through: tuple[str, ...]
    """The datasets on the shortest path to it; of several, the first by name."""
    traces: set[Trace] = field(default_factory=set)

    @property
    def columns(self) -> tuple[str, ...]:
        """Its affected columns, as far as they are known."""
        return tuple(sorted(one for one in self.traces if isinstance(one, str)))


def pass_on_traces(link: LineageLink, traces: Iterable[Trace]) -> set[Trace]:
    """The impact that an edge passes from its upstream to its consumer."""
    found: set[Trace] = set()
    for trace in traces:
        if trace is Every.ALL:  # without readable upstream data, nothing is written
            found.add(Every.ALL)
        elif trace is Every.SOME or not link.columns:
            found.add(Every.SOME)
        found.update(one.target for one in find_hits(link, trace))
    return found


def find_hits(link: LineageLink, trace: Trace) -> tuple[ColumnLink, ...]:
    """The column links of an edge whose source is affected."""
    if trace is Every.ALL:
        return tuple(one for one in link.columns if one.source)
    return tuple(
        one
        for one in link.columns
        if isinstance(trace, str) and one.source and overlap(one.source, trace)
    )


def propagate_traces(
    graph: Graph, starts: Mapping[str, Traces], *, most: int = 0
) -> tuple[dict[str, ReachedDataset], bool]:
    """Propagate impact downstream, nearest datasets first; `starts` have depth 1.

    Cycles end when nothing new is affected. With `most`, the result is limited to that many
    datasets, and the second value says whether it is complete.
    """
    found = {urn: ReachedDataset(urn, 1, (), set(traces)) for urn, traces in sorted(starts.items())}
    front: dict[str, set[Trace]] = {urn: set(one.traces) for urn, one in found.items()}
    while front:
        following: dict[str, set[Trace]] = {}
        for urn in sorted(front):
            for link in graph.links_from(urn):
                new = pass_on_traces(link, front[urn])
                at = found.get(link.consumer)
                if new and at is None:
                    if most and len(found) >= most:
                        return found, False
                    way = (*found[urn].through, urn)
                    at = found[link.consumer] = ReachedDataset(link.consumer, len(way) + 1, way)
                if at is not None and not new <= at.traces:
                    following.setdefault(link.consumer, set()).update(new - at.traces)
                    at.traces |= new
        front = following
    return found, True
