"""How many requests are under way, and what makes them more or fewer."""

import threading

import pytest

from lumos_snap.catalogs.sync.client import ClosedError, Pace, Speed, StoppedError


class Clock:
    """Time that passes only when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_one_more_is_allowed_after_as_many_good_answers_as_may_be_under_way() -> None:
    pace = Pace(Speed(first=2, most=3))
    limits = []
    for _ in range(8):
        pace.went_well()
        limits.append(pace.limit)
    assert limits == [2, 3, 3, 3, 3, 3, 3, 3]


def test_half_as_many_go_on_where_a_catalog_is_busy_and_at_least_one() -> None:
    pace = Pace(Speed(first=8))
    limits = []
    for _ in range(5):
        pace.was_busy(1, 0.0)
        limits.append(pace.limit)
    assert limits == [4, 2, 1, 1, 1]


def test_everybody_waits_as_long_as_the_catalog_says_or_longer_from_try_to_try() -> None:
    clock = Clock()
    speed = Speed(pause=0.5, longest=3.0)
    waits = []
    for tries, after in [(1, None), (2, None), (3, None), (9, None), (1, 7.5)]:
        pace = Pace(speed, clock)
        pace.was_busy(tries, after)
        waits.append(pace.pause)
    assert waits == [0.5, 1.0, 2.0, 3.0, 7.5]


def test_a_pause_ends_when_its_time_has_come() -> None:
    pace = Pace(Speed(first=1))
    pace.was_busy(1, 0.02)
    with pace.turn():
        assert pace.pause == 0.0


def test_no_more_than_the_limit_are_under_way() -> None:
    pace = Pace(Speed(first=3))
    here, most, lock = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal here, most
        with pace.turn():
            with lock:
                here += 1
                most = max(most, here)
            threading.Event().wait(0.005)
            with lock:
                here -= 1

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert most == 3


def test_after_a_stop_nobody_gets_a_turn_and_those_that_wait_are_let_go() -> None:
    pace = Pace(Speed(first=1))
    met = []

    def wait() -> None:
        try:
            with pace.turn():
                met.append("turn")
        except StoppedError:
            met.append("stopped")

    with pace.turn():
        waiting = threading.Thread(target=wait)
        waiting.start()
        pace.stop()
        waiting.join(10)
    assert met == ["stopped"]
    with pytest.raises(StoppedError), pace.turn():
        pass


def test_a_catalog_that_asks_for_a_long_pause_is_not_asked_again() -> None:
    pace = Pace(Speed(most_told=60.0))
    pace.was_busy(1, 60.0)
    pace = Pace(Speed(most_told=60.0))
    pace.was_busy(1, 60.5)
    with pytest.raises(ClosedError, match="asked again for 61 seconds"), pace.turn():
        pass


def test_a_catalog_that_says_when_to_come_back_is_asked_more_often() -> None:
    pace = Pace(Speed(tries=6))
    assert [pace.may_try_again(tries) for tries in (1, 5, 6, 7)] == [True, True, False, False]
    assert [pace.may_try_again(tries, 0.0) for tries in (6, 23, 24)] == [True, True, False]


def test_a_catalog_that_answers_nothing_for_long_is_not_asked_again() -> None:
    clock = Clock()
    pace = Pace(Speed(silence=60.0), clock)
    pace.was_silent(1)
    clock.now += 59.0
    pace.went_well()
    pace.was_silent(1)
    clock.now += 59.0
    pace.was_silent(1)
    clock.now += 5.0
    with pace.turn():
        pass
    pace.was_silent(1)
    with pytest.raises(ClosedError, match="nothing was answered for 60 seconds"), pace.turn():
        pass
