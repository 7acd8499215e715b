"""How many requests are under way at once: more while all goes well, half as many where not."""

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
    """How hard a catalog may be pressed, and how patiently it is asked again."""

    first: int = 4
    most: int = 16
    tries: int = 6
    pause: float = 0.5
    """Seconds before the second try; they double from try to try."""
    longest: float = 60.0
    most_told: float = 120.0
    """A catalog that asks for a longer pause than that is not asked again in this run."""
    silence: float = 60.0
    """One that answers nothing for so long is not asked again either: thousands would wait."""


class StoppedError(Exception):
    """The run was stopped before this request was made."""


class ClosedError(OutsideError):
    """Nobody asks the catalog any more in this run."""


class Pace:
    """The turns of threads that share one catalog."""

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
        """How many requests may be under way now."""
        return self._limit

    @property
    def pause(self) -> float:
        """How many seconds nobody may begin a request."""
        return max(0.0, self._not_before - self._clock())

    @contextmanager
    def turn(self) -> Iterator[None]:
        """One request, made when it is this thread's turn.

        Raises `StoppedError` after a stop, and `ClosedError` where nobody may ask any more.
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
        """A request was answered: after as many as may be under way, one more may."""
        with self._turns:
            self._silent_since = None
            self._well += 1
            if self._well >= self._limit < self._speed.most:
                self._limit, self._well = self._limit + 1, 0
                self._turns.notify()

    def was_busy(self, tries: int, after: float | None) -> None:
        """A request was turned away for now: everybody pauses, and half as many go on."""
        usual = min(self._speed.pause * 2 ** (tries - 1), self._speed.longest)
        with self._turns:
            self._limit, self._well = max(1, self._limit // 2), 0
            if after is not None and after > self._speed.most_told:
                self._close(f"it asks not to be asked again for {math.ceil(after):,} seconds")
                return
            until = self._clock() + (usual if after is None else after)
            self._not_before = max(self._not_before, until)

    def was_silent(self, tries: int) -> None:
        """A request was not answered: as if it was busy, but nobody waits for ever."""
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
        """No request is begun any more."""
        with self._turns:
            self._is_stopped = True
            self._turns.notify_all()

    def may_try_again(self, tries: int, after: float | None = None) -> bool:
        """Whether a request that failed so many times is worth another try.

        A catalog that says when to come back is there, and means it: it is asked more often.
        """
        return tries < self._speed.tries * (1 if after is None else _AS_TOLD)
