"""Annotations that say what a stored value may be: plain data, read by `keys`."""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, TypeAlias, TypeVar

T = TypeVar("T")

MOST_PROBLEMS = 100
"""How many problems of one document are listed: a hostile one may have millions."""
LARGEST_INTEGER = 2**53  # beyond it, readers that use doubles silently change the value


@dataclass(frozen=True, slots=True)
class Chars:
    """A string of at least `least` characters that matches `pattern`; `form` says it in words."""

    least: int = 0
    pattern: str = ""
    form: str = ""


class Names(Enum):
    """What a text is the name of: laws check these wherever they stand."""

    DATASET = "dataset"  # by its urn
    FIELD = "field"  # by its path


@dataclass(frozen=True, slots=True)
class Range:
    """An integer between two bounds, both included."""

    least: int = -LARGEST_INTEGER
    most: int = LARGEST_INTEGER


@dataclass(frozen=True, slots=True)
class Some:
    """A list that is not empty: what is empty is left out, and this may not be."""


@dataclass(frozen=True, slots=True, init=False)
class Keyed:
    """A set of objects; these keys together tell one item from another and give the order."""

    by: tuple[str, ...]

    def __init__(self, *by: str) -> None:
        object.__setattr__(self, "by", by)


@dataclass(frozen=True, slots=True)
class Unordered:
    """A set of scalars."""


@dataclass(frozen=True, slots=True)
class FreeForm:
    """Any JSON but for numbers that are not integers."""


Maybe: TypeAlias = T | None
"""The key may be left out; `null` does not stand for that."""

Text = Annotated[str, Chars(least=1)]
Natural = Annotated[int, Range(least=0)]
Json = Annotated[Any, FreeForm()]
