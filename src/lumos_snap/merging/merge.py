"""Three-way merge of documents, key by key; columns, types and releases have rules of their own."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from lumos_snap.canonical.encode import STEP, canonical_document, encode_document
from lumos_snap.canonical.rules import CONFLICTS, STRUCTURE, find_violations
from lumos_snap.documents.position import Pointer
from lumos_snap.json_object import JsonObject
from lumos_snap.merging.sequence import AlignedItem, ItemKey, align_items, marks, order_rows
from lumos_snap.merging.versions import (
    ABSENT,
    Conflict,
    ConflictPlace,
    Conflicts,
    MergeResult,
    MergeSides,
    json_key,
    label_of,
)
from lumos_snap.model.snapshot import Partition, Versioning
from lumos_snap.model.types import Branch, DataType, Kind
from lumos_snap.schema import Document, Holds, Key, keys_of, sortable

MergeKey = Callable[[MergeSides, Key, ConflictPlace, Conflicts], object]

NESTING = frozenset({Kind.ARRAY.value, Kind.MAP.value, Kind.STRUCT.value, Kind.UNION.value})
TAKEN = "both sides gave a column this name"


def merge_type(
    columns: MergeSides, where: ConflictPlace, found: Conflicts, merged_key: MergeKey
) -> dict[str, object]:
    """Merge a column's type as one unit with its parameters; member by member if always nested."""
    types = columns.each(_type)
    settled: dict[str, object] = types.settled()
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


def _inside(
    types: MergeSides, where: ConflictPlace, found: Conflicts, merged_key: MergeKey
) -> dict[str, object]:
    """Merge a nested type, part by part."""
    result: dict[str, object] = {}
    for key in keys_of(DataType).values():
        held = merged_key(types.at(key.name), key, where.inside(key.name), found)
        result |= {} if held is ABSENT else {key.name: held}
    return result


def _with_all_symbols(types: MergeSides) -> MergeSides:
    """If both sides only appended symbols, give all sides the symbols of both."""
    base, ours, theirs = types.each(lambda one: one.get("symbols", []))
    most = len(base)
    if ours[:most] != base or theirs[:most] != base:
        return types
    common = _alike(ours, theirs)
    here, there = ours[common:], theirs[common:]
    if set(here) & set(there):
        return types
    every = [*ours[:common], *(symbol for run in sorted((here, there)) for symbol in run)]
    return MergeSides(*({**one, "symbols": every} for one in types))


