"""Annotations that say what a stored value may be.

They speak pydantic's hook protocol without importing pydantic: describing a snapshot costs
nothing until something is validated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

T = TypeVar("T")

_CoreSchema = dict[str, Any]  # pydantic-core's own description of a validator is an open dictionary
_Handler = Callable[[object], _CoreSchema]

LARGEST_INTEGER = 2**53  # beyond it, readers that use doubles silently change the value


@dataclass(frozen=True, slots=True)
class Present:
    """The key may be left out; `null` does not stand for that."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _CoreSchema:
        schema = handler(source)
        inner: _CoreSchema = schema["schema"]
        return inner


@dataclass(frozen=True, slots=True)
class Chars:
    """A string of at least `least` characters that matches `pattern`."""

    least: int = 0
    pattern: str = ""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _CoreSchema:
        schema = handler(source)
        if self.least:
            schema["min_length"] = self.least
        if self.pattern:
            schema["pattern"] = self.pattern
            schema["regex_engine"] = "python-re"  # the same meaning of `$` as in other validators
        return schema


@dataclass(frozen=True, slots=True)
class Some:
    """A list that is not empty: what is empty is left out, and this may not be."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _CoreSchema:
        return {**handler(source), "min_length": 1}


@dataclass(frozen=True, slots=True)
class Range:
    """An integer between two bounds, both included."""

    least: int = -LARGEST_INTEGER
    most: int = LARGEST_INTEGER

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _CoreSchema:
        return {**handler(source), "ge": self.least, "le": self.most}


@dataclass(frozen=True, slots=True, init=False)
class Keyed:
    """A set of objects; these keys together tell one item from another and give the order."""

    by: tuple[str, ...]

    def __init__(self, *by: str) -> None:
        object.__setattr__(self, "by", by)

    def __get_pydantic_json_schema__(self, schema: object, handler: _Handler) -> _CoreSchema:
        return {**handler(schema), "x-lumos-set": list(self.by)}


@dataclass(frozen=True, slots=True)
class Unordered:
    """A set of scalars."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _CoreSchema:
        check = {"type": "no-info", "function": _distinct}
        return {"type": "function-after", "function": check, "schema": handler(source)}

    def __get_pydantic_json_schema__(self, schema: object, handler: _Handler) -> _CoreSchema:
        return {**handler(schema), "uniqueItems": True, "x-lumos-set": []}


@dataclass(frozen=True, slots=True)
class FreeForm:
    """Any JSON but for numbers that are not integers."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _CoreSchema:
        check = {"type": "no-info", "function": _free_form}
        return {"type": "function-after", "function": check, "schema": handler(source)}

    def __get_pydantic_json_schema__(self, schema: object, handler: _Handler) -> _CoreSchema:
        del schema, handler
        return dict(FREE_FORM_MARK)


FREE_FORM_MARK: _CoreSchema = {"x-lumos-free-form": True}
"""Stands in a generated schema where the published one refers to the schema below."""

FREE_FORM_SCHEMA: _CoreSchema = {
    "description": "Any JSON; numbers are integers, all others are written as strings.",
    "anyOf": [
        {"type": ["string", "boolean", "null"]},
        {"type": "integer", "minimum": -LARGEST_INTEGER, "maximum": LARGEST_INTEGER},
        {"type": "array", "items": {"$ref": "#/$defs/Json"}},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
    ],
}


def _distinct(items: tuple[T, ...]) -> tuple[T, ...]:
    if len(set(items)) != len(items):
        twice = sorted({str(item) for item in items if items.count(item) > 1})
        raise ValueError(f"{', '.join(twice)} stands there more than once")
    return items


def _free_form(held: T) -> T:
    if isinstance(held, float):
        raise ValueError(f"{held} is not an integer: write it as a string")  # noqa: TRY004 - pydantic reads ValueError
    if isinstance(held, int) and abs(held) > LARGEST_INTEGER:
        raise ValueError(f"{held} is beyond 2^53: write it as a string")
    for item in held.values() if isinstance(held, dict) else held if isinstance(held, list) else ():
        _free_form(item)
    return held


Maybe = Annotated[T | None, Present()]
Text = Annotated[str, Chars(least=1)]
Integer = Annotated[int, Range()]
Natural = Annotated[int, Range(least=0)]
Json = Annotated[Any, FreeForm()]
