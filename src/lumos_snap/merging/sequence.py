"""Merging of ordered lists: matches items across three versions, and orders them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class ItemKey(NamedTuple):
    """The key of an item: its id, else its name and the number of that name's occurrence."""

    id: int | None
    name: tuple[Any, ...]
    number: int


class AlignedItem(NamedTuple):
    """One item: its index in each version that has it."""

    base: int | None
    ours: int | None
    theirs: int | None


def marks(items: Iterable[tuple[int | None, tuple[Any, ...]]]) -> tuple[ItemKey, ...]:
    """The keys of items, from the id and name of each; repeated ids are ignored."""
    listed = list(items)
    ids = Counter(identity for identity, _ in listed)
    seen: Counter[tuple[Any, ...]] = Counter()
    found = []
    for identity, name in listed:
        seen[name] += 1
        found.append(ItemKey(identity if ids[identity] == 1 else None, name, seen[name]))
    return tuple(found)


def align_items(
    base: Sequence[ItemKey], ours: Sequence[ItemKey], theirs: Sequence[ItemKey]
) -> tuple[AlignedItem, ...]:
    """Every item of the three versions, once."""
    kept = _pairs(base, ours)
    seen = _pairs(base, theirs)
    new_here = [n for n in range(len(ours)) if n not in kept.values()]
    new_there = [n for n in range(len(theirs)) if n not in seen.values()]
    # Two new items of one name are the same item, even if each side gave it another id.
    added = _pairs(ours, theirs, new_here, new_there, ids_decide=False)
    taken = set(added.values())
    return (
        *(AlignedItem(n, kept.get(n), seen.get(n)) for n in range(len(base))),
        *(AlignedItem(None, n, added.get(n)) for n in new_here),
        *(AlignedItem(None, None, n) for n in new_there if n not in taken),
    )


def _pairs(
    left: Sequence[ItemKey],
    right: Sequence[ItemKey],
    among: Collection[int] | None = None,
    those: Collection[int] | None = None,
    *,
    ids_decide: bool = True,
) -> dict[int, int]:
    """Match the items of two lists: by id if both have one, else by name."""
    here = range(len(left)) if among is None else among
    there = range(len(right)) if those is None else those
    by_id = {right[n].id: n for n in there if right[n].id is not None}
    found = {n: by_id[left[n].id] for n in here if left[n].id in by_id}
    taken = set(found.values())
    by_name = {right[n][1:]: n for n in there if n not in taken}
    for n in here:
        other = by_name.get(left[n][1:])
        if n in found or other is None:
            continue
        if not ids_decide or None in (left[n].id, right[other].id):
            found[n] = other
    return found


@dataclass(frozen=True, slots=True)
class MergedOrder:
    """Rows in the order of the merged list; not agreed if the sides order differently."""

    rows: tuple[AlignedItem, ...]
    is_agreed: bool = True


def order_rows(kept: Sequence[AlignedItem], rank: Callable[[AlignedItem], object]) -> MergedOrder:
    """Order the remaining rows.

    Items of both sides follow the side that moved something. Items of one side follow the item that
    they were added after; if both sides add at one place, the run whose items rank first comes
    first.
    """
    ours = sorted((row for row in kept if row.ours is not None), key=lambda row: row.ours or 0)
    theirs = sorted(
        (row for row in kept if row.theirs is not None), key=lambda row: row.theirs or 0
    )
    spine = _spine(
        [row for row in ours if row.theirs is not None],
        [row for row in theirs if row.ours is not None],
    )
    here, there = _runs(ours), _runs(theirs)
    found: list[AlignedItem] = []
    for anchor in (None, *spine.rows):
        found += [] if anchor is None else [anchor]
        runs = [runs[anchor] for runs in (here, there) if anchor in runs]
        for run in sorted(runs, key=lambda run: [rank(row) for row in run]):
            found += run
    return MergedOrder(tuple(found), spine.is_agreed)


def _spine(ours: list[AlignedItem], theirs: list[AlignedItem]) -> MergedOrder:
    """The items of both sides, in the order of the side that changed it."""
    if ours == theirs:
        return MergedOrder(tuple(ours))
    if _as_in_base(ours) != _as_in_base(theirs):
        return MergedOrder(tuple(theirs if _as_in_base(ours) else ours))
    # Both sides moved something; or neither did, and both added the same item at different places.
    return MergedOrder(tuple(ours), is_agreed=False)


def _as_in_base(rows: list[AlignedItem]) -> bool:
    kept = [row.base for row in rows if row.base is not None]
    return kept == sorted(kept)


def _runs(rows: list[AlignedItem]) -> dict[AlignedItem | None, list[AlignedItem]]:
    """Items of one side only, by the preceding item of both sides."""
    found: dict[AlignedItem | None, list[AlignedItem]] = {}
    anchor: AlignedItem | None = None
    for row in rows:
        if None not in (row.ours, row.theirs):
            anchor = row
        else:
            found.setdefault(anchor, []).append(row)
    return found
