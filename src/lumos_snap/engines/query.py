"""Asks an engine's profile what happens to stored values that are read as another type."""

from collections.abc import Mapping
from typing import Any

from lumos_snap.engines.profile import HARM, EngineAnswer, ProfileRow, ReadOutcome, profile, same

_READERS = {
    "parquet": ("spark-4",),
    "iceberg": ("iceberg",),
    "delta": ("delta",),
    "avro": ("avro",),
}
_BY_DEFINITION = "by definition"


def readers_of(format: str | None) -> tuple[str, ...]:  # noqa: A002 - the snapshot's own word
    """The engines that read a format, for a dataset that declares none."""
    return _READERS.get((format or "").lower(), ("generic",))


def ask(engine: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> EngineAnswer:
    """Find what an engine does with values that were stored as one type and are read as another.

    Every pair of types has an answer; of several readers inside an engine the worst applies.
    """
    about = profile(engine)
    if same(old, new):
        return EngineAnswer(
            engine, ReadOutcome.EXACT, why="The type is the same.", source=_BY_DEFINITION
        )
    if about.refuses(old) or about.refuses(new):
        why, source = about.digits_why, about.digits_source
        return EngineAnswer(engine, ReadOutcome.REFUSED, why=why, source=source)
    if "UNKNOWN" in (old["type"], new["type"]):
        why = "Nothing is known of the type but its name, and that is another one."
        return EngineAnswer(engine, ReadOutcome.REFUSED, why=why, source=_BY_DEFINITION)
    if same(about.stored(old), about.asked(new)):
        why = f"To {engine} both are the same type."
        return EngineAnswer(engine, ReadOutcome.EXACT, why=why, source=about.sources["types"])
    told = tuple(about.answers(old, new))
    reader, row = max(told, key=_harm)
    return EngineAnswer(
        engine=engine,
        outcome=row.reads,
        shows=row.shows,
        why=row.why,
        source=row.source,
        reader=reader if len({one.reads for _, one in told}) > 1 else "",
    )


def _harm(told: tuple[str, ProfileRow]) -> int:
    return HARM.index(told[1].reads)
