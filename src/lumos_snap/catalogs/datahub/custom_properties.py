"""Our unmapped keys as DataHub custom properties: `lumos.section.key`, with the value as text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from lumos_snap.json_object import JsonObject
from lumos_snap.schema import Document, Holds, Key, keys_of, sortable
from lumos_snap.schema.fast_check import fits_key

PREFIX = "lumos."
"""The prefix of all our custom properties."""

OWN = "properties"
"""The key whose texts are stored as custom properties under their own names."""


def to_texts(rest: Document, cls: type) -> dict[str, str]:
    """Convert the unmapped rest of a document to custom properties."""
    found: dict[str, str] = {}
    for name, one in rest.items():
        key = keys_of(cls)[name]
        if key.holds is Holds.OBJECT:
            inner = keys_of(_class_in(key))
            found |= {f"{PREFIX}{name}.{k}": _text(v, inner[k]) for k, v in one.items()}
        elif name == OWN:
            found |= _own(one)
        else:
            found[PREFIX + name] = _text(one, key)
    return found


def _own(properties: Document) -> dict[str, str]:
    """Texts under their names; other values, and names with our prefix, together as JSON."""
    found = {name: one for name, one in properties.items() if _is_plain(name, one)}
    if rest := {name: one for name, one in properties.items() if name not in found}:
        found[PREFIX + OWN] = _json(rest)
    return found


def _is_plain(name: str, one: object) -> bool:
    return isinstance(one, str) and bool(name) and not name.startswith(PREFIX)


def of_texts(texts: Mapping[str, str], cls: type) -> JsonObject:
    """Read a document from custom properties; unreadable values are ignored."""
    found: dict[str, Any] = {}
    for place, key, one in _read(texts, cls):
        if len(place) > 1:
            found.setdefault(place[0], {})[key.name] = one
        else:
            found[key.name] = one
    if OWN in keys_of(cls):
        plain = {name: one for name, one in texts.items() if not name.startswith(PREFIX)}
        if own := {**found.get(OWN, {}), **plain}:
            found[OWN] = own
    return found


def _read(texts: Mapping[str, str], cls: type) -> Iterator[tuple[list[str], Key, Any]]:
    for name in sorted(texts):
        place = name.removeprefix(PREFIX).split(".")
        key = _key(place, cls) if name.startswith(PREFIX) else None
        if key is not None:
            one = _value(texts[name], key)
            if one is not None and fits_key(one, key):
                yield place, key, one


def _key(place: list[str], cls: type) -> Key | None:
    *above, name = place
    for step in above[:1]:
        section = keys_of(cls).get(step)
        if section is None or section.holds is not Holds.OBJECT or len(above) > 1:
            return None
        cls = _class_in(section)
    return keys_of(cls).get(name)


def _text(one: Any, key: Key) -> str:
    return one if _is_text(key) else _json(one)


def _value(text: str, key: Key) -> object:
    if _is_text(key):
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _json(one: object) -> str:
    return orjson.dumps(one).decode()


def _is_text(key: Key) -> bool:
    scalar = key.scalar
    return (
        key.holds is Holds.SCALAR and scalar is not None and (scalar.type is str or scalar.is_enum)
    )


def _class_in(key: Key) -> type:
    assert key.item is not None  # noqa: S101 - an object has a class
    return key.item


# The parts of a document that an aspect cannot store, and filling these gaps from text.
#
# The aspect wins; the text beside it only fills gaps and never overrides. So an edit in the catalog
# is never hidden by what we wrote earlier.


def missing(whole: Document, held: Document, cls: type) -> dict[str, object]:
    """The parts of a document that are not stored; partly stored items are given by their keys."""
    keys = keys_of(cls)
    gaps = ((name, _gap(one, held.get(name), keys[name])) for name, one in whole.items())
    return {name: gap for name, gap in gaps if gap is not None}


def _gap(whole: object, held: object, key: Key) -> object:
    if held is None:
        return whole
    if whole == held:
        return None
    return (_GAPS[key.holds](whole, held, key) or None) if key.holds in _GAPS else None


def _object_gap(whole: Document, held: Document, key: Key) -> object:
    return missing(whole, held, _class_in(key))


def _free_gap(whole: Document, held: Document, _key: Key) -> object:
    return {name: one for name, one in whole.items() if name not in held}


def _scalars_gap(whole: Sequence[object], held: Sequence[object], key: Key) -> object:
    return None if key.set_by is None else [one for one in whole if one not in held]


def _objects_gap(whole: Sequence[Document], held: Sequence[Document], key: Key) -> object:
    if key.set_by is None:
        return None
    known = {item_key(one, key): one for one in held}
    found = []
    for one in whole:
        if (other := known.get(item_key(one, key))) is None:
            found.append(one)
        elif gap := missing(one, other, _class_in(key)):
            found.append({**{name: one[name] for name in key.set_by if name in one}, **gap})
    return found


_GAPS: Mapping[Holds, Callable[[Any, Any, Key], object]] = {
    Holds.OBJECT: _object_gap,
    Holds.FREE: _free_gap,
    Holds.SCALARS: _scalars_gap,
    Holds.OBJECTS: _objects_gap,
}


def fill_gaps(held: Document, rest: Document, cls: type) -> JsonObject:
    """Fill the gaps of a stored document from its residue."""
    keys = keys_of(cls)
    found = dict(held)
    for name, one in rest.items():
        found[name] = _fill_value(held[name], one, keys[name]) if name in held else one
    return found


def _fill_value(held: object, rest: object, key: Key) -> object:
    return _FILLED[key.holds](held, rest, key) if key.holds in _FILLED else held


def _objects(held: Sequence[Document], rest: Sequence[Document], key: Key) -> object:
    if key.set_by is None:
        return held
    found = {item_key(one, key): one for one in held}
    for one in rest:
        place = item_key(one, key)
        found[place] = fill_gaps(found[place], one, _class_in(key)) if place in found else one
    return list(found.values())


def _scalars(held: Sequence[object], rest: Sequence[object], key: Key) -> object:
    return held if key.set_by is None else [*held, *(one for one in rest if one not in held)]


_FILLED: Mapping[Holds, Callable[[Any, Any, Key], object]] = {
    Holds.OBJECT: lambda held, rest, key: fill_gaps(held, rest, _class_in(key)),
    Holds.FREE: lambda held, rest, _: {**rest, **held},
    Holds.SCALARS: _scalars,
    Holds.OBJECTS: _objects,
}


def item_key(item: Document, key: Key) -> tuple[tuple[str, ...], ...]:
    """The identifying values of an item of a set."""
    return tuple(sortable(item.get(name)) for name in key.set_by or ())
