"""A server that has too much to do: it is asked again when it says so, and not before."""

import email.utils
import time
from collections import Counter

import pytest

from tests.datahub.home import Home
from tests.gms import Gms

STATUSES = (429, 503)


def put_five(home: Home) -> None:
    for name in "abcde":
        home.put(name, governance={"tags": ["raw"]})


@pytest.mark.parametrize("status", STATUSES)
def test_a_storm_passes_and_everything_is_written_once(home: Home, gms: Gms, status: int) -> None:
    put_five(home)
    gms.faults.answer(status, after="0", writes=True, times=12)
    assert "5 written" in home.push().out
    stored = [one for asked in gms.asked.writes() if asked.status == 200 for one in asked.wrote]
    assert len(stored) == len({(one.urn, one.aspect) for one in stored})
    assert home.is_settled()


@pytest.mark.parametrize("status", STATUSES)
def test_a_storm_while_reading_passes_too(home: Home, gms: Gms, status: int) -> None:
    put_five(home)
    home.push()
    gms.faults.answer(status, after="0", writes=False, times=3)
    assert home.plan()["counts"]["changed"] == 0
    gms.faults.answer(status, after="0", path="/config", times=2)
    assert home.is_settled()


def test_nobody_asks_before_the_time_that_the_server_names(home: Home, gms: Gms) -> None:
    put_five(home)
    gms.faults.answer(429, after="1", writes=True)
    home.push()
    turned_away = next(one for one in gms.asked if one.status == 429)
    later = [one for one in gms.asked if one.began > turned_away.ended + 0.05]
    assert len(later) >= 1
    assert all(one.began >= turned_away.ended + 0.95 for one in later)


def test_the_time_may_be_a_date(home: Home, gms: Gms) -> None:
    put_five(home)
    at = email.utils.formatdate(time.time() + 2, usegmt=True)
    gms.faults.answer(503, after=at, writes=True)
    before = time.monotonic()
    home.push()
    assert 0.9 <= time.monotonic() - before < 6


@pytest.mark.parametrize("after", ["soon", "nan", "inf", "-5", "Thu, 99 Foo 2026", ""])
def test_a_time_that_is_none_is_no_time(home: Home, gms: Gms, after: str) -> None:
    put_five(home)
    gms.faults.answer(429, after=after, writes=True)
    home.push()
    assert home.is_settled()


def test_a_server_that_asks_for_an_hour_is_not_waited_for(home: Home, gms: Gms) -> None:
    put_five(home)
    gms.faults.answer(429, after="3600", writes=True)
    before = time.monotonic()
    ran = home.sync("--apply", "--yes")
    assert time.monotonic() - before < 20
    assert ran.code == 3
    assert "it asks not to be asked again for 3,600 seconds" in ran.out
    asked = Counter((one.method, one.path, one.digest) for one in gms.asked.writes())
    assert max(asked.values()) == 1, "it was asked again"
    assert home.sync("--resume").code == 0
    assert home.is_settled()


def test_a_storm_without_end_is_given_up_named_and_finished_later(home: Home, gms: Gms) -> None:
    put_five(home)
    gms.faults.answer(503, after="0", writes=True, urn=home.urn("b"), times=None)
    ran = home.sync("--apply", "--yes")
    assert ran.code == 3
    assert "4 written, 1 failed" in ran.out
    assert "--resume" in ran.out
    gms.faults.clear()
    assert "1 written" in home.sync("--resume").out or home.is_settled()
    assert home.is_settled()
