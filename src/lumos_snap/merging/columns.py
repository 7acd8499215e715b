"""What is special about columns: their types, and their names."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lumos_snap.merging.labels import Where
from lumos_snap.merging.versions import ABSENT, Conflict, Conflicts, Sides
from lumos_snap.model.type_kinds import Kind
from lumos_snap.model.types import DataType
from lumos_snap.schema import Document, Key, keys_of

MergeKey = Callable[[Sides, Key, Where, Conflicts], Any]

NESTING = frozenset({Kind.ARRAY.value, Kind.MAP.value, Kind.STRUCT.value, Kind.UNION.value})
TAKEN = "both sides gave a column this name"


def merged_type(columns: Sides, where: Where, found: Conflicts, merged_key: MergeKey) -> Document:
    """The type of a column with all its parameters: one unit, unless it nests alike everywhere."""
    types = columns.each(_type)
    settled: Document = types.settled()
    if types.are_settled():
        return settled
    kinds = {one["type"] for one in types if one}
    if len(kinds) == 1 and kinds <= NESTING:
        return _inside(types, where, found, merged_key)
    is_enum = kinds == {Kind.ENUM.value} and bool(types.base)
    joined = _with_all_symbols(types) if is_enum else types
    if joined.are_settled():
        settled = joined.settled()
    else:
        found.append(types.each(lambda one: one or ABSENT).conflict(str(where.key("type"))))
    return settled


def _type(column: Document) -> Document:
    return {name: column[name] for name in keys_of(DataType) if name in column}


def _inside(types: Sides, where: Where, found: Conflicts, merged_key: MergeKey) -> Document:
    """A nested type, part by part."""
    result: Document = {}
    for key in keys_of(DataType).values():
        held = merged_key(types.at(key.name), key, where.inside(key.name), found)
        result |= {} if held is ABSENT else {key.name: held}
    return result


def _with_all_symbols(types: Sides) -> Sides:
    """Where both sides only added symbols behind the old ones, all are given those of both."""
    base, ours, theirs = types.each(lambda one: one.get("symbols", []))
    most = len(base)
    if ours[:most] != base or theirs[:most] != base:
        return types
    common = _alike(ours, theirs)
    here, there = ours[common:], theirs[common:]
    if set(here) & set(there):
        return types
    every = [*ours[:common], *(symbol for run in sorted((here, there)) for symbol in run)]
    return Sides(*({**one, "symbols": every} for one in types))


def _alike(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many items two lists begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def repeated_names(names: Sequence[str], lists: Sides, where: Where) -> Iterator[Conflict]:
    """Names that more columns have than on either side: each side gave one a name of its own."""
    before = [Counter(one.get("name") for one in side) for side in lists[1:]]
    for name, count in Counter(names).items():
        if count > max(side[name] for side in before) and any(name in side for side in before):
            held = lists.each(lambda side: [one for one in side if one.get("name") == name])  # noqa: B023 - asked at once
            yield held.conflict(str(where.column(name, count, is_branch=False)), TAKEN)
