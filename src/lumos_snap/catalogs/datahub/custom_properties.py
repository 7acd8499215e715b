"""Our unmapped keys as DataHub custom properties: `lumos.section.key`, with the value as text."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from lumos_snap.schema import Holds, Key, keys_of
from lumos_snap.schema.fast_check import fits_key

PREFIX = "lumos."
"""The prefix of all our custom properties."""

OWN = "properties"
"""The key whose texts are stored as custom properties under their own names."""

Document = Mapping[str, Any]


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


def of_texts(texts: Mapping[str, str], cls: type) -> dict[str, Any]:
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


def _value(text: str, key: Key) -> Any:
    if _is_text(key):
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _json(one: Any) -> str:
    return orjson.dumps(one).decode()


def _is_text(key: Key) -> bool:
    scalar = key.scalar
    return (
        key.holds is Holds.SCALAR and scalar is not None and (scalar.type is str or scalar.is_enum)
    )


def _class_in(key: Key) -> type:
    assert key.item is not None  # noqa: S101 - an object has a class
    return key.item