def _alike(one: Sequence[object], other: Sequence[object]) -> int:
    """The length of the common prefix of two lists."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def find_repeated_names(
    names: Sequence[str], lists: MergeSides, where: ConflictPlace
) -> Iterator[Conflict]:
    """Find names with more columns than on either side: each side gave a column that name."""
    before = [Counter(one.get("name") for one in side) for side in lists[1:]]
    for name, count in Counter(names).items():
        if count > max(side[name] for side in before) and any(name in side for side in before):
            held = lists.each(lambda side: [one for one in side if one.get("name") == name])  # noqa: B023 - asked at once
            yield held.conflict(str(where.column(name, count, is_branch=False)), TAKEN)


_TYPE = frozenset(keys_of(DataType))
_TOGETHER: Mapping[type, tuple[str, ...]] = {Partition: ("source", "transform", "argument")}
"""Keys that are merged as one unit."""


def merge_object(sides: MergeSides, cls: type, where: ConflictPlace, found: Conflicts) -> Document:
    """Merge an object, key by key."""
    parts = sides.each(lambda side: {} if side is ABSENT else side)
    result: dict[str, object] = {}
    together = _TOGETHER.get(cls, ())
    apart: tuple[str, ...] = together
    if issubclass(cls, DataType):
        result |= merge_type(parts, where, found, merge_value)
        apart = (*apart, *_TYPE)
    if together:
        result |= _unit(parts, together, where, found)
    for key in keys_of(cls).values():
        if key.name not in apart:
            held = merge_value(parts.at(key.name), key, where.key(key.name), found)
            result |= {} if held is ABSENT else {key.name: held}
    return result


def _unit(
    sides: MergeSides, names: tuple[str, ...], where: ConflictPlace, found: Conflicts
) -> dict[str, object]:
    """Merge several keys as one unit."""
    units = sides.each(lambda side: {name: side[name] for name in names if name in side})
    if not units.are_settled():
        found.append(units.conflict(str(where.key("/".join(names)))))
    held: dict[str, object] = units.settled()
    return held


def merge_value(sides: MergeSides, key: Key, where: ConflictPlace, found: Conflicts) -> object:
    """Merge the values of a key, which may be absent."""
    if sides.are_settled():
        return sides.settled()
    return _MERGES[key.holds](sides, key, where, found)


def _add_conflict(sides: MergeSides, _key: Key, where: ConflictPlace, found: Conflicts) -> object:
    """Record a conflict and keep our value."""
    found.append(sides.conflict(str(where)))
    return sides.ours


def _object(sides: MergeSides, key: Key, where: ConflictPlace, found: Conflicts) -> object:
    cls = _class_in(key)
    if cls is Versioning:
        return _versioning(sides, where, found)
    is_whole = any(inner.is_required for inner in keys_of(cls).values())
    if is_whole and ABSENT in (sides.ours, sides.theirs):
        found.append(sides.conflict(str(where)))
        return sides.ours
    return merge_object(sides, cls, where, found)


def _versioning(sides: MergeSides, where: ConflictPlace, found: Conflicts) -> Any:
    """Releases only append to a history: of two with a common prefix, the longer one wins."""
    base, ours, theirs = sides.each(lambda side: [] if side is ABSENT else side.get("history", []))
    shorter, longer = sorted((ours, theirs), key=len)
    goes_on = base == shorter[: len(base)] and shorter == longer[: len(shorter)]
    if goes_on and len(shorter) < len(longer):
        return sides.ours if longer is ours else sides.theirs
    found.append(sides.conflict(str(where)))
    return sides.ours


def _objects(sides: MergeSides, key: Key, where: ConflictPlace, found: Conflicts) -> Any:
    """Merge a list of objects, item by item if items can be identified."""
    cls = _class_in(key)
    if key.set_by is None and not issubclass(cls, DataType):
        return _add_conflict(sides, key, where, found)
    lists = sides.each(lambda side: [] if side is ABSENT else side)
    marked = lists.each(lambda items: _marks(items, key))
    items: dict[AlignedItem, Any] = {}
    for row in align_items(*marked):
        item = _merge_item(_row_of(lists, row), key, _place(marked, lists, row, key, where), found)
        if item is not ABSENT:
            items[row] = item
    if key.set_by is not None:
        return list(items.values())
    return _in_order(items, lists, where, found)


def _marks(items: Iterable[Document], key: Key) -> tuple[ItemKey, ...]:
    if key.set_by is not None:
        by = key.set_by
        return marks((one.get("id"), tuple(sortable(one.get(n)) for n in by)) for one in items)
    return marks((one.get("id"), (_name(one),)) for one in items)


def _name(column: JsonObject) -> str:
    """The name of a column; the type of a branch without name."""
    named: str = column.get("name", column["type"])
    return named


def _row_of(lists: MergeSides, row: AlignedItem) -> MergeSides:
    indices = zip(lists, row, strict=True)
    return MergeSides(*(ABSENT if index is None else items[index] for items, index in indices))


def _place(
    marked: MergeSides, lists: MergeSides, row: AlignedItem, key: Key, where: ConflictPlace
) -> ConflictPlace:
    """The place of an item, named as in the base, or else as in ours."""
    items, known, index = next(
        (items, known, index)
        for items, known, index in zip(lists, marked, row, strict=True)
        if index is not None
    )
    cls = _class_in(key)
    if issubclass(cls, DataType):
        is_branch = issubclass(cls, Branch)
        return where.column(_name(items[index]), known[index].number, is_branch=is_branch)
    return where.item(label_of(items[index], key.set_by or ()))


def _merge_item(sides: MergeSides, key: Key, where: ConflictPlace, found: Conflicts) -> object:
    if sides.are_settled():
        return sides.settled()
    if ABSENT in (sides.ours, sides.theirs):
        return _add_conflict(sides, key, where, found)
    return merge_object(sides, _class_in(key), where, found)


def _in_order(
    items: Mapping[AlignedItem, Any], lists: MergeSides, where: ConflictPlace, found: Conflicts
) -> list[Any]:
    """Order the merged columns, and report names that repeat more often than on either side."""
    order = order_rows(tuple(items), lambda row: (_name(items[row]), json_key(items[row])))
    result = [items[row] for row in order.rows]
    names = lists.each(lambda side: [_name(one) for one in side])
    if not order.is_agreed:
        found.append(names.conflict(f"{where} order"))
    found += find_repeated_names([_name(one) for one in result], lists, where)
    return result


def _scalars(sides: MergeSides, key: Key, where: ConflictPlace, found: Conflicts) -> Any:
    """Merge a set by member; a list with a significant order is one unit."""
    if key.set_by is None:
        return _add_conflict(sides, key, where, found)
    base, ours, theirs = sides.each(lambda side: set() if side is ABSENT else set(side))
    return sorted((ours & theirs) | ((ours | theirs) - base))


def _map(sides: MergeSides, _key: Key, where: ConflictPlace, found: Conflicts) -> Any:
    """Merge a free-form map key by key, including nested maps."""
    parts = sides.each(lambda side: {} if side is ABSENT else side)
    result = {}
    for name in sorted({name for part in parts for name in part}):
        held = _free(parts.at(name), where.item(name), found)
        if held is not ABSENT:
            result[name] = held
    return result


def _free(sides: MergeSides, where: ConflictPlace, found: Conflicts) -> Any:
    if sides.are_settled():
        return sides.settled()
    are_maps = isinstance(sides.ours, dict) and isinstance(sides.theirs, dict)
    if are_maps and (sides.base is ABSENT or isinstance(sides.base, dict)):
        return _map(sides, _ANY, where, found)
    return _add_conflict(sides, _ANY, where, found)


def _class_in(key: Key) -> type:
    assert key.item is not None  # noqa: S101 - an object has a class, and so has a list of them
    return key.item


_ANY = Key(name="", attribute="", holds=Holds.FREE)
_MERGES: Mapping[Holds, Callable[[MergeSides, Key, ConflictPlace, Conflicts], Any]] = {
    Holds.SCALAR: _add_conflict,
    Holds.OBJECT: _object,
    Holds.OBJECTS: _objects,
    Holds.SCALARS: _scalars,
    Holds.FREE: _map,
}


Versions = tuple[JsonObject, JsonObject, JsonObject]


def merge(base: JsonObject | None, ours: JsonObject, theirs: JsonObject, cls: type) -> MergeResult:
    """Merge two versions of a document of class `cls`; each of the three must be valid.

    Without a base, both sides count as having added all of their content.
    """
    sides = MergeSides(*(canonical_document(side or {}, cls) for side in (base, ours, theirs)))
    if sides.are_settled():
        return MergeResult(sides.settled(), ())
    found: Conflicts = []
    document = canonical_document(merge_object(sides, cls, ConflictPlace(), found), cls)
    return MergeResult(document, tuple(found or _find_violations(document, sides, cls)))


def merge_key(
    key: Key, base: object, ours: object, theirs: object, *, at: str
) -> tuple[object, tuple[Conflict, ...]]:
    """Merge the values of one key of a document.

    Each value is canonical or absent; whether the whole document is valid afterwards is not
    checked. Sets are returned unordered.
    """
    found: Conflicts = []
    held = merge_value(MergeSides(base, ours, theirs), key, ConflictPlace(at), found)
    return held, tuple(found)


def _find_violations(document: Document, sides: MergeSides, cls: type) -> Iterator[Conflict]:
    """Conflicts for problems of the merged document that neither side had."""
    from lumos_snap.schema.validation import misfits  # noqa: PLC0415 - the validator takes its time to load

    wrong = [(one.pointer, STRUCTURE, one.message) for one in misfits(document, cls)]
    if not wrong:
        wrong = [(one.pointer, one.law.id, one.message) for one in find_violations(document, cls)]
    for pointer, rule, message in wrong:
        keys = _keys(pointer)
        held = sides.each(lambda side: _value_at(side, keys))  # noqa: B023 - asked at once
        yield held.conflict(".".join(keys), f"together they break `{rule}`: {message}")


def _keys(pointer: Pointer) -> tuple[str, ...]:
    """The keys that lead to a value, up to the first index, which may differ between versions."""
    end = next((n for n, step in enumerate(pointer) if isinstance(step, int)), len(pointer))
    return tuple(map(str, pointer[:end]))


def _value_at(document: Document, keys: tuple[str, ...]) -> Any:
    held: Any = document
    for key in keys:
        held = held.get(key, ABSENT) if isinstance(held, dict) else ABSENT
    return held


def encode_conflicts(merged: MergeResult, cls: type) -> bytes:
    """Encode a document with its conflicts; without any, its canonical bytes."""
    plain = encode_document(merged.document, cls)
    if not merged.conflicts:
        return plain
    blocks = ",\n".join(map(_block, merged.conflicts))
    section = f'{{\n{STEP}"{CONFLICTS}": [\n{blocks}\n{STEP}],\n'
    return section.encode() + plain.removeprefix(b"{\n")


def _block(conflict: Conflict) -> str:
    """Format the versions of a conflict, one per line; absent ones are left out."""
    versions = {"base": conflict.base, "ours": conflict.ours, "theirs": conflict.theirs}
    said = {name: held for name, held in versions.items() if held is not ABSENT}
    lines = {"at": conflict.at, "why": conflict.why, **said}
    inner = ",\n".join(f'{STEP * 3}"{name}": {_line(held)}' for name, held in lines.items())
    return f"{STEP * 2}{{\n{inner}\n{STEP * 2}}}"


def _line(held: object) -> str:
    """Format a value on one line, ready to be copied into the document."""
    return json.dumps(held, ensure_ascii=False)  # noqa: TID251 - a part of any class
