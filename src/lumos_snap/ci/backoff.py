"""Waiting time before a request is retried."""

from collections.abc import Mapping

MOST_TRIES = 5
LONGEST_WAIT = 60
"""Seconds: a longer wait costs more than a failed run."""

_PASSING = frozenset({500, 502, 503, 504})
_LIMITED = frozenset({403, 429})


def wait_before_retry(
    status: int, headers: Mapping[str, str], body: str, tries: int, now: float
) -> float | None:
    """Seconds to wait; None where a retry is useless, or would have to wait for too long.

    `headers` has lower-case names; `now` is in seconds since 1970.
    """
    if tries >= MOST_TRIES:
        return None
    asked = _wait_asked_for(status, headers, body, now)
    if asked is None and (status in _PASSING or status == 0):
        asked = 2.0 ** (tries - 1)
    return asked if asked is not None and asked <= LONGEST_WAIT else None


def is_limit(status: int, headers: Mapping[str, str], body: str) -> bool:
    """Whether GitHub rejects the request because of a rate limit."""
    if status not in _LIMITED:
        return False
    is_spent = headers.get("x-ratelimit-remaining") == "0"
    return status == 429 or is_spent or "retry-after" in headers or "rate limit" in body.lower()  # noqa: PLR2004


def _wait_asked_for(status: int, headers: Mapping[str, str], body: str, now: float) -> float | None:
    """Seconds that GitHub requests, or until its rate limit ends."""
    after = headers.get("retry-after", "")
    if (status in _PASSING or is_limit(status, headers, body)) and after.isdecimal():
        return float(after)
    if not is_limit(status, headers, body):
        return None
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset) - now) + 1
    return float(LONGEST_WAIT)  # GitHub's advice for limits without further details
