"""Which answers are asked for again, and when."""

import pytest

from lumos_snap.ci.github_errors import LONGEST_WAIT, MOST_TRIES, wait_before_retry

NOW = 1_000_000.0
SECONDARY = "You have exceeded a secondary rate limit"


def wait(
    status: int, headers: dict[str, str] | None = None, said: str = "", tries: int = 1
) -> float | None:
    return wait_before_retry(status, headers or {}, said, tries, NOW)


@pytest.mark.parametrize("status", [0, 500, 502, 503, 504])
def test_what_passes_is_asked_again_after_ever_longer_waits(status: int) -> None:
    assert [wait(status, tries=tries) for tries in range(1, MOST_TRIES)] == [1, 2, 4, 8]


@pytest.mark.parametrize("status", [400, 401, 404, 409, 410, 422, 501])
def test_what_will_not_pass_is_not_asked_again(status: int) -> None:
    assert wait(status) is None


def test_a_refusal_is_not_asked_again() -> None:
    assert wait(403, said="Resource not accessible by integration") is None


@pytest.mark.parametrize("status", [403, 429, 503])
def test_the_server_says_how_long_to_wait(status: int) -> None:
    assert wait(status, {"retry-after": "7"}, SECONDARY) == 7


def test_a_limit_ends_when_the_server_says() -> None:
    spent = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) + 9)}
    assert wait(403, spent, "API rate limit exceeded") == 10
    long_past = spent | {"x-ratelimit-reset": str(int(NOW) - 9)}
    assert wait(429, long_past) == 1


def test_a_limit_that_says_no_time_takes_a_minute() -> None:
    assert wait(403, said=SECONDARY) == LONGEST_WAIT
    assert wait(429) == LONGEST_WAIT


@pytest.mark.parametrize("seconds", ["61", "3600", "99999999999999999999"])
def test_no_run_waits_for_longer_than_is_worth_it(seconds: str) -> None:
    assert wait(429, {"retry-after": seconds}) is None
    reset = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) + int(seconds))}
    assert wait(403, reset) is None


@pytest.mark.parametrize("given", ["soon", "-1", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT", "²"])
def test_a_time_that_is_none_is_passed_over(given: str) -> None:
    assert wait(502, {"retry-after": given}) == 1


def test_there_is_an_end_to_it() -> None:
    assert wait(502, tries=MOST_TRIES) is None
    assert wait(429, {"retry-after": "1"}, tries=MOST_TRIES) is None
