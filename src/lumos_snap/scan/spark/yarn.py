"""The YARN application of a scan: its state while the scan waits, and its end."""

import re
import uuid
from collections.abc import Iterable
from typing import Any, NamedTuple

from lumos_snap.scan.spark.pyspark_internals import jvm_view

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
