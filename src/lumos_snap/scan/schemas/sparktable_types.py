"""Spark's types, in the JSON that it writes of a schema, as portable ones."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lumos_snap.model.type_kinds import Kind, Unit
from lumos_snap.model.types import MAX_LEVELS, Element, Field, MapKey
from lumos_snap.scan.schemas.delta_types import Parameters, scalar
from lumos_snap.scan.schemas.sparktable_bounds import EMPTY, Bounds, bounds
from lumos_snap.scan.schemas.sql_literals import as_json

Stored = Mapping[str, Any]

_BOUNDED, _COLLATIONS = "__CHAR_VARCHAR_TYPE_STRING", "__COLLATIONS"
_DEFAULT = "CURRENT_DEFAULT"
_GENERATED = ("GENERATION_EXPRESSION", "delta.generationExpression")
_MORE: Mapping[str, Parameters] = {
    "interval": {"type": Kind.INTERVAL, "unit": Unit.MONTH_DAY_NANO, "native": "interval"},
    "time(6)": {"type": Kind.TIME, "unit": Unit.MICROSECOND},
}
_TIME = re.compile(r"time\(\d\)")
_COLLATED = re.compile(r"string collate (\w+)")


class Place(NamedTuple):
    """What else is known of the type that stands at one place of a column."""

    level: int = 0
    bounds: Bounds = EMPTY
    collations: Mapping[str, str] = {}
    path: str = ""

    def inside(self, word: str) -> "Place":
        """At the element, key or value of it."""
        return Place(
            self.level + 1, self.bounds.inside(word), self.collations, f"{self.path}.{word}"
        )


_TOP = Place()


class Reading:
    """One schema being read; what cannot be told is noted."""

    def __init__(self) -> None:
        self.is_deep = False
        self.unknown: set[str] = set()

    def notes(self) -> Iterator[str]:
        """What a person should know."""
        if self.is_deep:
            yield f"types nest over {MAX_LEVELS} levels deep: what is below is left out"
        for name in sorted(self.unknown):
            yield f"the type {name} has no portable form: its name is kept"

    def members(self, fields: Sequence[Stored], place: Place = _TOP) -> tuple[Field, ...]:
        """Columns, or the members of a struct."""
        return tuple(self._field(one, place) for one in fields)

    def _field(self, one: Stored, place: Place) -> Field:
        metadata = one.get("metadata", {})
        name = one["name"]
        text = metadata.get(_BOUNDED)
        known = bounds(text, one["type"]) if text else place.bounds.inside(name)
        at = Place(place.level + 1, known, metadata.get(_COLLATIONS, {}), name)
        given = metadata.get(_DEFAULT)
        default = as_json(given)
        return Field(
            name=name,
            nullable=one["nullable"],
            description=metadata.get("comment") or None,
            generated=next((metadata[key] for key in _GENERATED if metadata.get(key)), None),
            write_default=default,
            properties={} if given is None or default else {_DEFAULT: given},
            **self._type(one["type"], at),
        )

    def _type(self, given: Any, at: Place) -> Parameters:
        if isinstance(given, str):
            return self._scalar(given, at)
        if at.level >= MAX_LEVELS:
            self.is_deep = True
            return {"type": Kind.UNKNOWN, "native": given["type"]}
        return self._nested(given, at)

    def _nested(self, given: Stored, at: Place) -> Parameters:
        match given["type"]:
            case "struct":
                return {"type": Kind.STRUCT, "fields": self.members(given["fields"], at)}
            case "array":
                held = self._type(given["elementType"], at.inside("element"))
                element = Element(nullable=given["containsNull"], **held)
                return {"type": Kind.ARRAY, "element": element}
            case "map":
                key = self._type(given["keyType"], at.inside("key"))
                held = self._type(given["valueType"], at.inside("value"))
                value = Element(nullable=given["valueContainsNull"], **held)
                return {"type": Kind.MAP, "key": MapKey(**key), "value": value}
            case "udt" if "sqlType" in given:
                name = given.get("class") or given.get("pyClass") or "udt"
                return {**self._type(given["sqlType"], at), "native": name}
            case name:
                return self._noted({"type": Kind.UNKNOWN, "native": str(name)})

    def _scalar(self, name: str, at: Place) -> Parameters:
        if name == "string":
            collation = at.collations.get(at.path)
            collated = {"collation": collation} if collation else {}
            return {**scalar(at.bounds.text or name), **collated}
        if name in _MORE:
            return _MORE[name]
        if _TIME.fullmatch(name):
            return {"type": Kind.TIME, "unit": Unit.MICROSECOND, "native": name}
        collated_text = _COLLATED.fullmatch(name)
        if collated_text:
            return {"type": Kind.STRING, "collation": collated_text[1]}
        return self._noted(scalar(name))

    def _noted(self, made: Parameters) -> Parameters:
        if made["type"] is Kind.UNKNOWN:
            self.unknown.add(made["native"])
        return made
