"""The bounds of texts, `char(5)`, where Spark's JSON says `string` and a text beside it says more.

The text names members without quotes, so it can be read only along the type that it belongs to.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_TEXT = re.compile(r"(?:var)?char\(\d+\)|string")
_COLLATED = re.compile(r" collate \w+")
_SCALAR = re.compile(r"[a-z_ ]+(?:\([\w,: -]*\))?")


class Bounds(NamedTuple):
    """What the text says of one place, and of what lies inside it."""

    text: str = ""
    held: Mapping[str, "Bounds"] = {}

    def inside(self, name: str) -> "Bounds":
        """Of a member by its name, or of `element`, `key` or `value`."""
        return self.held.get(name, EMPTY)


EMPTY = Bounds()


class _StrangeError(Exception):
    """The text belongs to some other type."""


def bounds(text: str, given: Any) -> Bounds:
    """What a text says along a type; nothing where it does not fit it."""
    try:
        found, end = _read(text, 0, given)
    except _StrangeError:
        return EMPTY
    return found if end == len(text) else EMPTY


def _read(text: str, at: int, given: Any) -> tuple[Bounds, int]:
    match given:
        case {"type": "struct", "fields": fields}:
            return _members(text, _past(text, at, "struct<"), fields)
        case {"type": "array", "elementType": element}:
            held, at = _read(text, _past(text, at, "array<"), element)
            return Bounds(held={"element": held}), _past(text, at, ">")
        case {"type": "map", "keyType": key, "valueType": value}:
            first, at = _read(text, _past(text, at, "map<"), key)
            second, at = _read(text, _past(text, at, ","), value)
            return Bounds(held={"key": first, "value": second}), _past(text, at, ">")
        case "string":
            found = _TEXT.match(text, at)
            if found is None:
                raise _StrangeError
            collated = _COLLATED.match(text, found.end())
            return Bounds(found[0]), (collated or found).end()
        case _:
            found = _SCALAR.match(text, at)
            if found is None:
                raise _StrangeError
            return EMPTY, found.end()


def _members(text: str, at: int, fields: list[Mapping[str, Any]]) -> tuple[Bounds, int]:
    held = {}
    for number, one in enumerate(fields):
        at = _past(text, at, f"{',' if number else ''}{one['name']}:")
        held[one["name"]], at = _read(text, at, one["type"])
    return Bounds(held=held), _past(text, at, ">")


def _past(text: str, at: int, sign: str) -> int:
    if not text.startswith(sign, at):
        raise _StrangeError
    return at + len(sign)
