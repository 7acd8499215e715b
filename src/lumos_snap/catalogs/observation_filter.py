"""What of an observation is sent to a catalog: which parts, of what time, and whether again."""

import datetime
import hashlib
from collections.abc import Set
from typing import Any, NamedTuple

from lumos_snap.canonical.digest import rfc8785
from lumos_snap.schema import Document

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_ONE = datetime.timedelta(milliseconds=1)


class ObservationMark(NamedTuple):
    """What tells a reading from another."""

    when: int
    """In milliseconds, as catalogs count them."""
    digest: str


def mark(observation: Document, kept: Set[str]) -> ObservationMark | None:
    """The mark of what a catalog keeps of an observation; none where that is nothing."""
    when = millis(observation.get("observed_at"))
    said = {one: held for one in sorted(kept) if (held := _value_at(observation, one)) is not None}
    if when is None or not said:
        return None
    return ObservationMark(when, hashlib.blake2b(rfc8785(said), digest_size=8).hexdigest())


def is_news(one: ObservationMark, before: ObservationMark | None) -> bool:
    """Whether a reading is to be sent: an older one is not, for somebody has sent a newer one."""
    return before is None or (one.when >= before.when and one != before)


def millis(moment: str | None) -> int | None:
    """A moment as catalogs count time; none where the calendar has no such moment."""
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
    """Whether a text of a remote's says what was sent; what does not is sent once more."""
    return isinstance(said, list) and [type(one) for one in said] == [int, str]
