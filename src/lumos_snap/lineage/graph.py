"""Lineage turned round: from a dataset to what is made from it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lumos_snap.lineage.index import NO_INDEX, Index
from lumos_snap.lineage.links import Link, Said, Stated, urn_at


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
