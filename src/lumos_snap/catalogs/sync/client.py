"""Calls to a catalog with retries: the only place that retries."""

import math
import threading
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from lumos_snap.catalogs.adapter import (
    NO_MARKS,
    Catalog,
    CatalogDocument,
    CatalogError,
    DocumentWrite,
    Identity,
    ObservedDataset,
    Observer,
    Reading,
    Unreadable,
    WriteAnswer,
    WriteConfirmed,
    WriteRefused,
    WriteStale,
    WriteUnanswered,
    open_reading,
)
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.merging import same
from lumos_snap.tree.files import batches

# Adaptive rate limit: more parallel requests on success, half as many when the server is busy.


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


T = TypeVar("T")


class RetryingClient:
    """A catalog, called within the limits of a pace."""

    def __init__(self, catalog: Catalog, pace: Pace) -> None:
        self._catalog = catalog
        self._pace = pace

    def write(self, change: DocumentWrite) -> WriteAnswer:
        """Write a change; retry while the catalog is busy, up to the limit."""
        tries = 0
        while True:
            tries += 1
            answer = self._once(change)
            if isinstance(answer, WriteUnanswered):
                self._pace.was_silent(tries)
                return answer
            if not (isinstance(answer, WriteRefused) and answer.is_busy):
                self._pace.went_well()
                return answer
            self._pace.was_busy(tries, answer.after)
            if not self._pace.may_try_again(tries, answer.after):
                return answer

    def observe(self, observer: Observer, readings: Sequence[ObservedDataset]) -> WriteAnswer:
        """Send observations; retry also without an answer, because they are idempotent."""
        tries = 0
        while True:
            tries += 1
            answer = self._observed(observer, readings)
            if isinstance(answer, WriteConfirmed) or _is_final(answer):
                self._pace.went_well()
                return answer
            after = answer.after if isinstance(answer, WriteRefused) else None
            self._pace.was_busy(tries, after)
            if not self._pace.may_try_again(tries, after):
                return answer

    def _observed(self, observer: Observer, readings: Sequence[ObservedDataset]) -> WriteAnswer:
        try:
            with self._pace.turn():
                return observer.observe(readings)
        except ClosedError as exc:
            return WriteRefused(exc.message)
        except OutsideError as exc:
            return WriteUnanswered(exc.message)

    def _once(self, change: DocumentWrite) -> WriteAnswer:
        try:
            return self._applied(change)
        except ClosedError as exc:
            return WriteRefused(exc.message)

    def _applied(self, change: DocumentWrite) -> WriteAnswer:
        with self._pace.turn():
            try:
                is_as_seen = self._catalog.capabilities.has_preconditions or self._is_as_seen(
                    change
                )
            except OutsideError as exc:
                return WriteRefused(exc.message, is_busy=True)
            try:
                return self._catalog.apply(change) if is_as_seen else WriteStale()
            except OutsideError as exc:
                return WriteUnanswered(exc.message)
            except LumosError as exc:
                return WriteRefused(exc.message)

    def _is_as_seen(self, change: DocumentWrite) -> bool:
        """Compare with what was read, for a catalog without preconditions: best effort."""
        found = open_reading(next(self._catalog.read([change.identity]), None))
        seen = change.seen
        if found is None or seen is None:
            return found is seen
        return (
            isinstance(found, CatalogDocument)
            and found.is_removed == seen.is_removed
            and same(found.document, seen.document)
        )

    def read_one(self, identity: Identity) -> CatalogDocument | Unreadable | None:
        """Read one document."""
        found = list(self.read([identity]))
        return open_reading(found[0]) if found else None

    def read(self, identities: Sequence[Identity]) -> Iterator[Reading]:
        """Read documents, in order; unreachable ones are yielded as unreadable."""
        met = 0
        try:
            for one in self.read_all(identities):
                yield one
                met = bisect_right(identities, one.identity)
        except OutsideError as exc:
            yield from (Unreadable(one, exc.message) for one in identities[met:])

    def read_all(
        self, identities: Sequence[Identity], marks: Mapping[Identity, str] = NO_MARKS
    ) -> Iterator[Reading]:
        """Read documents, in order; raise if the catalog stays unreachable."""
        tries, met = 0, 0
        while True:
            tries += 1
            left = identities[met:]
            try:
                with self._pace.turn():
                    for one in self._catalog.read(left, marks):
                        yield one
                        met = bisect_right(identities, one.identity)
                        tries = 0
            except ClosedError:
                raise
            except OutsideError as exc:
                if not self._may_go_on(exc, max(tries, 1)):
                    raise
            else:
                self._pace.went_well()
                return

    def _may_go_on(self, exc: OutsideError, tries: int) -> bool:
        """Whether a retry may succeed; if so, slow down all requests."""
        known = exc if isinstance(exc, CatalogError) else CatalogError(exc.message)
        if not (known.is_passing and self._pace.may_try_again(tries, known.after)):
            return False
        if known.is_busy:
            self._pace.was_busy(tries, known.after)
        else:
            self._pace.was_silent(tries)
        return True


def call_with_retries(ask: Callable[[], T], speed: Speed) -> T:
    """Call a function, and retry while the server is busy."""
    pace, tries = Pace(speed), 0
    while True:
        tries += 1
        try:
            with pace.turn():
                return ask()
        except CatalogError as exc:
            if not (exc.is_busy and pace.may_try_again(tries, exc.after)):
                raise
            pace.was_busy(tries, exc.after)


def _is_final(answer: WriteAnswer) -> bool:
    """Whether a retry would change nothing."""
    return isinstance(answer, WriteRefused) and not answer.is_busy


_AHEAD = 2
"""Batches under way: one is being answered while another one is being processed."""


def read_ahead(
    catalog: Catalog, identities: Sequence[Identity], marks: Mapping[Identity, str], speed: Speed
) -> Iterator[Reading]:
    """Read documents in parallel batches, in order; raises `OutsideError` if unreachable."""
    pace = Pace(speed)
    asking = RetryingClient(catalog, pace)

    def portion(some: Sequence[Identity]) -> list[Reading]:
        return list(asking.read_all(some, marks))

    with WorkerPool(_AHEAD, pace) as pool:
        waiting: deque[Future[list[Reading]]] = deque()
        for some in batches(identities):
            waiting.append(pool.submit(portion, some))
            if len(waiting) > _AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


class WorkerPool:
    """A thread pool that ends after the requests under way, even on an error."""

    def __init__(self, most: int, pace: Pace) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="lumos-sync")
        self._pace = pace

    def __enter__(self) -> ThreadPoolExecutor:
        return self._pool

    def __exit__(self, cause: object, *_: object) -> None:
        if cause is not None:
            self._pace.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)
