"""Lineage turned round: from a dataset to what is made from it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lumos_snap.lineage.edges import Link, Said, Stated, urn_at
from lumos_snap.lineage.index import NO_INDEX, Index


@dataclass(slots=True)
class Graph:
    """The lineage of a tree: an index of what it was, and what has changed since.

    What a changed snapshot says counts instead of what the index has of it.
    """

    index: Index
    replaced: frozenset[str] = frozenset()
    """The datasets of which the index knows nothing any more."""
    datasets: frozenset[str] = frozenset()
    """The datasets that are in the tree beside those of the index."""
    broken: tuple[str, ...] = ()
    """The files of which nothing is known, by their paths below the folder of snapshots."""
    _later: dict[str, set[Link]] = field(default_factory=dict)
    _asked: dict[str, tuple[Link, ...]] = field(default_factory=dict)

    def links_from(self, urn: str) -> tuple[Link, ...]:
        """The edges that lead from a dataset, sorted."""
        found = self._asked.get(urn)
        if found is None:
            found = self._asked[urn] = tuple(sorted(self._links_from(urn)))
        return found

    def _links_from(self, urn: str) -> set[Link]:
        before = (one for one in self.index.links_from(urn) if one.consumer not in self.replaced)
        return {*before, *self._later.get(urn, ())}

    def knows(self, urn: str) -> bool:
        """Whether a dataset is in the tree."""
        return urn in self.datasets or (urn not in self.replaced and self.index.knows(urn))

    def all_datasets(self) -> frozenset[str]:
        """Every dataset of the tree."""
        before = (one for one in self.index.stated() if isinstance(one, str))
        return frozenset((*(one for one in before if one not in self.replaced), *self.datasets))

    def all_links(self) -> Iterator[Link]:
        """Every edge of the tree."""
        for one in self.index.stated():
            if isinstance(one, Link) and one.consumer not in self.replaced:
                yield one
        for links in self._later.values():
            yield from links


def graph_of(said: Mapping[str, Said | None], index: Index = NO_INDEX) -> Graph:
    """The graph of an index, and of what the files at some paths say that have changed since.

    A file that is gone says nothing.
    """
    later: dict[str, set[Link]] = defaultdict(set)
    datasets, broken = set(), set()
    for path, one in said.items():
        if isinstance(one, Stated):
            datasets.add(one.urn)
            for link in one.links:
                later[link.upstream].add(link)
        elif one is not None:
            broken.add(path)
    gone = (urn_at(path) for path, one in said.items() if not isinstance(one, Stated))
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
    """Tarjan's search for what is strongly connected, without recursion: lineage may be deep."""

    successors: Successors
    numbers: dict[str, int] = field(default_factory=dict)
    lowest: dict[str, int] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    is_open: set[str] = field(default_factory=set)

    def groups_from(self, start: str) -> Iterator[list[str]]:
        """Every group that is met from a dataset and was not met before."""
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
    """One shortest circle for each group of datasets that are made from each other, sorted."""
    search = _Search(successors)
    groups = [group for urn in sorted(urns) for group in search.groups_from(urn)]
    return tuple(sorted(_circle(frozenset(g), successors) for g in groups if len(g) > 1))


def _circle(group: frozenset[str], successors: Successors) -> tuple[str, ...]:
    """The shortest way from the first dataset of a group back to itself."""
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
    return (start,)  # not a group at all
