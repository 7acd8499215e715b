"""What an engine does with stored values when it is told another type."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Outcome(StrEnum):
    """What becomes of the values that are stored."""

    EXACT = "exact"
    REFUSED = "refused"
    CHANGED = "changed"


HARM = (Outcome.EXACT, Outcome.REFUSED, Outcome.CHANGED)
"""From harmless to worst: an error is noticed, other values are not."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one engine does with one pair of types, and where that is known from."""

    engine: str
    outcome: Outcome
    shows: str = ""
    why: str = ""
    source: str = ""
    reader: str = ""


@dataclass(frozen=True, slots=True)
class Traits:
    """How an engine finds and fills columns."""

    finds_fields: Literal["name", "id", "position"]
    ignores_case: bool
    fills_defaults: bool
    follows_aliases: bool
