"""Which column of a new list was which column of the old one."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Label = tuple[str, int]
"""A name, and the how many-th of that name it is."""


class Item(NamedTuple):
    """One column of a list."""

    label: Label
    place: int
    held: Any


@dataclass(slots=True)
class Pairing:
    """Two lists, matched."""

    pairs: list[tuple[Item, Item]] = field(default_factory=list)
    """Old and new, in the new order."""
    removed: list[Item] = field(default_factory=list)
    added: list[Item] = field(default_factory=list)

    @property
    def is_reordered(self) -> bool:
        """Whether what both lists have stands in another order."""
        places = [old.place for old, _ in self.pairs]
        return places != sorted(places)

    def follower(self, added: Item) -> Item | None:
        """The first paired column that something added stands before."""
        at = bisect_right(self.pairs, added.place, key=lambda both: both[1].place)
        return self.pairs[at][1] if at < len(self.pairs) else None


def name_of(item: Any) -> str:
    """What an item of an ordered list is called: its name, a branch's type, the symbol itself."""
    if isinstance(item, str):
        return item
    name: str = item["name"] if "name" in item else item["type"]
    return name


def labelled(held: Sequence[Any], name: Callable[[Any], str]) -> list[Item]:
    """The columns of a list, each with its label."""
    names = [name(one) for one in held]
    if len(set(names)) == len(names):  # as nearly always
        pairs = zip(names, held, strict=True)
        return [Item((called, 1), place, one) for place, (called, one) in enumerate(pairs)]
    seen: Counter[str] = Counter()
    items = []
    for place, (called, one) in enumerate(zip(names, held, strict=True)):
        seen[called] += 1
        items.append(Item((called, seen[called]), place, one))
    return items


def pair(old: Sequence[Item], new: Sequence[Item], renamed: Mapping[str, str]) -> Pairing:
    """Match two lists: by name and id, then id, declared rename, name alone, and letter case.

    Where a name repeats, only names and their numbers tell columns apart.
    """
    if _are_in_place(old, new):  # as nearly always
        return Pairing(list(zip(old, new, strict=True)))
    found = _Matching(old, new)
    found.match_labels()
    has_twins = any(item.label[1] > 1 for item in (*old, *new))
    if not has_twins:
        found.match(_id, _id)
        found.match(
            lambda item: item.label[0], lambda item: renamed.get(item.label[0]), agree=_ids_agree
        )
    found.match(lambda item: item.label, lambda item: item.label)
    if not has_twins:
        found.match(_folded, _folded, agree=_ids_agree)
    return found.pairing()


def _are_in_place(old: Sequence[Item], new: Sequence[Item]) -> bool:
    """Whether both lists have the same columns in the same order."""
    labels = [item.label for item in new]
    return [item.label for item in old] == labels and all(map(_ids_agree, old, new))


def pair_labels(old: Sequence[Item], new: Sequence[Item]) -> Pairing:
    """Match two lists by labels alone: symbols and branches are what they are called."""
    found = _Matching(old, new)
    found.match(lambda item: item.label, lambda item: item.label)
    return found.pairing()


class _Matching:
    """Rounds of matching; each takes from what the ones before it left."""

    def __init__(self, old: Sequence[Item], new: Sequence[Item]) -> None:
        self._old = list(old)
        self._new = list(new)
        self._pairs: list[tuple[Item, Item]] = []

    def match_labels(self) -> None:
        """Pair what has the same label, unless the ids say that they are two."""
        olds = {item.label: item for item in self._old}
        left = []
        for item in self._new:
            old = olds.get(item.label)
            if old is not None and _ids_agree(old, item):
                del olds[item.label]
                self._pairs.append((old, item))
            else:
                left.append(item)
        self._old, self._new = list(olds.values()), left

    def match(
        self,
        of_old: Callable[[Item], object],
        of_new: Callable[[Item], object],
        *,
        agree: Callable[[Item, Item], bool] = lambda _old, _new: True,
    ) -> None:
        """Pair what is left and has the same mark, where no other has it."""
        if not self._old or not self._new:
            return
        olds, news = _unique(self._old, of_old), _unique(self._new, of_new)
        fresh = [
            (olds[mark], item)
            for mark, item in news.items()
            if mark in olds and agree(olds[mark], item)
        ]
        self._pairs += fresh
        gone, come = {o.place for o, _ in fresh}, {n.place for _, n in fresh}
        self._old = [item for item in self._old if item.place not in gone]
        self._new = [item for item in self._new if item.place not in come]

    def pairing(self) -> Pairing:
        """Everything that was found."""
        return Pairing(sorted(self._pairs, key=lambda p: p[1].place), self._old, self._new)


def _unique(items: Iterable[Item], mark: Callable[[Item], object]) -> dict[object, Item]:
    """Items by their mark, without those that have none or share it."""
    marked = [(mark(item), item) for item in items]
    counts = Counter(value for value, _ in marked)
    return {value: item for value, item in marked if value is not None and counts[value] == 1}


def _id(item: Item) -> object:
    return item.held.get("id") if isinstance(item.held, Mapping) else None


def _ids_agree(old: Item, new: Item) -> bool:
    if old.held == new.held:
        return True
    one, other = _id(old), _id(new)
    return one is None or other is None or one == other


def _folded(item: Item) -> str:
    return item.label[0].casefold()
