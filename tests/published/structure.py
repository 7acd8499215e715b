"""The structure of a JSON Schema: without descriptions, titles and the names of definitions."""

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

NAMED = ("properties", "patternProperties", "dependentSchemas")
"""Keywords that hold schemas by name: their keys are names, not keywords."""
WORDS = ("description", "title")


def digest_of(schema: Mapping[str, Any]) -> str:
    """A digest that changes if documents are accepted or rejected for another reason."""
    structure = orjson.dumps(structure_of(schema), option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(structure).hexdigest()[:16]


def structure_of(schema: Mapping[str, Any]) -> list[Any]:
    """The schema, and its definitions in the order in which they are referred to."""
    visit = _Visit(schema.get("$defs", {}))
    whole = [visit.strip({name: one for name, one in schema.items() if name != "$defs"})]
    whole.extend(visit.strip(visit.definitions[name]) for name in visit.order)  # it grows meanwhile
    return whole


class _Visit:
    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.definitions = definitions
        self.order: list[str] = []

    def strip(self, held: Any) -> Any:
        if isinstance(held, list):
            return [self.strip(one) for one in held]
        if not isinstance(held, dict):
            return held
        return {name: self._value(name, held[name]) for name in sorted(held) if name not in WORDS}

    def _value(self, name: str, held: Any) -> Any:
        if name in NAMED:
            return {key: self.strip(held[key]) for key in sorted(held)}
        if name == "$ref" and held.startswith("#/$defs/"):
            definition = held.removeprefix("#/$defs/")
            if definition not in self.order:
                self.order.append(definition)
            return self.order.index(definition)
        return held if name in {"enum", "const", "default", "examples"} else self.strip(held)
