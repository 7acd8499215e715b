"""The interface of catalogs, which list and describe tables.

Their calls have deadlines; secrets are redacted from what they return.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from multiprocessing.pool import ThreadPool  # its threads are daemons: those of executors are not
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from lumos_snap.scan.stores.store import Trouble
from lumos_snap.text import redact_addresses

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Names = tuple[str, ...]
"""The names of a table within its catalog, outermost first: databases, then the table."""

Wants = Callable[[Names], bool]
"""Whether a table is selected."""


class CatalogTable(NamedTuple):
    """A table that its catalog describes."""

    names: Names
    format: str
    """A key of `formats.registry.SCHEMAS`, which determines how to read the evidence."""
    schema: str
    """JSON text: the catalog's description of the table. No data values, no credentials."""
    rows: int | None
    version: str
    """The version of the table format, if it has one."""
    location: str | None
    """The location of its data, without credentials."""
    tag: str
    """Changes whenever the description may have changed."""


class TableCatalog(Protocol):
    """A place that describes tables."""

    def tables(self, wants: Wants) -> Iterator[CatalogTable | Trouble]:
        """Yield every selected table, and a trouble for each that could not be described."""
        ...


Session = Callable[[], "SparkSession"]
"""Returns a Spark session, started if needed."""


# Calls with deadlines, several at once, for clients that may never answer.
#
# A call of a client cannot be interrupted from outside. So it runs in a daemon thread, which is
# abandoned at the deadline. An exception is returned as a result.


Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class LateError(Exception):
    """No answer within the deadline."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} seconds")


def ask_once(ask: Callable[[], Answer], seconds: float) -> Answer | BaseException:
    """Return the answer, the exception raised, or `LateError`."""
    ((_, outcome),) = ask_each(lambda _: ask(), [None], at_once=1, seconds=seconds)
    return outcome


def ask_each(
    ask: Callable[[Asked], Answer], questions: Iterable[Asked], *, at_once: int, seconds: float
) -> Iterator[tuple[Asked, Answer | BaseException]]:
    """Yield every question with its answer or exception, in the order of the questions."""
    threads = ThreadPool(at_once)
    try:
        open_: deque[tuple[Asked, Future[Answer], float]] = deque()
        for question in questions:
            if len(open_) >= at_once:
                first, future, since = open_.popleft()
                outcome = _outcome(future, since, seconds)
                yield first, outcome
            asked: Future[Answer] = Future()
            threads.apply_async(ask, (question,), {}, asked.set_result, asked.set_exception)
            open_.append((question, asked, monotonic()))
        for question, future, since in open_:
            outcome = _outcome(future, since, seconds)
            yield question, outcome
    finally:
        threads.terminate()


def _outcome(future: "Future[Answer]", since: float, seconds: float) -> Answer | BaseException:
    try:
        raised = future.exception(max(0.0, since + seconds - monotonic()))
    except TimeoutError:
        return LateError(seconds)
    return future.result() if raised is None else raised


# Redaction of catalog properties: no secrets, and nothing that changes with the data.


_SECRET = re.compile(
    r"secret|passw|passphrase|\bpwd\b|token|credential|signature|private|\bsas\b"
    r"|(access|account|api|encryption|shared|master)[-_. ]?key|\bkeytab\b|\bjaas\b|\bauth\b",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"(?:^|[?&;,\s])[\w.-]*(?:secret|passw(?:or)?d|pwd|token|sig|signature|access_?key)[\w.-]*\s*=",
    re.IGNORECASE,
)
_REDACTED = "(redacted)"
_QUERY = re.compile(r"\?[^/]*=.*$", re.DOTALL)

_VOLATILE = frozenset(
    (
        "transient_lastddltime", "numfiles", "totalsize", "numrows", "rawdatasize",
        "numpartitions", "numfileserasurecoded", "column_stats_accurate", "last_modified_time",
        "last_modified_by", "created_at", "created_by", "owner", "metadata_location",
        "previous_metadata_location", "snapshot-count", "delta.lastcommittimestamp",
        "delta.lastupdateversion",
    )
)  # fmt: skip
_VOLATILE_BEGINNINGS = ("current-snapshot-", "spark.sql.statistics.", "impala.")
_ELSEWHERE = frozenset(("location", "provider", "comment", "external", "clusteringcolumns"))
"""Properties that the catalog also provides separately."""
_INNER = ("spark.sql.", "view.")
"""Prefixes of Spark's internal properties, which it provides separately."""


def redact_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """Select the properties for a description, sorted by name."""
    return {
        name: redact_credentials(value)
        for name, value in sorted(properties.items())
        if not _is_withheld(name, value)
    }


def redact_credentials(text: str) -> str:
    """Remove credentials from the URLs in a text."""
    return redact_addresses(text)


def redact_location(address: str | None) -> str | None:
    """Return a location without credentials, including a query after `?`, which may have some."""
    return _QUERY.sub("", redact_credentials(address)).rstrip("/") or None if address else None


def _is_withheld(name: str, value: str) -> bool:
    lower = name.lower()
    return (
        lower in _VOLATILE
        or lower in _ELSEWHERE
        or lower.startswith((*_VOLATILE_BEGINNINGS, *_INNER))
        or _SECRET.search(name) is not None
        or value.endswith(_REDACTED)
        or _TELLING.search(value) is not None
    )
