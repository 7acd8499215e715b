"""How far something reaches: from a column or a dataset to all that is made from it.

What is passed on along edges is a set of *traces*: a column that is touched, all columns, or "some
columns, nobody knows which". A set of traces passes on what its members pass on, so that several
changes can be followed at once, and order plays no part.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from lumos_snap.lineage.change import overlap
from lumos_snap.lineage.edges import Column, Link
from lumos_snap.lineage.graph import Graph


class Every(Enum):
    """What is not one column."""

    ALL = "all columns"
    SOME = "some columns, nobody knows which"


Trace: TypeAlias = str | Every
Traces: TypeAlias = frozenset[Trace]


@dataclass(slots=True)
class Reached:
    """A dataset that something reaches."""

    urn: str
    depth: int
    through: tuple[str, ...]
    """The datasets on the shortest way to it; of several, the first by name."""
    traces: set[Trace] = field(default_factory=set)

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns that are touched, as far as they are known."""
        return tuple(sorted(one for one in self.traces if isinstance(one, str)))


def passed_on(link: Link, traces: Iterable[Trace]) -> set[Trace]:
    """What an edge carries to its consumer of what touches its upstream."""
    found: set[Trace] = set()
    for trace in traces:
        if trace is Every.ALL:  # what is made from a dataset that cannot be read is not made
            found.add(Every.ALL)
        elif trace is Every.SOME or not link.columns:
            found.add(Every.SOME)
        found.update(one.target for one in hits(link, trace))
    return found


def hits(link: Link, trace: Trace) -> tuple[Column, ...]:
    """The columns of an edge that are made from what is touched."""
    if trace is Every.ALL:
        return tuple(one for one in link.columns if one.source)
    return tuple(
        one
        for one in link.columns
        if isinstance(trace, str) and one.source and overlap(one.source, trace)
    )


def spread(
    graph: Graph, starts: Mapping[str, Traces], *, most: int = 0
) -> tuple[dict[str, Reached], bool]:
    """All that is reached from what is touched already, nearest first; `starts` are of depth 1.

    Circles end where nothing new is touched. With `most`, the nearest so many are found, and
    whether those are all.
    """
    found = {urn: Reached(urn, 1, (), set(traces)) for urn, traces in sorted(starts.items())}
    front: dict[str, set[Trace]] = {urn: set(one.traces) for urn, one in found.items()}
    while front:
        following: dict[str, set[Trace]] = {}
        for urn in sorted(front):
            for link in graph.links_from(urn):
                new = passed_on(link, front[urn])
                at = found.get(link.consumer)
                if new and at is None:
                    if most and len(found) >= most:
                        return found, False
                    way = (*found[urn].through, urn)
                    at = found[link.consumer] = Reached(link.consumer, len(way) + 1, way)
                if at is not None and not new <= at.traces:
                    following.setdefault(link.consumer, set()).update(new - at.traces)
                    at.traces |= new
        front = following
    return found, True
