"""Which prefixes to list, so that many requests run at once and few are made."""

import heapq
from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby

_AT_MOST = 4
"""How many times more prefixes there may be than are asked for, to leave out what nobody wants."""


def covering(names: Sequence[str], unwanted: Sequence[str], enough: int) -> list[str]:
    """Prefixes of names: all begin with exactly one of them.

    The largest group of names is split, by the first letter that its names do not share, until
    there are enough groups; then those that would cover unwanted names as well.
    """
    spared = sorted(unwanted)
    waiting = [_group(sorted(set(names)))] if names else []
    done: list[str] = []
    while waiting:
        _, prefix, members = heapq.heappop(waiting)
        total = len(waiting) + len(done) + 1
        parts = _split(prefix, members)
        is_worth_it = total < enough or _covers(prefix, spared)
        if len(parts) > 1 and is_worth_it and total + len(parts) <= _AT_MOST * enough:
            for part in parts:
                heapq.heappush(waiting, part)
        else:
            done.append(prefix)
    return sorted(done)


_Group = tuple[int, str, list[str]]


def _group(members: list[str]) -> _Group:
    """Names in order; the largest group comes first out of a heap."""
    return -len(members), _shared(members[0], members[-1]), members


def _shared(first: str, last: str) -> str:
    """What two names begin with, and so all between them."""
    pairs = enumerate(zip(first, last, strict=False))
    return first[: next((at for at, (one, other) in pairs if one != other), len(first))]


def _split(prefix: str, members: list[str]) -> list[_Group]:
    if members[0] == prefix:  # it covers the others
        return []
    at = len(prefix)
    return [_group(list(part)) for _, part in groupby(members, lambda name: name[at])]


def _covers(prefix: str, names: Sequence[str]) -> bool:
    at = bisect_left(names, prefix)
    return at < len(names) and names[at].startswith(prefix)
