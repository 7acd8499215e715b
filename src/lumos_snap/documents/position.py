"""Positions in documents, problems, and cached lookups in long lists."""

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

_LONGEST = 1000
"""The maximum length of a message: a document may contain a value of many megabytes."""

Pointer = tuple[str | int, ...]
"""The path from the root of a document to a value: keys and indices."""


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A line and a column, both counted from 1 as in editors."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One problem at one position."""

    place: Position
    rule: str
    message: str
    hint: str = ""

    def __post_init__(self) -> None:
        if len(self.message) > _LONGEST:
            object.__setattr__(self, "message", self.message[:_LONGEST] + "…")


class DocumentRefusedError(Exception):
    """A text that cannot be read at all, with the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def place_at(text: str, offset: int) -> Position:
    """The line and column of an offset."""
    before = text[:offset]
    return Position(before.count("\n") + 1, offset - before.rfind("\n"))


def places_in(text: str) -> Callable[[int], Position]:
    """A function that converts offsets to line and column; it scans the text once."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def place_of(offset: int) -> Position:
        line = bisect_right(starts, offset)
        return Position(line, offset - starts[line - 1] + 1)

    return place_of


T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - an item

_SHORT = 32
_KEPT = 64
_known: OrderedDict[tuple[int, Hashable], tuple[Sequence[Any], Any]] = OrderedDict()


def once(held: Sequence[object], what: Hashable, build: Callable[[], T]) -> T:
    """The result of `build` for a list, cached if the list is long."""
    if len(held) < _SHORT:
        return build()
    key = (id(held), what)
    kept = _known.get(key)
    if kept is None or kept[0] is not held:
        while len(_known) >= _KEPT:
            _known.popitem(last=False)
        _known[key] = kept = (held, build())  # the cached list keeps its id unique
    found: T = kept[1]
    return found


def places(held: Sequence[I], called: Hashable, label: Callable[[I], Hashable]) -> Sequence[int]:
    """The indices of the items with a label, in order."""
    if len(held) < _SHORT:
        return [place for place, one in enumerate(held) if label(one) == called]
    return once(held, label, lambda: _by_label(held, label)).get(called, ())


def _by_label(held: Sequence[I], label: Callable[[I], Hashable]) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    for place, one in enumerate(held):
        found.setdefault(label(one), []).append(place)
    return found
