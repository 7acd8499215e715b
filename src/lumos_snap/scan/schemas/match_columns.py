"""Matching of columns between schemas, and the order of columns in their union."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import Branch, DataType, Field, Kind

T = TypeVar("T", bound=DataType)
Key: TypeAlias = tuple[Hashable, int]
"""Identity of a column: its id or name, and its number among columns of that name."""

SchemaItem: TypeAlias = tuple[int, T]
"""A column or branch, with the number of its schema."""

Listings: TypeAlias = Sequence[tuple[int, Sequence[T]]]

_NESTED = frozenset((Kind.ARRAY, Kind.MAP, Kind.STRUCT, Kind.UNION))


def match_fields(listings: Listings[Field]) -> list[list[SchemaItem[Field]]]:
    """Group the columns of several schemas by identity, in the order of the union.

    The first schema determines the order. Columns that it lacks are inserted after their
    predecessor in their own schema.
    """
    return _match(listings, _id if _are_ids_stable(listings) else _name)


def match_branches(listings: Listings[Branch]) -> list[list[SchemaItem[Branch]]]:
    """Group the alternatives of several unions: by name, or else by type.

    Nested ones without a name are matched by kind where no union has two of that kind, so that a
    struct with a new field is still the same alternative.
    """
    counts = (Counter(one.type for one in branches if not one.name) for _, branches in listings)
    several = {kind for count in counts for kind, number in count.items() if number > 1}

    def label(branch: Branch) -> Hashable:
        if branch.name:
            return ("name", branch.name)
        alone = branch.type in _NESTED and branch.type not in several
        return ("kind", branch.type) if alone else ("type", format_type(branch))

    return _match(listings, label)


def find_contested_ids(
    columns: Iterable[Sequence[SchemaItem[Field] | SchemaItem[Branch]]],
) -> frozenset[int]:
    """Find ids that mean different columns in different schemas."""
    said = Counter(which for told in columns for which in {one.id for _, one in told})
    return frozenset(which for which, number in said.items() if which is not None and number > 1)


def _are_ids_stable(listings: Listings[Field]) -> bool:
    """Whether ids identify columns: all have one, and no name has different ids.

    Where ids are mere positions, an inserted or removed column shifts the ids of all columns after
    it.
    """
    known: dict[Key, int] = {}
    for _, fields in listings:
        ids = [field.id for field in fields]
        if None in ids or len(set(ids)) < len(ids):
            return False
        for key, field in _number_repeats(fields, _name):
            if field.id is None or known.setdefault(key, field.id) != field.id:
                return False
    return True


def _id(field: Field) -> Hashable:
    return field.id


def _name(field: Field) -> Hashable:
    return field.name


def _match(listings: Listings[T], label: Callable[[T], Hashable]) -> list[list[SchemaItem[T]]]:
    found: dict[Key, list[SchemaItem[T]]] = {}
    behind: dict[Key | None, Key | None] = {None: None}  # linked list: the successor of each column
    for which, items in listings:
        before: Key | None = None
        for key, item in _number_repeats(items, label):
            if key not in found:
                behind[before], behind[key] = key, behind[before]
            found.setdefault(key, []).append((which, item))
            before = key
    return [found[key] for key in _iter_in_order(behind)]


def _iter_in_order(behind: Mapping[Key | None, Key | None]) -> Iterator[Key]:
    key = behind[None]
    while key is not None:
        yield key
        key = behind[key]


def _number_repeats(items: Iterable[T], label: Callable[[T], Hashable]) -> Iterator[tuple[Key, T]]:
    seen: Counter[Hashable] = Counter()
    for item in items:
        name = label(item)
        seen[name] += 1
        yield (name, seen[name]), item
