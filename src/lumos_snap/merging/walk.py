"""The walk through three versions of a document, key by key, as the table of keys describes it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lumos_snap.merging.columns import merged_type, repeated_names
from lumos_snap.merging.labels import Where, label_of
from lumos_snap.merging.sequence import Mark, Row, aligned, marks, ordered
from lumos_snap.merging.versions import ABSENT, Conflicts, Sides, text
from lumos_snap.model.snapshot import Partition, Versioning
from lumos_snap.model.types import Branch, DataType
from lumos_snap.schema import Document, Holds, Key, keys_of, sortable

_TYPE = frozenset(keys_of(DataType))
_TOGETHER: Mapping[type, tuple[str, ...]] = {Partition: ("source", "transform", "argument")}
"""Keys that mean something only together."""


def merged_object(sides: Sides, cls: type, where: Where, found: Conflicts) -> Document:
    """An object, key by key."""
    parts = sides.each(lambda side: {} if side is ABSENT else side)
    result: Document = {}
    together = _TOGETHER.get(cls, ())
    apart: tuple[str, ...] = together
    if issubclass(cls, DataType):
        result |= merged_type(parts, where, found, merged_key)
        apart = (*apart, *_TYPE)
    if together:
        result |= _unit(parts, together, where, found)
    for key in keys_of(cls).values():
        if key.name not in apart:
            held = merged_key(parts.at(key.name), key, where.key(key.name), found)
            result |= {} if held is ABSENT else {key.name: held}
    return result


def _unit(sides: Sides, names: tuple[str, ...], where: Where, found: Conflicts) -> Document:
    """Several keys as if they were one."""
    units = sides.each(lambda side: {name: side[name] for name in names if name in side})
    if not units.are_settled():
        found.append(units.conflict(str(where.key("/".join(names)))))
    held: Document = units.settled()
    return held


def merged_key(sides: Sides, key: Key, where: Where, found: Conflicts) -> Any:
    """What stands under a key, or nothing."""
    if sides.are_settled():
        return sides.settled()
    return _MERGES[key.holds](sides, key, where, found)


def _undecided(sides: Sides, _key: Key, where: Where, found: Conflicts) -> Any:
    """A conflict: ours stays."""
    found.append(sides.conflict(str(where)))
    return sides.ours


def _object(sides: Sides, key: Key, where: Where, found: Conflicts) -> Any:
    cls = _class_in(key)
    if cls is Versioning:
        return _versioning(sides, where, found)
    is_whole = any(inner.is_required for inner in keys_of(cls).values())
    if is_whole and ABSENT in (sides.ours, sides.theirs):
        found.append(sides.conflict(str(where)))
        return sides.ours
    return merged_object(sides, cls, where, found)


def _versioning(sides: Sides, where: Where, found: Conflicts) -> Any:
    """Releases only add to a history: of two that begin alike, the longer one has both."""
    base, ours, theirs = sides.each(lambda side: [] if side is ABSENT else side.get("history", []))
    shorter, longer = sorted((ours, theirs), key=len)
    goes_on = base == shorter[: len(base)] and shorter == longer[: len(shorter)]
    if goes_on and len(shorter) < len(longer):
        return sides.ours if longer is ours else sides.theirs
    found.append(sides.conflict(str(where)))
    return sides.ours


def _objects(sides: Sides, key: Key, where: Where, found: Conflicts) -> Any:
    """A list of objects, item by item where each can be told from the others."""
    cls = _class_in(key)
    if key.set_by is None and not issubclass(cls, DataType):
        return _undecided(sides, key, where, found)
    lists = sides.each(lambda side: [] if side is ABSENT else side)
    marked = lists.each(lambda items: _marks(items, key))
    items: dict[Row, Any] = {}
    for row in aligned(*marked):
        item = _merged_item(_held(lists, row), key, _place(marked, lists, row, key, where), found)
        if item is not ABSENT:
            items[row] = item
    if key.set_by is not None:
        return list(items.values())
    return _in_order(items, lists, where, found)


def _marks(items: Iterable[Document], key: Key) -> tuple[Mark, ...]:
    if key.set_by is not None:
        by = key.set_by
        return marks((one.get("id"), tuple(sortable(one.get(n)) for n in by)) for one in items)
    return marks((one.get("id"), (_name(one),)) for one in items)


def _name(column: Mapping[str, Any]) -> str:
    """The name of a column; a branch without one is known by its type."""
    named: str = column.get("name", column["type"])
    return named


def _held(lists: Sides, row: Row) -> Sides:
    indices = zip(lists, row, strict=True)
    return Sides(*(ABSENT if index is None else items[index] for items, index in indices))


def _place(marked: Sides, lists: Sides, row: Row, key: Key, where: Where) -> Where:
    """Where an item stands, by the name that the base has for it, or else ours."""
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


def _merged_item(sides: Sides, key: Key, where: Where, found: Conflicts) -> Any:
    if sides.are_settled():
        return sides.settled()
    if ABSENT in (sides.ours, sides.theirs):
        return _undecided(sides, key, where, found)
    return merged_object(sides, _class_in(key), where, found)


def _in_order(items: Mapping[Row, Any], lists: Sides, where: Where, found: Conflicts) -> list[Any]:
    """Columns as a list again: in order, and with no name that neither side has so often."""
    order = ordered(tuple(items), lambda row: (_name(items[row]), text(items[row])))
    result = [items[row] for row in order.rows]
    names = lists.each(lambda side: [_name(one) for one in side])
    if not order.is_agreed:
        found.append(names.conflict(f"{where} order"))
    found += repeated_names([_name(one) for one in result], lists, where)
    return result


def _scalars(sides: Sides, key: Key, where: Where, found: Conflicts) -> Any:
    """A set, by member; the order of anything else carries meaning, so it is one unit."""
    if key.set_by is None:
        return _undecided(sides, key, where, found)
    base, ours, theirs = sides.each(lambda side: set() if side is ABSENT else set(side))
    return sorted((ours & theirs) | ((ours | theirs) - base))


def _map(sides: Sides, _key: Key, where: Where, found: Conflicts) -> Any:
    """A map that belongs to the user, key by key, and so are the maps in it."""
    parts = sides.each(lambda side: {} if side is ABSENT else side)
    result = {}
    for name in sorted({name for part in parts for name in part}):
        held = _free(parts.at(name), where.item(name), found)
        if held is not ABSENT:
            result[name] = held
    return result


def _free(sides: Sides, where: Where, found: Conflicts) -> Any:
    if sides.are_settled():
        return sides.settled()
    are_maps = isinstance(sides.ours, dict) and isinstance(sides.theirs, dict)
    if are_maps and (sides.base is ABSENT or isinstance(sides.base, dict)):
        return _map(sides, _ANY, where, found)
    return _undecided(sides, _ANY, where, found)


def _class_in(key: Key) -> type:
    assert key.item is not None  # noqa: S101 - an object has a class, and so has a list of them
    return key.item


_ANY = Key(name="", attribute="", holds=Holds.FREE)
_MERGES: Mapping[Holds, Callable[[Sides, Key, Where, Conflicts], Any]] = {
    Holds.SCALAR: _undecided,
    Holds.OBJECT: _object,
    Holds.OBJECTS: _objects,
    Holds.SCALARS: _scalars,
    Holds.FREE: _map,
}
