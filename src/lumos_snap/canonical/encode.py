"""Canonical encoding: one byte layout for each document, so that git shows only real changes.

UTF-8, LF, a final newline. Keys are in the model's order; empty values are left out; sets are
sorted. Sections and their keys take a line each, and so does each item of a list of objects: a
changed column is one changed line.

A document becomes a template, with `%s` for every scalar, and a list of its scalars, which are
serialized in one call: twice as fast as one call for each.
"""

import functools
import hashlib
from collections.abc import Callable
from typing import Any

import orjson

from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Holds, Key, Value, document_of, keys_of, sortable

STEP = "  "
OPENS = frozenset({"fields", "branches", "columns"})
"""Lists that take one line per item even inside an item."""

Scalars = list[object]
Write = Callable[[Any, str, Scalars], str]  # builds the template of a value and appends its scalars


def encode(value: Value) -> bytes:
    """The canonical bytes of a value."""
    return encode_document(document_of(value), type(value))


def encode_document(document: JsonObject, cls: type) -> bytes:
    """The canonical bytes of a valid document of class `cls` in any order and layout."""
    scalars: Scalars = []
    pairs = _pairs(document, _parts(cls, _in_document, tuple(document)), STEP, scalars)
    template = _block("{", pairs, "}", "") + "\n"
    return (template % _dump_scalars(scalars)).encode()


def canonical_document(document: JsonObject, cls: type) -> dict[str, Any]:
    """The document with sorted keys and sets, and without empty values."""
    found: dict[str, Any] = orjson.loads(encode_document(document, cls))
    return found


def _dump_scalars(scalars: Scalars) -> tuple[str, ...]:
    """Serialize every scalar: orjson writes one per line, and none contains a line break."""
    if not scalars:
        return ()
    text = orjson.dumps(scalars, option=orjson.OPT_INDENT_2).decode()
    return tuple(text.removeprefix("[\n  ").removesuffix("\n]").split(",\n  "))


_Part = tuple[Key, str, Write]  # a key, its opening text, and the function that writes its value


@functools.lru_cache(maxsize=4096)
def _parts(cls: type, writer: Callable[[Key], Write], names: tuple[str, ...]) -> tuple[_Part, ...]:
    """How the keys of an object are written, cached for each combination of keys."""
    return tuple((key, f'"{key.name}": ', writer(key)) for key in _in_order(cls, names))


def _in_order(cls: type, names: tuple[str, ...]) -> tuple[Key, ...]:
    """The keys of an object in canonical order; the number of combinations is small."""
    return tuple(key for name, key in keys_of(cls).items() if name in names)


def _pairs(held: JsonObject, parts: tuple[_Part, ...], indent: str, scalars: Scalars) -> list[str]:
    """The pairs of an object without absent values; an object without pairs is absent too."""
    pairs = []
    for key, opening, write in parts:
        one = held[key.name]
        if not key.is_absent(one) and (template := write(one, indent, scalars)):
            pairs.append(opening + template)
    return pairs


def _in_document(key: Key) -> Write:
    """The writer of a top-level key: objects take several lines."""
    if key.holds is Holds.OBJECT:
        return functools.partial(_section, _class_in(key))
    return _in_section(key)


def _in_section(key: Key) -> Write:
    """The writer of a key in a section: lists of objects, sets and maps take several lines."""
    if key.holds is Holds.OBJECTS:
        return functools.partial(_lines, key)
    if key.holds is Holds.SCALARS and key.set_by is not None:
        return _open_set
    return _open_map if key.holds is Holds.FREE else _in_item(key)


def _in_item(key: Key) -> Write:
    """The writer of a key in an item: on the same line, except for the lists in `OPENS`."""
    if key.holds is Holds.OBJECT:
        return functools.partial(_item, _class_in(key))
    if key.holds is Holds.OBJECTS:
        return functools.partial(_lines if key.name in OPENS else _list, key)
    if key.holds is Holds.SCALARS and key.set_by is not None:
        return _set
    return _scalar if key.holds is Holds.SCALAR else _free


def _class_in(key: Key) -> type:
    assert key.item is not None  # noqa: S101 - an object has a class, and so has a list of them
    return key.item


