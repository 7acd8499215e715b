"""The merged shape of JSON values: the kinds at each place, without the values."""

import re
from collections.abc import Mapping
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.store import BadFileError

LEVELS = 64
"""Maximum depth, equal to that of portable types; deeper values are ignored."""
KEYS = 2_000
"""More names in one place are keys of a map, not columns."""
SUSPICIOUS = 100
"""From here on names may be map keys: if each record has few of them, or they look like ids."""
SPARSE = 4
"""If objects have fewer than 1/SPARSE of all names on average, the names are data."""
ID_LIKE = 0.9
NODES = 20_000
"""Maximum number of places in a shape."""

_ID = re.compile(
    r"[0-9]+|[0-9]{4}-[0-9]{2}(-[0-9]{2})?([T ].*)?|(?=.*[0-9])[0-9a-fA-F-]{8,}", re.DOTALL
)


class BigInteger(float):
    """An integer beyond 64 bits."""


class HugeInteger(float):
    """An integer of more than 38 digits."""


class NonFinite(float):
    """NaN or Infinity, which is not standard JSON, but common."""


KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "bool",
    int: "int",
    BigInteger: "big",
    HugeInteger: "huge",
    float: "float",
    NonFinite: "nan",
    str: "string",
    list: "array",
    dict: "object",
}


_HOLDING = frozenset(("object", "array"))


class JsonShape:
    """The kinds at one place."""

    __slots__ = ("element", "fields", "held", "kinds", "mapped", "objects")

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.fields: dict[str, JsonShape] = {}
        self.element: JsonShape | None = None
        self.mapped: JsonShape | None = None
        self.objects = 0
        self.held = 0

    def add(self, value: Any, level: int = 1) -> None:
        """Add a value."""
        kind = KINDS[type(value)]
        self.kinds.add(kind)
        if level > LEVELS:
            return
        if kind == "object":
            self._add_members(value, level)
        elif kind == "array":
            if self.element is None:
                self.element = JsonShape()
            for item in value:
                self.element.add(item, level + 1)

    def _add_members(self, members: JsonObject, level: int) -> None:
        self.objects += 1
        self.held += len(members)
        deeper = level + 1
        for name, value in members.items():
            place = self.fields.get(name) or self._place(name)
            kind = KINDS[type(value)]
            if kind in _HOLDING:
                place.add(value, deeper)
            else:
                place.kinds.add(kind)  # what `add` would do: most values are scalars
        if len(self.fields) > KEYS:
            self.become_map()

    def become_map(self) -> None:
        """Merge all names from now on."""
        mapped = JsonShape()
        for place in self.fields.values():
            mapped.merge(place)
        self.mapped, self.fields = mapped, {}

    def merge(self, other: "JsonShape") -> None:
        """Merge the shape of another place."""
        self.kinds |= other.kinds
        self.objects += other.objects
        self.held += other.held
        if other.element is not None:
            self.element = self.element or JsonShape()
            self.element.merge(other.element)
        if other.mapped is not None and self.mapped is None:
            self.become_map()
        for name, place in other.fields.items():
            self._place(name).merge(place)
        if other.mapped is not None:
            self._place("").merge(other.mapped)
        if len(self.fields) > KEYS:
            self.become_map()

    def _place(self, name: str) -> "JsonShape":
        if self.mapped is not None:
            return self.mapped
        place = self.fields.get(name)
        if place is None:
            place = self.fields[name] = JsonShape()
        return place

    @property
    def is_map(self) -> bool:
        """Whether names are data here; call it after all records, as it depends on their totals."""
        if self.mapped is not None:
            return True
        names = len(self.fields)
        if names <= SUSPICIOUS:
            return False
        sparse = self.held * SPARSE < names * self.objects
        return sparse or sum(map(bool, map(_ID.fullmatch, self.fields))) >= ID_LIKE * names


def evidence_of(shape: JsonShape) -> JsonObject:
    """Encode the shape as evidence, without redundant parts."""
    return _evidence(shape, [NODES])


def _evidence(shape: JsonShape, left: list[int]) -> JsonObject:
    left[0] -= 1
    if left[0] < 0:
        raise BadFileError(error_codes.TOO_LARGE, f"its values have more than {NODES} places")
    if shape.mapped is None and shape.is_map:
        shape.become_map()
    found: dict[str, Any] = {"kinds": _summary(shape.kinds)}
    if shape.fields:
        found["fields"] = {name: _evidence(one, left) for name, one in shape.fields.items()}
    if shape.element is not None and shape.element.kinds:
        found["element"] = _evidence(shape.element, left)
    if shape.mapped is not None:
        found["map"] = _evidence(shape.mapped, left)
    return found


def _summary(kinds: set[str]) -> list[str]:
    """Drop redundant kinds: every place may be null, and every integer is a number."""
    seen = kinds - {"int"} if "float" in kinds else kinds
    return sorted(seen - {"null"} or seen)
