"""Selects the observations to send to a catalog: supported parts that are new or changed."""

import datetime
import hashlib
from collections.abc import Set
from typing import Any, NamedTuple

from lumos_snap.canonical.encode import rfc8785
from lumos_snap.schema import Document

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_ONE = datetime.timedelta(milliseconds=1)


class ObservationMark(NamedTuple):
    """The identity of an observation: its time and content."""

    when: int
    """In milliseconds, as in catalogs."""
    digest: str


def mark(observation: Document, kept: Set[str]) -> ObservationMark | None:
    """The mark of the supported part of an observation; None if that is empty."""
    when = millis(observation.get("observed_at"))
    said = {one: held for one in sorted(kept) if (held := _value_at(observation, one)) is not None}
    if when is None or not said:
        return None
    return ObservationMark(when, hashlib.blake2b(rfc8785(said), digest_size=8).hexdigest())


def is_news(one: ObservationMark, before: ObservationMark | None) -> bool:
    """Whether to send an observation: not if a newer one was sent already."""
    return before is None or (one.when >= before.when and one != before)


def millis(moment: str | None) -> int | None:
    """A moment in milliseconds since 1970; None if it is no valid moment."""
    try:
        return (datetime.datetime.fromisoformat(moment or "") - _EPOCH) // _ONE
    except (ValueError, TypeError):
        return None


def _value_at(observation: Document, place: str) -> Any:
    held: Any = observation
    for name in place.split("."):
        held = held.get(name) if isinstance(held, dict) else None
    return held


def is_mark(said: object) -> bool:
    """Whether a stored text is a valid mark; if not, the observation is sent again."""
    return isinstance(said, list) and [type(one) for one in said] == [int, str]
