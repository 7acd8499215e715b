"""How old data may be, by what was last measured."""

import datetime
from collections.abc import Iterator
from typing import Any

from lumos_snap.config.demands import FreshnessDemand
from lumos_snap.rules import states
from lumos_snap.rules.breach import Breach
from lumos_snap.rules.state import Document, State

_WHAT = {"data": "the data", "observation": "the last observation"}


def breaches(demand: FreshnessDemand, state: State) -> Iterator[Breach]:
    """What is older than it may be, or of unknown age."""
    item, allowed = _WHAT[demand.by], _days(demand.days)
    since = moment(demand, state.observation or {})
    if since is None:
        yield Breach(states.AGE_UNKNOWN, item=item, new=allowed)
        return
    age = (state.today - since).days
    if age > demand.days:
        old = f"{_days(age)}, since {since}"
        yield Breach(states.STALE, item=item, old=old, new=allowed)


def moment(demand: FreshnessDemand, observation: Document) -> datetime.date | None:
    """The day that counts: up to when data is complete, else when it was last written."""
    if demand.by == "observation":
        return _day(observation.get("observed_at"))
    complete = observation.get("quality", {}).get("freshness")
    return _day(complete or observation.get("data", {}).get("last_modified"))


def _day(text: Any) -> datetime.date | None:
    """The day of a moment, in UTC."""
    if not isinstance(text, str):
        return None
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:  # a date that there is not, or more digits than a clock has
        return None
    return found.astimezone(datetime.UTC).date()


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"
