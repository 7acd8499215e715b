"""A cluster that a scan waits for: the wait is visible, has a limit, and ends at Ctrl-C.

A cluster may accept an application and allocate nothing to it for hours: its queue is full, or no
machine is left. Spark waits for that without a limit, inside calls to Java that no signal
interrupts. So these calls run in a thread, and the thread of the command watches them.
"""

import contextlib
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from lumos_snap.errors import OutsideError
from lumos_snap.scan.spark import shutdown
from lumos_snap.scan.spark.pyspark_internals import jvm_view
from lumos_snap.scan.spark.settings import SparkLocation, is_yarn
from lumos_snap.scan.spark.shutdown import end_java, failures, java_runs
from lumos_snap.scan.stores.request_pool import ErrorCarrier

# The YARN application of a scan: its state while the scan waits, and its end.


_ENDED = frozenset(("FINISHED", "FAILED", "KILLED"))
_REASON = re.compile(r"(?:not yet activated\.|assigned\.)\s*([^.;]+?)\s*(?:[.;]|Details|$)")
"""Why an application waits, in YARN's diagnostics."""
_LIMITS = {
    # Otherwise the client tries to reach a ResourceManager for 15 minutes.
    "yarn.resourcemanager.connect.max-wait.ms": "15000",
    "yarn.resourcemanager.connect.retry-interval.ms": "3000",
    "ipc.client.connect.max.retries": "3",
}
SETTINGS = {f"spark.hadoop.{name}": value for name, value in _LIMITS.items()}
"""The same limits for Spark's own client."""
TAGS = "spark.yarn.tags"


class YarnReport(NamedTuple):
    """What YARN reports of an application."""

    id: str
    state: str
    queue: str
    reason: str
    """Why it waits; empty if YARN gives no reason."""

    def __str__(self) -> str:
        """Format the report as one line for people."""
        why = f" ({self.reason})" if self.reason else ""
        return f"{self.id} is {self.state} in queue {self.queue}{why}"


class YarnApplication:
    """An application, found by a unique tag, because Spark knows its id only after the start.

    Spark has no public access to YARN's client. The client of the Java that Spark has started is
    used; if that Java cannot be reached, the state is unknown.
    """

    def __init__(self) -> None:
        self.tag = f"lumos-{uuid.uuid4().hex}"
        self._client: Any = None

    def state(self) -> str | None:
        """Return its id, state and queue; None if it is not submitted, or YARN does not answer."""
        found = next(iter(self._applications()), None)
        return None if found is None else str(_report(found))

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        for one in self._applications():
            if _report(one).state not in _ENDED:
                self._client.killApplication(one.getApplicationId())

    def _applications(self) -> Iterable[Any]:
        java: Any = jvm_view()
        if java is None:
            return ()
        client = self._client = self._client or _client(java)
        tags = java.java.util.HashSet()
        tags.add(self.tag)
        api = java.org.apache.hadoop.yarn.api.protocolrecords
        request = api.GetApplicationsRequest.newInstance()
        request.setApplicationTags(tags)
        applications: Iterable[Any] = client.getApplications(request)
        return applications


def _client(java: Any) -> Any:
    conf = java.org.apache.hadoop.yarn.conf.YarnConfiguration()
    for name, value in _LIMITS.items():
        conf.set(name, value)
    client = java.org.apache.hadoop.yarn.client.api.YarnClient.createYarnClient()
    client.init(conf)
    client.start()
    return client


def _report(application: Any) -> YarnReport:
    state = str(application.getYarnApplicationState().toString())
    return YarnReport(
        str(application.getApplicationId().toString()),
        state,
        str(application.getQueue()),
        reason_of(state, application.getDiagnostics() or ""),
    )


def reason_of(state: str, diagnostics: str) -> str:
    """Find why an application waits, in YARN's words; empty if it does not wait."""
    found = _REASON.search(diagnostics)
    return found[1] if found and state == "ACCEPTED" else ""


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
