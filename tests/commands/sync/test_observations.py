"""Sending readings through any weather: each ends in one way, and is kept there once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.catalogs.adapter import (
    ObservedDataset,
    WriteAnswer,
    WriteConfirmed,
    WriteRefused,
    WriteUnanswered,
)
from lumos_snap.catalogs.sync.client import Pace, RetryingClient
from lumos_snap.commands.sync.observations import AT_ONCE, ReadingResult, send_readings
from lumos_snap.errors import OutsideError
from tests.catalogs.memory import Memory
from tests.catalogs.world import QUICK
from tests.strategies import LAW


@dataclass
class Series:
    """A catalog's series: batches are whole or nothing, and a point that comes twice is one."""

    refuses: frozenset[int] = frozenset()
    weather: list[str] = field(default_factory=list)
    """What happens to the first requests; all is well afterwards."""
    kept: set[str] = field(default_factory=set)
    asked: list[int] = field(default_factory=list)

    def observe(self, readings: Sequence[ObservedDataset]) -> WriteAnswer:
        self.asked.append(len(readings))
        now = self.weather.pop(0) if self.weather else "well"
        if now == "busy":
            return WriteRefused("too many requests", is_busy=True, after=0.0)
        if now == "lost":
            raise OutsideError("the connection was refused")
        if any(number(one) in self.refuses for one in readings):
            return WriteRefused("not allowed")
        self.kept |= {str(one.observation["urn"]) for one in readings}
        return WriteUnanswered("no answer in time") if now == "unanswered" else WriteConfirmed()


def number(one: ObservedDataset) -> int:
    return int(one.observation["urn"].rpartition("/")[2])


def readings(count: int) -> list[ObservedDataset]:
    return [ObservedDataset({"urn": f"lumos://s3/lake/{one}"}, {}) for one in range(count)]


def send(series: Series, count: int) -> list[ReadingResult]:
    return list(send_readings(RetryingClient(Memory(), Pace(QUICK)), series, readings(count)))


@LAW
@given(
    count=st.integers(0, 250),
    refuses=st.frozensets(st.integers(0, 249), max_size=4),
    weather=st.lists(st.sampled_from(("busy", "lost", "unanswered")), max_size=QUICK.tries - 1),
)
def test_each_reading_is_kept_or_named_whatever_the_weather(
    count: int, refuses: frozenset[int], weather: list[str]
) -> None:
    series = Series(refuses, list(weather))
    found = send(series, count)
    assert [one.urn for one in found] == [str(one.observation["urn"]) for one in readings(count)]
    failed = {one.urn for one in found if one.reason}
    assert failed == {f"lumos://s3/lake/{one}" for one in refuses if one < count}
    assert series.kept == {one.urn for one in found} - failed


def test_many_go_at_once() -> None:
    series = Series()
    send(series, 2 * AT_ONCE + 1)
    assert series.asked == [AT_ONCE, AT_ONCE, 1]


def test_one_that_is_refused_is_found_by_halving() -> None:
    series = Series(frozenset({17}))
    found = Counter(bool(one.reason) for one in send(series, AT_ONCE))
    assert found == {False: AT_ONCE - 1, True: 1}
    assert len(series.asked) < 20


@pytest.mark.parametrize("weather", ["busy", "lost"])
def test_where_nobody_answers_any_more_it_ends(weather: str) -> None:
    series = Series(weather=[weather] * 1_000)
    found = send(series, 3 * AT_ONCE)
    assert series.kept == set()
    assert all(one.reason for one in found)
    assert len(found) == AT_ONCE  # the rest waits for another time
