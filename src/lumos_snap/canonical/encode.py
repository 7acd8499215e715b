"""A document's canonical bytes: one layout for each document, so that git shows what changed.

UTF-8, LF, a final newline. Keys stand in the model's order; what is empty is left out; sets are
sorted. Sections and their keys take a line each, and so does each item of a list of objects:
a changed column is one changed line.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from lumos_snap.shape import Document, Holds, Key, Value, document_of, keys_of, sortable

STEP = "  "
OPENS = frozenset({"fields", "branches", "columns"})
"""The lists that take a line per child even inside an item."""


def encode(value: Value) -> bytes:
    """The canonical bytes of a value."""
    return encode_document(document_of(value), type(value))


def encode_document(document: Mapping[str, Any], cls: type) -> bytes:
    """The canonical bytes of a valid document of class `cls`, whatever its own order and layout."""
    lines = [
        f"{STEP}{_scalar(key.name)}: {_section(held, key, STEP)}"
        for key, held in _present(document, cls)
    ]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def canonical_document(document: Mapping[str, Any], cls: type) -> Document:
    """The document with keys and sets in order and without what is empty."""
    return {key.name: _ordered(held, key) for key, held in _present(document, cls)}


def _present(document: Mapping[str, Any], cls: type) -> Iterator[tuple[Key, Any]]:
    for key in _in_order(cls, tuple(document)):
        held = document[key.name]
        if not (key.is_absent(held) or (key.holds is Holds.OBJECT and _is_hollow(held, key))):
            yield key, held


def _is_hollow(held: Mapping[str, Any], key: Key) -> bool:
    """Whether all that an object holds is left out, so that it is left out as well."""
    assert key.item is not None  # noqa: S101 - an object has a class
    return next(_present(held, key.item), None) is None


@functools.lru_cache(maxsize=4096)
def _in_order(cls: type, names: tuple[str, ...]) -> tuple[Key, ...]:
    """The keys of an object in canonical order: few combinations of them ever occur."""
    return tuple(key for name, key in keys_of(cls).items() if name in names)


def _section(held: Any, key: Key, indent: str) -> str:
    """What stands behind a key of the document itself, or behind a key of a section."""
    inner = indent + STEP
    if key.holds is Holds.OBJECT:
        return _object(held, key, indent)
    if key.holds is Holds.OBJECTS:
        assert key.item is not None  # noqa: S101 - a list of objects has their class
        lines = [_item(item, key.item, inner) for item in _sorted(held, key)]
        return _block("[", lines, "]", indent)
    if key.holds is Holds.SCALARS and key.set_by is not None:
        return _block("[", map(_compact, sorted(held)), "]", indent)
    if key.holds is Holds.FREE:
        pairs = (f"{_scalar(name)}: {_compact(_sorted_maps(held[name]))}" for name in sorted(held))
        return _block("{", pairs, "}", indent)
    return _compact(held)


def _object(held: Any, key: Key, indent: str) -> str:
    assert key.item is not None  # noqa: S101 - an object has a class
    if len(indent) > len(STEP):
        return _item(held, key.item, indent)  # only sections open; an object inside one is a line
    pairs = (
        f"{_scalar(k.name)}: {_section(v, k, indent + STEP)}" for k, v in _present(held, key.item)
    )
    return _block("{", pairs, "}", indent)


def _block(opening: str, lines: Iterable[str], closing: str, indent: str) -> str:
    inner = f"\n{indent}{STEP}"
    return opening + inner + f",{inner}".join(lines) + f"\n{indent}{closing}"


def _item(item: Mapping[str, Any], cls: type, indent: str) -> str:
    """An object on one line, but for what opens."""
    template = _template(cls, tuple(item))
    if template:
        return template % tuple(map(_scalar, item.values()))
    return "{" + ", ".join(_item_pairs(item, cls, indent)) + "}"


@functools.lru_cache(maxsize=4096)
def _template(cls: type, names: tuple[str, ...]) -> str:
    """The line of an item with these keys, where they hold scalars only and stand in order."""
    keys = _in_order(cls, names)
    plain = all(key.holds is Holds.SCALAR and key.default is None for key in keys)
    if not plain or names != tuple(key.name for key in keys):
        return ""
    return "{" + ", ".join(f"{_scalar(name)}: %s" for name in names) + "}"


def _item_pairs(item: Mapping[str, Any], cls: type, indent: str) -> Iterator[str]:
    for key, held in _present(item, cls):
        yield f"{_scalar(key.name)}: {_inline(held, key, indent)}"


def _inline(held: Any, key: Key, indent: str) -> str:
    if key.holds is Holds.OBJECT:
        assert key.item is not None  # noqa: S101 - an object has a class
        return _item(held, key.item, indent)
    if key.holds is Holds.OBJECTS:
        assert key.item is not None  # noqa: S101 - a list of objects has their class
        if key.name in OPENS:
            return _section(held, key, indent)
        return "[" + ", ".join(_item(i, key.item, indent) for i in _sorted(held, key)) + "]"
    return _compact(_ordered(held, key))


def _ordered(held: Any, key: Key) -> Any:
    if key.holds is Holds.OBJECT:
        assert key.item is not None  # noqa: S101 - an object has a class
        return canonical_document(held, key.item)
    if key.holds is Holds.OBJECTS:
        assert key.item is not None  # noqa: S101 - a list of objects has their class
        return [canonical_document(item, key.item) for item in _sorted(held, key)]
    if key.holds is Holds.SCALARS:
        return sorted(held) if key.set_by is not None else held
    return _sorted_maps(held) if key.holds is Holds.FREE else held


def _sorted(items: list[Any], key: Key) -> list[Any]:
    by = key.set_by
    if not by:
        return items
    return sorted(items, key=lambda item: _rank(item, by))


def _rank(item: Mapping[str, Any], by: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(sortable(item.get(name)) for name in by)


def _sorted_maps(held: Any) -> Any:
    """Free JSON with the keys of every map in order."""
    if isinstance(held, dict):
        return {name: _sorted_maps(held[name]) for name in sorted(held)}
    if isinstance(held, list):
        return [_sorted_maps(item) for item in held]
    return held


def _compact(held: Any) -> str:
    """JSON on one line."""
    if isinstance(held, dict):
        return "{" + ", ".join(f"{_scalar(k)}: {_compact(v)}" for k, v in held.items()) + "}"
    if isinstance(held, list):
        return "[" + ", ".join(map(_compact, held)) + "]"
    return _scalar(held)


def _dumped(held: object) -> str:
    return orjson.dumps(held).decode()


# Names and types recur from column to column and from dataset to dataset. `typed`: True is not 1.
_scalar = functools.lru_cache(maxsize=16384, typed=True)(_dumped)
