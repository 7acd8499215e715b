"""Three sorted streams side by side: memory holds one document of each."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from lumos_snap.catalogs.planning.decision import Sides
from lumos_snap.catalogs.seam import Held, Identity, Reading, Unreadable
from lumos_snap.shape import Document

T = TypeVar("T")
Named = tuple[Identity, Document]

_END = Identity("\U0010ffff", "")
"""After all others: no kind is called so."""


def joined(
    base: Iterable[Named], tree: Iterable[Named], catalog: Iterable[Reading]
) -> Iterator[Sides]:
    """Every document of any side once, in the order of identities."""
    known, mine, there = iter(base), iter(tree), _named(catalog)
    a, b, c = next(known, None), next(mine, None), next(there, None)
    while True:
        at = min(a[0] if a else _END, b[0] if b else _END, c[0] if c else _END)
        if at is _END:
            return
        one = two = three = None
        if a and a[0] == at:
            one, a = a[1], _after(at, next(known, None))
        if b and b[0] == at:
            two, b = b[1], _after(at, next(mine, None))
        if c and c[0] == at:
            three, c = c[1], _after(at, next(there, None))
        if isinstance(three, Unreadable):
            yield Sides(at, one, two, unreadable=three.reason)
        else:
            yield Sides(at, one, two, three)


def _named(catalog: Iterable[Reading]) -> Iterator[tuple[Identity, Held | Unreadable]]:
    for one in catalog:
        yield one.identity, one


def _after(before: Identity, one: Any) -> Any:
    if one is not None and one[0] <= before:
        raise ValueError(f"{one[0].id} comes after {before.id}: what is joined must be sorted")
    return one
