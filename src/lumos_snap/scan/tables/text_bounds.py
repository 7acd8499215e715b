"""The lengths of texts in Spark's columns: the text of a type, parsed along the type itself.

Where the JSON of a schema has `string`, the metadata of the column may have the full type, such as
`array<varchar(3)>`. That text has member names without quotes.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject

_TEXT = re.compile(r"(?:var)?char\(\d+\)|string")
_COLLATED_TEXT = re.compile(r" collate \w+")
_SCALAR = re.compile(r"[a-z_ ]+(?:\([\w,: -]*\))?")


class TextBounds(NamedTuple):
    """The text type at one place, and those inside it."""

    text: str = ""
    held: Mapping[str, "TextBounds"] = {}

    def inside(self, name: str) -> "TextBounds":
        """Return the bounds of a member by name, or of `element`, `key` or `value`."""
        # Not EMPTY: the class is pickled for workers, and an instance of it cannot come before it.
        return self.held.get(name) or TextBounds()


EMPTY = TextBounds()


class _StrangeError(Exception):
    """The text belongs to another type."""


def parse_bounds(text: str, given: object) -> TextBounds:
    """Parse a text along a type; empty if it does not match."""
    try:
        found, end = _read(text, 0, given)
    except _StrangeError:
        return EMPTY
    return found if end == len(text) else EMPTY


def _read(text: str, at: int, given: Any) -> tuple[TextBounds, int]:
    match given:
        case {"type": "struct", "fields": fields}:
            return _members(text, _skip_sign(text, at, "struct<"), fields)
        case {"type": "array", "elementType": element}:
            held, at = _read(text, _skip_sign(text, at, "array<"), element)
            return TextBounds(held={"element": held}), _skip_sign(text, at, ">")
        case {"type": "map", "keyType": key, "valueType": value}:
            first, at = _read(text, _skip_sign(text, at, "map<"), key)
            second, at = _read(text, _skip_sign(text, at, ","), value)
            return TextBounds(held={"key": first, "value": second}), _skip_sign(text, at, ">")
        case "string":
            found = _TEXT.match(text, at)
            if found is None:
                raise _StrangeError
            collated = _COLLATED_TEXT.match(text, found.end())
            return TextBounds(found[0]), (collated or found).end()
        case _:
            found = _SCALAR.match(text, at)
            if found is None:
                raise _StrangeError
            return EMPTY, found.end()


def _members(text: str, at: int, fields: list[JsonObject]) -> tuple[TextBounds, int]:
    held = {}
    for number, one in enumerate(fields):
        name = str(one.get("name"))
        at = _skip_sign(text, at, f"{',' if number else ''}{name}:")
        held[name], at = _read(text, at, one.get("type"))
    return TextBounds(held=held), _skip_sign(text, at, ">")


def _skip_sign(text: str, at: int, sign: str) -> int:
    if not text.startswith(sign, at):
        raise _StrangeError
    return at + len(sign)