def _section(cls: type, held: JsonObject, indent: str, scalars: Scalars) -> str:
    pairs = _pairs(held, _parts(cls, _in_section, tuple(held)), indent + STEP, scalars)
    return _block("{", pairs, "}", indent) if pairs else ""


def _lines(key: Key, held: list[Any], indent: str, scalars: Scalars) -> str:
    return _block("[", _items(key, held, indent + STEP, scalars), "]", indent)


def _list(key: Key, held: list[Any], indent: str, scalars: Scalars) -> str:
    return "[" + ", ".join(_items(key, held, indent, scalars)) + "]"


def _items(key: Key, held: list[Any], indent: str, scalars: Scalars) -> list[str]:
    cls = _class_in(key)
    return [_item(cls, item, indent, scalars) or "{}" for item in _sort_items(held, key)]


def _item(cls: type, item: JsonObject, indent: str, scalars: Scalars) -> str:
    """An object on one line, except for the lists in `OPENS`."""
    names = tuple(item)
    template = _template(cls, names)
    if template:
        scalars += item.values()
        return template
    pairs = _pairs(item, _parts(cls, _in_item, names), indent, scalars)
    return "{" + ", ".join(pairs) + "}" if pairs else ""


@functools.lru_cache(maxsize=4096)
def _template(cls: type, names: tuple[str, ...]) -> str:
    """The template of an item with these keys, if all are sorted scalars; else empty."""
    keys = _in_order(cls, names)
    plain = all(key.holds is Holds.SCALAR and key.default is None for key in keys)
    if not plain or names != tuple(key.name for key in keys):
        return ""
    return "{" + ", ".join(f'"{name}": %s' for name in names) + "}"


def _open_set(held: list[str], indent: str, scalars: Scalars) -> str:
    scalars += sorted(held)
    return _block("[", ["%s"] * len(held), "]", indent)


def _set(held: list[str], indent: str, scalars: Scalars) -> str:
    return _free(sorted(held), indent, scalars)


def _open_map(held: JsonObject, indent: str, scalars: Scalars) -> str:
    return _block("{", _free_pairs(held, indent, scalars), "}", indent)


def _free(held: Any, indent: str, scalars: Scalars) -> str:
    """Free-form JSON on one line, with sorted keys."""
    if isinstance(held, dict):
        return "{" + ", ".join(_free_pairs(held, indent, scalars)) + "}"
    if isinstance(held, list):
        return "[" + ", ".join([_free(item, indent, scalars) for item in held]) + "]"
    return _scalar(held, indent, scalars)


def _free_pairs(held: JsonObject, indent: str, scalars: Scalars) -> list[str]:
    pairs = []
    for name in sorted(held):
        scalars.append(name)
        pairs.append("%s: " + _free(held[name], indent, scalars))
    return pairs


def _scalar(held: object, _indent: str, scalars: Scalars) -> str:
    scalars.append(held)
    return "%s"


def _block(opening: str, lines: list[str], closing: str, indent: str) -> str:
    inner = f"\n{indent}{STEP}"
    return opening + inner + f",{inner}".join(lines) + f"\n{indent}{closing}"


def _sort_items(items: list[Any], key: Key) -> list[Any]:
    by = key.set_by
    if not by or len(items) == 1:
        return items
    return sorted(items, key=lambda item: _rank(item, by))


def _rank(item: JsonObject, by: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(sortable(item.get(name)) for name in by)


# The digest of a snapshot: SHA-256 over its RFC 8785 bytes, without its versions.


def digest(document: JsonObject) -> str:
    """The digest of a snapshot document, independent of layout and order."""
    content = canonical_document(document, Snapshot)
    content.pop("versioning", None)
    return hashlib.sha256(rfc8785(content)).hexdigest()


def rfc8785(value: object) -> bytes:
    """Encode JSON canonically according to RFC 8785, for values whose numbers are integers."""
    return orjson.dumps(_by_utf16(value))


def _by_utf16(value: object) -> object:
    if isinstance(value, dict):
        return {name: _by_utf16(value[name]) for name in sorted(value, key=_utf16)}
    if isinstance(value, list):
        return [_by_utf16(item) for item in value]
    return value


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be")
