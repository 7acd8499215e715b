"""Plain values of a schema, and what is said of one that does not fit."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from tests.gms.refusals import Refusal, Why

Json: TypeAlias = Any
Shape: TypeAlias = Callable[[Json, str], Json]
"""Checks a value that stands somewhere, and gives back what is stored of it."""

PRIMITIVES: Mapping[str, Any] = {
    "string": (str,),
    "bytes": (str,),
    "boolean": (bool,),
    "int": (int,),
    "long": (int,),
    "float": (int, float),
    "double": (int, float),
}


def wrong(at: str, problem: str) -> Refusal:
    """What is said of a value that does not fit, and where it stands."""
    return Refusal(Why.INVALID, f"ERROR :: /{at.strip('/')} :: {problem}")


def without_nulls(value: Json) -> Json:
    """A value as it is stored: what is null is not there."""
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    return [without_nulls(one) for one in value] if isinstance(value, list) else value


def primitive(name: str) -> Shape:
    """A value of one of the plain types."""
    wanted, is_float = PRIMITIVES[name], name in ("float", "double")

    def check(value: Json, at: str) -> Json:
        if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
            raise wrong(at, f"{value!r:.80} is not a {name}")
        return float(value) if is_float else value

    return check


def one_of(names: Iterable[str]) -> Shape:
    """A symbol of an enum."""
    symbols = frozenset(names)

    def check(value: Json, at: str) -> Json:
        if not isinstance(value, str) or value not in symbols:
            raise wrong(at, f"{value!r:.80} is not an enum symbol")
        return value

    return check


def array_of(item: Shape) -> Shape:
    """A list of items of one shape."""

    def check(value: Json, at: str) -> Json:
        if not isinstance(value, list):
            raise wrong(at, "an array is expected")
        return [item(one, f"{at}/{number}") for number, one in enumerate(value)]

    return check


def map_of(item: Shape) -> Shape:
    """Items of one shape by name."""

    def check(value: Json, at: str) -> Json:
        if not isinstance(value, dict):
            raise wrong(at, "a map is expected")
        return {key: item(one, f"{at}/{key}") for key, one in value.items() if one is not None}

    return check
