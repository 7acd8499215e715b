"""What a commit itself changed: of a merge, only what none of its parents said.

A merge that brings two branches together repeats nothing: each of its facts about one parent is
what the other branch did. What somebody decided in the merge differs from every parent.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lumos_snap.diff import Comparison, Fact, compare
from lumos_snap.history.versions import Document
from lumos_snap.model.field_path import parse_path


class Differing(NamedTuple):
    """What differs from one parent, and what of that is of this commit."""

    comparison: Comparison
    own: tuple[Fact, ...]


def differences(
    urn: str, olds: Sequence[Document | None], new: Document | None
) -> tuple[Differing, ...]:
    """What differs from each parent, in their order."""
    found = [compare(urn, old, new) for old in olds]
    if len(found) == 1:
        return (Differing(found[0], found[0].facts),)
    told: list[Fact] = []
    return tuple(
        Differing(one, tuple(_own(one, [*found[:index], *found[index + 1 :]], told)))
        for index, one in enumerate(found)
    )


def _own(one: Comparison, others: Sequence[Comparison], told: list[Fact]) -> Iterator[Fact]:
    """What differs from every parent, where no comparison with another parent has told it."""
    for fact in one.facts:
        is_own = all(any(_covers(each, fact) for each in other.facts) for other in others)
        if is_own and not any(_covers(each, fact) and _covers(fact, each) for each in told):
            told.append(fact)
            yield fact


def _covers(outer: Fact, inner: Fact) -> bool:
    """Whether a fact is about the same thing as another one, or about all that is around it."""
    is_same = (outer.subject, outer.path, outer.item) == (inner.subject, inner.path, inner.item)
    if is_same or outer.subject == "dataset":
        return True
    is_whole = outer.old is None or outer.new is None
    if not is_whole or outer.at[:2] != inner.at[:2] or outer.item not in ("", inner.item):
        return False
    is_part = outer.subject == "field" or inner.subject.startswith(outer.subject + ".")
    return is_part and is_inside(inner.path, outer.path)


def is_inside(path: str, around: str) -> bool:
    """Whether a field path is another one, or of something inside it."""
    if path == around:
        return True
    if not path or not around or path[0] != around[0]:
        return False
    try:
        outer = parse_path(around)
        return parse_path(path)[: len(outer)] == outer
    except ValueError:  # a law of its own names it
        return False
