"""Adaptive rate limit: more parallel requests on success, half as many when the server is busy."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from lumos_snap.errors import OutsideError

_AS_TOLD = 4
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """The limits of parallel requests and retries."""

    first: int = 4
    most: int = 16
    tries: int = 6
    pause: float = 0.5
    """Seconds before the second try; doubled with each try."""
    longest: float = 60.0
    most_told: float = 120.0
    """A catalog that asks for a longer pause is not asked again in this run."""
    silence: float = 60.0
    """Seconds without any answer until the run gives up: thousands of requests would wait."""


class StoppedError(Exception):
    """The run was stopped before this request was made."""


class ClosedError(OutsideError):
    """The catalog is considered down; no further requests are sent."""


class Pace:
    """The rate limit shared by all threads of a run."""

    def __init__(self, speed: Speed, clock: Clock = time.monotonic) -> None:
        self._speed = speed
        self._clock = clock
        self._turns = threading.Condition()
        self._limit = speed.first
        self._under_way = 0
        self._well = 0
        self._not_before = 0.0
        self._is_stopped = False
        self._closed: ClosedError | None = None
        self._silent_since: float | None = None

    @property
    def limit(self) -> int:
        """The current limit of parallel requests."""
        return self._limit

    @property
    def pause(self) -> float:
        """Seconds until a new request may start."""
        return max(0.0, self._not_before - self._clock())

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn and make one request.

        Raises `StoppedError` after a stop, and `ClosedError` if the catalog is considered down.
        """
        with self._turns:
            self._wait()
            self._under_way += 1
        try:
            yield
        finally:
            with self._turns:
                self._under_way -= 1
                self._turns.notify()

    def _wait(self) -> None:
        while not self._is_stopped:
            if self._closed is not None:
                raise self._closed
            pause = self.pause
            if not pause and self._under_way < self._limit:
                return
            self._turns.wait(pause or None)
        raise StoppedError

    def went_well(self) -> None:
        """Count an answered request: after as many as the limit, raise the limit by one."""
        with self._turns:
            self._silent_since = None
            self._well += 1
            if self._well >= self._limit < self._speed.most:
                self._limit, self._well = self._limit + 1, 0
                self._turns.notify()

    def was_busy(self, tries: int, after: float | None) -> None:
        """Handle a busy server: pause all requests, and halve the limit."""
        usual = min(self._speed.pause * 2 ** (tries - 1), self._speed.longest)
        with self._turns:
            self._limit, self._well = max(1, self._limit // 2), 0
            if after is not None and after > self._speed.most_told:
                self._close(f"it asks not to be asked again for {math.ceil(after):,} seconds")
                return
            until = self._clock() + (usual if after is None else after)
            self._not_before = max(self._not_before, until)

    def was_silent(self, tries: int) -> None:
        """Handle a missing answer like a busy server, but give up after a while."""
        with self._turns:
            now = self._clock()
            self._silent_since = now if self._silent_since is None else self._silent_since
            if now - self._silent_since >= self._speed.silence:
                self._close(f"nothing was answered for {self._speed.silence:,.0f} seconds")
        self.was_busy(tries, None)

    def _close(self, why: str) -> None:
        self._closed = ClosedError(why)
        self._turns.notify_all()

    def stop(self) -> None:
        """Start no further requests."""
        with self._turns:
            self._is_stopped = True
            self._turns.notify_all()

    def may_try_again(self, tries: int, after: float | None = None) -> bool:
        """Whether a request that failed so many times is worth another try.

        A catalog that names a retry time is alive, so it gets more tries.
        """
        return tries < self._speed.tries * (1 if after is None else _AS_TOLD)
