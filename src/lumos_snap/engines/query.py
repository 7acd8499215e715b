"""What an engine does with stored values when it is told another type."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from lumos_snap.engines.profiles import Row, profile, same


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


_READERS = {
    "parquet": ("spark-4",),
    "iceberg": ("iceberg",),
    "delta": ("delta",),
    "avro": ("avro",),
}
_BY_DEFINITION = "by definition"


def readers_of(format: str | None) -> tuple[str, ...]:  # noqa: A002 - the snapshot's own word
    """The engines that read a format where a dataset names none."""
    return _READERS.get((format or "").lower(), ("generic",))


def ask(engine: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Answer:
    """What an engine does with values that were stored as one type and are read as another.

    Any two types have an answer; of several readers inside an engine the worst counts.
    """
    about = profile(engine)
    if same(old, new):
        return Answer(engine, Outcome.EXACT, why="The type is the same.", source=_BY_DEFINITION)
    if about.refuses(old) or about.refuses(new):
        why, source = about.digits_why, about.digits_source
        return Answer(engine, Outcome.REFUSED, why=why, source=source)
    if "UNKNOWN" in (old["type"], new["type"]):
        why = "Nothing is known of the type but its name, and that is another one."
        return Answer(engine, Outcome.REFUSED, why=why, source=_BY_DEFINITION)
    if same(about.stored(old), about.asked(new)):
        why = f"To {engine} both are the same type."
        return Answer(engine, Outcome.EXACT, why=why, source=about.sources["types"])
    told = tuple(about.answers(old, new))
    reader, row = max(told, key=_harm)
    return Answer(
        engine=engine,
        outcome=row.reads,
        shows=row.shows,
        why=row.why,
        source=row.source,
        reader=reader if len({one.reads for _, one in told}) > 1 else "",
    )


def _harm(told: tuple[str, Row]) -> int:
    return HARM.index(told[1].reads)
