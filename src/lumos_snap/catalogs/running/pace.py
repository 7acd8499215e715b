"""How many requests are under way at once: more while all goes well, half as many where not."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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


class StoppedError(Exception):
    """The run was stopped before this request was made."""


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
        """One request, made when it is this thread's turn; raises `StoppedError` after a stop."""
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
            pause = self.pause
            if not pause and self._under_way < self._limit:
                return
            self._turns.wait(pause or None)
        raise StoppedError

    def went_well(self) -> None:
        """A request was answered: after as many as may be under way, one more may."""
        with self._turns:
            self._well += 1
            if self._well >= self._limit < self._speed.most:
                self._limit, self._well = self._limit + 1, 0
                self._turns.notify()

    def was_busy(self, tries: int, after: float | None) -> None:
        """A request was turned away for now: everybody pauses, and half as many go on."""
        usual = min(self._speed.pause * 2 ** (tries - 1), self._speed.longest)
        with self._turns:
            self._limit, self._well = max(1, self._limit // 2), 0
            until = self._clock() + (usual if after is None else after)
            self._not_before = max(self._not_before, until)

    def stop(self) -> None:
        """No request is begun any more."""
        with self._turns:
            self._is_stopped = True
            self._turns.notify_all()

    def may_try_again(self, tries: int) -> bool:
        """Whether a request that failed so many times is worth another try."""
        return tries < self._speed.tries
