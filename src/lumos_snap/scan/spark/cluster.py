"""A cluster that a scan waits for: the wait is visible, has a limit, and ends at Ctrl-C.

A cluster may accept an application and allocate nothing to it for hours: its queue is full, or no
machine is left. Spark waits for that without a limit, inside calls to Java that no signal
interrupts. So these calls run in a thread, and the thread of the command watches them.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from lumos_snap.errors import OutsideError
from lumos_snap.scan.spark import shutdown
from lumos_snap.scan.spark.settings import SparkLocation, is_yarn
from lumos_snap.scan.spark.shutdown import end_java, failures, java_runs
from lumos_snap.scan.spark.yarn import SETTINGS, TAGS, YarnApplication
from lumos_snap.scan.stores.timeouts import ErrorCarrier

T = TypeVar("T")

_POLL = 0.2  # seconds
_REFRESH = 1.0  # seconds between two requests for the state
_STEP = 2.0  # seconds for each step of abandoning a start: all end within five
_MINUTE = 60
_YARN_HINT = "free room in its queue, or name another: `--conf spark.yarn.queue=…`; "
_HINT = "see whether workers run and have free cores and memory; "
_LIMIT_HINT = "`scan: {start_timeout: 30m}` in lumos.yaml makes a scan wait longer"

OnWait = Callable[[float, str], None]
"""Called with the seconds that a scan has waited, and what it waits for."""


def _ignore_wait(seconds: float, text: str) -> None:
    del seconds, text


@dataclass(frozen=True, slots=True)
class StartLimit:
    """How long a scan waits for a cluster's first executor."""

    seconds: float = 600
    notice: OnWait = _ignore_wait


DEFAULT_LIMIT = StartLimit()


class StartLimitError(OutsideError):
    """A cluster provided no executor in time."""


class Cluster:
    """A cluster on which Spark starts, from the request to the first executor."""

    def __init__(self, place: SparkLocation, limit: StartLimit) -> None:
        self.name = "YARN" if is_yarn(place) else place.said
        self._yarn = YarnApplication() if is_yarn(place) else None
        self._limit = limit
        self._began = time.monotonic()
        self._state = ""
        self._thread: threading.Thread | None = None

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the settings of a session, with those needed to watch and kill it."""
        if self._yarn is None:
            return dict(given)
        tags = filter(None, (given.get(TAGS), self._yarn.tag))
        return {**SETTINGS, **given, TAGS: ",".join(tags)}

    def result(self, work: Callable[[], T]) -> T:
        """Return the result of `work`, which blocks until the cluster provides resources."""
        kept, found, is_over = ErrorCarrier(), list[T](), threading.Event()

        def run() -> None:
            with kept:
                found.append(work())

        thread = self._thread = threading.Thread(target=run, daemon=True)
        thread.start()
        threading.Thread(target=self._refresh, args=(is_over,), daemon=True).start()
        try:
            while thread.is_alive():
                thread.join(_POLL)
                self._check()
        finally:
            is_over.set()
        if kept.error is not None:
            raise kept.error
        return found[0]

    def _refresh(self, is_over: threading.Event) -> None:
        """Refresh the state, in a thread of its own, because YARN may answer slowly too."""
        while self._yarn is not None and not is_over.is_set():
            with contextlib.suppress(*failures()):
                self._state = self._yarn.state() or ""
            is_over.wait(_REFRESH)

    def _check(self) -> None:
        waited = time.monotonic() - self._began
        missing = ", ".join(filter(None, (self._state, "no executor yet")))
        if waited > self._limit.seconds:
            raise StartLimitError(
                f"{self.name} gave no executor within {_format_duration(self._limit.seconds)}"
                + (f": {self._state}" if self._state else ""),
                hint=(_YARN_HINT if self._yarn else _HINT) + _LIMIT_HINT,
            )
        self._limit.notice(waited, f"waiting for {self.name}: {missing}")

    def abandon(self, stop: Callable[[], object] | None = None) -> None:
        """End the session, the application and Java within seconds, despite Ctrl-C."""
        steps = (stop, self._yarn.kill if self._yarn else None)
        with contextlib.suppress(KeyboardInterrupt), shutdown.delay_sigint():
            self._await_java()
            for step in filter(None, steps):
                _run_limited(step)
            end_java(_STEP / 2)

    def _await_java(self) -> None:
        """Wait for a Java that is still being launched: it cannot be ended yet."""
        end = time.monotonic() + _STEP
        is_launching = self._thread is not None and self._thread.is_alive()
        while is_launching and not java_runs() and time.monotonic() < end:
            time.sleep(_POLL)


def _run_limited(step: Callable[[], object]) -> None:
    def run() -> None:
        with contextlib.suppress(OSError, *failures()):  # it may have ended already
            step()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(_STEP)


def _format_duration(seconds: float) -> str:
    return f"{seconds / _MINUTE:g} min" if seconds >= _MINUTE else f"{seconds:g} s"
