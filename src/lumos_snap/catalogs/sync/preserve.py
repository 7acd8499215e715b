"""Preserve foreign content in a catalog, and find what two sides agree on.

Only content that Lumos added is removed: something that the tree lacks is deleted in the catalog if
the base has it and the catalog does not attribute it to others. All else stays. Both functions walk
documents by the registry of keys.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lumos_snap.catalogs.adapter import DocumentPlace
from lumos_snap.merging import ABSENT, same
from lumos_snap.schema import Holds, Key, keys_of

Parts = Mapping[Any, Any]
"""The parts of a value, by the step that leads to each."""


@dataclass(slots=True)
class ForeignPreserver:
    """Restores content that is not ours to remove, and records its positions."""

    ours: frozenset[DocumentPlace]
    attributed: frozenset[str]
    kept: list[DocumentPlace] = field(default_factory=list)

    def under(self, key: Key, wanted: Any, there: Any, base: Any, at: DocumentPlace) -> Any:
        """The wanted value of a key, plus the catalog's foreign content."""
        if there is ABSENT or same(wanted, there):
            return wanted
        parts = _parts(key)
        if parts is None or (wanted is ABSENT and _is_whole(key)):
            return self._one(wanted, there, base, at)
        split, join, inner = parts
        here, held, known = (dict(split(key, side)) for side in (wanted, there, base))
        found = {}
        for step in {**here, **held}:
            sides = (here.get(step, ABSENT), held.get(step, ABSENT), known.get(step, ABSENT))
            found[step] = self.under(inner(key, step), *sides, (*at, step))
        return join({step: one for step, one in found.items() if one is not ABSENT})

    def _one(self, wanted: Any, there: Any, base: Any, at: DocumentPlace) -> Any:
        if wanted is not ABSENT or there is ABSENT or self._may_go(base, at):
            return wanted
        self.kept.append(at)
        return there

    def _may_go(self, base: Any, at: DocumentPlace) -> bool:
        if base is ABSENT:
            return False
        names = ".".join(step for step in at if isinstance(step, str))
        is_item = isinstance(at[-1], tuple)
        return not is_item or names not in self.attributed or at in self.ours


def agree_value(key: Key, base: Any, ours: Any, theirs: Any) -> Any:
    """The new base of a key: the value that both sides agree on, or its former value."""
    if same(ours, theirs):
        return ours
    parts = _parts(key)
    if parts is None or (ABSENT in (ours, theirs) and _is_whole(key)):
        return base
    split, join, inner = parts
    known, here, there = (dict(split(key, side)) for side in (base, ours, theirs))
    found = {}
    for step in {**known, **here, **there}:
        sides = (one.get(step, ABSENT) for one in (known, here, there))
        found[step] = agree_value(inner(key, step), *sides)
    joined = join({step: one for step, one in found.items() if one is not ABSENT})
    return joined if _is_complete(key, joined) else base


def _is_complete(key: Key, held: Any) -> bool:
    """Whether an object has all required keys: two sides may not agree on them."""
    if key.holds is not Holds.OBJECT or held is ABSENT:
        return True
    return all(name in held for name in _list_required(key))


def _is_whole(key: Key) -> bool:
    """Whether a value exists either with all of its required parts or not at all."""
    return key.is_required or (key.holds is Holds.OBJECT and bool(_list_required(key)))


def _list_required(key: Key) -> tuple[str, ...]:
    assert key.item is not None  # noqa: S101 - an object has a class
    return tuple(name for name, inner in keys_of(key.item).items() if inner.is_required)


def _parts(key: Key) -> "tuple[Split, Join, Inner] | None":
    """How to walk the value of a key, if its parts are added and removed individually."""
    is_list = key.holds in (Holds.OBJECTS, Holds.SCALARS)
    return None if is_list and key.set_by is None else _PARTS.get(key.holds)


Split = Callable[[Key, Any], Iterable[tuple[Any, Any]]]
Join = Callable[[Parts], Any]
Inner = Callable[[Key, Any], Key]


def _keys(_key: Key, held: Any) -> Iterable[tuple[Any, Any]]:
    return () if held is ABSENT else held.items()


def _item_keys(key: Key, step: Any) -> Key:
    assert key.item is not None  # noqa: S101 - an object has a class
    return keys_of(key.item)[step]


def _items(key: Key, held: Any) -> Iterator[tuple[Any, Any]]:
    for item in () if held is ABSENT else held:
        yield tuple(_plain(item.get(name)) for name in key.set_by or ()), item


def _plain(held: object) -> object:
    return tuple(held) if isinstance(held, list) else held


def _as_object(key: Key, _step: object) -> Key:
    """The key of a set item, treated as an object; its identifying values never differ."""
    return Key(
        name=key.name, attribute=key.attribute, holds=Holds.OBJECT, item=key.item, is_required=True
    )


def _members(_key: Key, held: Any) -> Iterator[tuple[Any, Any]]:
    for member in () if held is ABSENT else held:
        yield (member,), member


def _entries(_key: Key, held: Any) -> Iterator[tuple[Any, Any]]:
    for name, value in () if held is ABSENT else held.items():
        yield (name,), value


def _one_value(_key: Key, _step: Any) -> Key:
    """The key of a set member or map value: opaque."""
    return _VALUE


def _in_list(parts: Parts) -> Any:
    return list(parts.values()) or ABSENT


def _in_map(parts: Parts) -> Any:
    return dict(parts) or ABSENT


def _in_free_map(parts: Parts) -> Any:
    return {name: value for (name,), value in parts.items()} or ABSENT


_VALUE = Key(name="", attribute="", holds=Holds.SCALAR)
_PARTS: Mapping[Holds, tuple[Split, Join, Inner]] = {
    Holds.OBJECT: (_keys, _in_map, _item_keys),
    Holds.OBJECTS: (_items, _in_list, _as_object),
    Holds.SCALARS: (_members, _in_list, _one_value),
    Holds.FREE: (_entries, _in_free_map, _one_value),
}
