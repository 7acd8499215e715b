"""Circles of lineage: datasets that are made from each other."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

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
