"""Matches the columns of a new list to those of the old one."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

ColumnLabel = tuple[str, int]
"""A name, and the number of its occurrence."""


class LabelledColumn(NamedTuple):
    """One column of a list."""

    label: ColumnLabel
    place: int
    held: Any


@dataclass(slots=True)
class Pairing:
    """Two matched lists."""

    pairs: list[tuple[LabelledColumn, LabelledColumn]] = field(default_factory=list)
    """Old and new column, in the new order."""
    removed: list[LabelledColumn] = field(default_factory=list)
    added: list[LabelledColumn] = field(default_factory=list)

    @property
    def is_reordered(self) -> bool:
        """Whether the columns of both lists are in a different order."""
        places = [old.place for old, _ in self.pairs]
        return places != sorted(places)

    def follower(self, added: LabelledColumn) -> LabelledColumn | None:
        """The first matched column after an added one."""
        at = bisect_right(self.pairs, added.place, key=lambda both: both[1].place)
        return self.pairs[at][1] if at < len(self.pairs) else None


def name_of(item: Any) -> str:
    """The name of an item of an ordered list: its name, a branch's type, the symbol itself."""
    if isinstance(item, str):
        return item
    name: str = item["name"] if "name" in item else item["type"]
    return name


def label_columns(held: Sequence[object], name: Callable[[object], str]) -> list[LabelledColumn]:
    """Label the columns of a list."""
    names = [name(one) for one in held]
    if len(set(names)) == len(names):  # nearly always the case
        pairs = zip(names, held, strict=True)
        return [
            LabelledColumn((called, 1), place, one) for place, (called, one) in enumerate(pairs)
        ]
    seen: Counter[str] = Counter()
    items = []
    for place, (called, one) in enumerate(zip(names, held, strict=True)):
        seen[called] += 1
        items.append(LabelledColumn((called, seen[called]), place, one))
    return items


def pair(
    old: Sequence[LabelledColumn], new: Sequence[LabelledColumn], renamed: Mapping[str, str]
) -> Pairing:
    """Match two lists: by name and id, id, declared rename, alias, name alone, then letter case.

    If a name repeats, only names and their numbers are used. Where columns were not mapped before,
    their names are those in files, which the physical names of a mapping are then.
    """
    has_mapping = any(map(_mapped_name, new))
    if not has_mapping and _are_in_place(old, new):  # nearly always the case
        return Pairing(list(zip(old, new, strict=True)))
    has_twins = any(item.label[1] > 1 for item in (*old, *new))
    found = _Matching(old, new)
    if has_mapping and not has_twins:
        found.match(_unmapped_name, _mapped_name)
    found.match_labels()
    if not has_twins:
        found.match(_id, _id)
        found.match(
            lambda item: item.label[0], lambda item: renamed.get(item.label[0]), agree=_ids_agree
        )
        found.match(_name, _alias_among({item.label[0] for item in old}), agree=_ids_agree)
    found.match(lambda item: item.label, lambda item: item.label)
    if not has_twins:
        found.match(_fold_case, _fold_case, agree=_ids_agree)
    return found.pairing()


def _are_in_place(old: Sequence[LabelledColumn], new: Sequence[LabelledColumn]) -> bool:
    """Whether both lists have the same columns in the same order."""
    labels = [item.label for item in new]
    return [item.label for item in old] == labels and all(map(_ids_agree, old, new))


def pair_labels(old: Sequence[LabelledColumn], new: Sequence[LabelledColumn]) -> Pairing:
    """Match two lists by labels alone: symbols and branches are identified by their names."""
    found = _Matching(old, new)
    found.match(lambda item: item.label, lambda item: item.label)
    return found.pairing()


class _Matching:
    """Rounds of matching; each uses the remainder of the previous ones."""

    def __init__(self, old: Sequence[LabelledColumn], new: Sequence[LabelledColumn]) -> None:
        self._old = list(old)
        self._new = list(new)
        self._pairs: list[tuple[LabelledColumn, LabelledColumn]] = []

    def match_labels(self) -> None:
        """Match equal labels, unless the ids differ."""
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
        of_old: Callable[[LabelledColumn], object],
        of_new: Callable[[LabelledColumn], object],
        *,
        agree: Callable[[LabelledColumn, LabelledColumn], bool] = lambda _old, _new: True,
    ) -> None:
        """Match remaining columns with equal, unique marks."""
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
        """The result of all rounds."""
        return Pairing(sorted(self._pairs, key=lambda p: p[1].place), self._old, self._new)


def _unique(
    items: Iterable[LabelledColumn], mark: Callable[[LabelledColumn], object]
) -> dict[object, LabelledColumn]:
    """Items by their mark, without those that have none or share it."""
    marked = [(mark(item), item) for item in items]
    counts = Counter(value for value, _ in marked)
    return {value: item for value, item in marked if value is not None and counts[value] == 1}


def _id(item: LabelledColumn) -> object:
    return item.held.get("id") if isinstance(item.held, Mapping) else None


def _name(item: LabelledColumn) -> object:
    return item.label[0]


def _alias_among(names: Collection[str]) -> Callable[[LabelledColumn], object]:
    """The former name of a column, if one of its aliases is that: readers of Avro follow it."""

    def alias(item: LabelledColumn) -> object:
        aliases = item.held.get("aliases", ()) if isinstance(item.held, Mapping) else ()
        return next((one for one in aliases if one in names), None)

    return alias


def _mapped_name(item: LabelledColumn) -> object:
    return item.held.get("physical_name") if isinstance(item.held, Mapping) else None


def _unmapped_name(item: LabelledColumn) -> object:
    """The name in files of a column that has no other name and no id."""
    is_plain = isinstance(item.held, Mapping) and item.held.keys().isdisjoint(_MAPPED)
    return item.label[0] if is_plain else None


_MAPPED = ("id", "physical_name")


def _ids_agree(old: LabelledColumn, new: LabelledColumn) -> bool:
    if old.held == new.held:
        return True
    one, other = _id(old), _id(new)
    return one is None or other is None or one == other


def _fold_case(item: LabelledColumn) -> str:
    return item.label[0].casefold()
