"""Facts about everything but columns: a generic walk along the model's registry of keys."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lumos_snap.diff.fact import Action, Fact, Spot
from lumos_snap.schema import Document, Holds, Key, NameKind, keys_of

Renames = Callable[[str], str]
"""Maps the former path of a field to its current one."""

_NOTHING: Mapping[str, Any] = {}


def objects(old: Document, new: Document, cls: type, spot: Spot, now: Renames) -> Iterator[Fact]:
    """Facts about two objects of one class."""
    for name, key in keys_of(cls).items():
        before, after = old.get(name), new.get(name)
        # After a rename, unchanged metadata may refer to a column that no longer exists.
        if before != after or (now is not str and before is not None and key.item is not None):
            yield from values(key, before, after, spot.key(name), now)


def values(key: Key, old: Any, new: Any, spot: Spot, now: Renames) -> Iterator[Fact]:
    """Facts about the two values of a key; None means absent."""
    if key.holds is Holds.OBJECT and not _comes_whole(key, old, new):
        assert key.item is not None  # noqa: S101 - an object has a class
        yield from objects(old or _NOTHING, new or _NOTHING, key.item, spot, now)
    elif key.holds is Holds.OBJECTS and key.set_by:
        yield from _items(key, old or (), new or (), spot, now)
    elif key.holds is Holds.SCALARS and key.set_by is not None:
        yield from _members(old or (), new or (), spot)
    elif key.holds is Holds.FREE:
        yield from _entries(old or _NOTHING, new or _NOTHING, spot)
    elif old != new:
        yield spot.fact(action(old, new), old, new)


def _comes_whole(key: Key, old: object, new: object) -> bool:
    """Whether an object that cannot be empty was added or removed: one fact, not one per key."""
    return (old is None or new is None) and is_whole(key)


def is_whole(key: Key) -> bool:
    """Whether the value of a key cannot be empty."""
    return key.item is not None and any(inner.is_required for inner in keys_of(key.item).values())


def action(old: object, new: object) -> Action:
    """The action that leads from one value to another; None means absent."""
    if old is None:
        return Action.ADDED
    return Action.REMOVED if new is None else Action.CHANGED


def _members(old: Any, new: Any, spot: Spot) -> Iterator[Fact]:
    for gone in set(old).difference(new):
        yield spot.inside((gone,), item=gone).fact(Action.REMOVED, gone, None)
    for come in set(new).difference(old):
        yield spot.inside((come,), item=come).fact(Action.ADDED, None, come)


def _entries(old: Document, new: Document, spot: Spot) -> Iterator[Fact]:
    for name in {**old, **new}:
        here = spot.inside((name,), item=name)
        if name not in new:
            yield here.fact(Action.REMOVED, old[name], None)
        elif name not in old:
            yield here.fact(Action.ADDED, None, new[name])
        elif not same(old[name], new[name]):
            yield here.fact(Action.CHANGED, old[name], new[name])


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; in Python alone, True equals 1."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _items(key: Key, old: Any, new: Any, spot: Spot, now: Renames) -> Iterator[Fact]:
    """Facts about a set of objects; an item that follows a renamed column stays the same item."""
    assert key.item is not None  # noqa: S101 - a list of objects has a class
    read = identity(key, now)
    before = {read(item): item for item in old}
    if len(before) < len(old):  # two items collide when a column takes another's name
        read = identity(key, str)
        before = {read(item): item for item in old}
    after = {identity(key, str)(item): item for item in new}
    for step, item in before.items():
        here = _at(spot, identity(key, str)(item), item)
        if step not in after:
            yield here.fact(Action.REMOVED, item, None)
        elif item != after[step]:
            moved = _at(here, None, after[step])
            yield from objects(item, after[step], key.item, moved, now)
    for step, item in after.items():
        if step not in before:
            yield _at(spot, step, item).fact(Action.ADDED, None, item)


def _at(spot: Spot, step: tuple[object, ...] | None, item: Document) -> Spot:
    here = spot if step is None else spot.inside(step, item=_label(step))
    path = item.get("path") or (here.path or item.get("field") or item.get("to") or "")
    return Spot(here.subject, here.at, path if isinstance(path, str) else "", here.item, here.id)


def _label(step: tuple[object, ...]) -> str:
    """The label of an item: its identifying values."""
    parts = (", ".join(part) if isinstance(part, tuple) else part for part in step)
    return ", ".join(str(part) for part in parts if part is not None)


def identity(key: Key, now: Renames) -> Callable[[Document], tuple[Any, ...]]:
    """The identifying values of a set item, with its columns under their current names."""
    assert key.item is not None  # noqa: S101 - a list of objects has a class
    keys = keys_of(key.item)
    names = [(name, _names_own_field(keys[name])) for name in key.set_by or ()]

    def read(item: Document) -> tuple[Any, ...]:
        return tuple(_part(item.get(name), now if is_field else str) for name, is_field in names)

    return read


def _names_own_field(key: Key) -> bool:
    """Whether a key names a field of this dataset: `from` names one of another."""
    return key.scalar is not None and key.scalar.names is NameKind.FIELD and key.name != "from"


def _part(held: object, now: Renames) -> object:
    if isinstance(held, list):
        return tuple(map(now, held))
    return now(held) if isinstance(held, str) else held
