"""Distributed listing: Spark tasks list a store, if Spark runs elsewhere and the store is large."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from lumos_snap.scan.executors.engine import Engine, SparkOptions
from lumos_snap.scan.executors.probe_result import encode_evidence
from lumos_snap.scan.executors.task import Task
from lumos_snap.scan.spark import job
from lumos_snap.scan.spark.pyspark_versions import table_of
from lumos_snap.scan.spark.session import failures
from lumos_snap.scan.spark.settings import locate_spark
from lumos_snap.scan.stores.object_store import (
    Answer,
    Elsewhere,
    ListingPage,
    PageRequest,
    Pages,
    StoredObject,
    all_pages,
)
from lumos_snap.scan.stores.request_pool import Answers
from lumos_snap.scan.stores.store import (
    FileEntry,
    OnAnswer,
    StoreRefusedError,
    Trouble,
    Wants,
    ignore_answer,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

# The tasks of a distributed listing: each lists some prefixes, with the store's own client.


PAGE_SCHEMA = "line string"
"""Result of a task: a page as JSON, and the number of its prefix."""

_Numbered = tuple[int, ListingPage | StoreRefusedError]


@runtime_checkable
class DistributableStore(Protocol):
    """A store whose listing can be divided by prefixes and run on other machines."""

    @property
    def address(self) -> str:
        """The address as users write it."""
        ...

    def pages(self) -> Pages:
        """Return the function that lists it."""
        ...

    def entries(
        self,
        start: str,
        may_hold: Wants,
        answered: OnAnswer = ignore_answer,
        elsewhere: Elsewhere | None = None,
    ) -> Iterator[FileEntry | Trouble]:
        """List every file below a folder, in any order; most of them by `elsewhere`, if given."""
        ...


def make_listing_task(
    store: DistributableStore, asks: tuple[PageRequest, ...], enough: int
) -> Task:
    """Build the function that Spark maps over request numbers; each stops at `enough` objects."""

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        numbers = [number for batch in batches for number in batch.column("id").to_pylist()]
        for number, page in _answer_asks(store, {one: asks[one] for one in numbers}, enough):
            yield pa.RecordBatch.from_pydict({"line": [_encode_page(number, page)]})

    return task


def parse_page(line: str) -> _Numbered:
    """Decode the result of a task."""
    said = json.loads(line)
    if "refused" in said:
        return said["number"], StoreRefusedError(*said["refused"])
    found, folders, after = said["page"]
    return said["number"], ListingPage([StoredObject(*one) for one in found], folders, after)


def _encode_page(number: int, page: ListingPage | StoreRefusedError) -> str:
    if isinstance(page, StoreRefusedError):
        return encode_evidence({"number": number, "refused": page.args})
    return encode_evidence({"number": number, "page": page})


def _answer_asks(
    store: DistributableStore, asks: dict[int, PageRequest], enough: int
) -> Iterator[_Numbered]:
    try:
        pages = store.pages()
    except StoreRefusedError as exc:
        yield from ((number, exc) for number in asks)
        return
    answers: Answers[int, ListingPage] = Answers(
        lambda number: _list_some(pages, asks[number], enough)
    )
    for number in asks:
        answers.ask(number)
    try:
        yield from answers.taken()
    finally:
        answers.end()


def _list_some(pages: Pages, ask: PageRequest, enough: int) -> Iterator[ListingPage]:
    found = 0
    for page in all_pages(pages, ask):
        yield page
        found += len(page.found)
        if found >= enough:
            return


A_JOB = 200_000
"""Approximate number of files per job, so that few results wait to be processed."""
A_TASK = 8
"""Number of prefixes that a task lists at once: most of the time it waits for the network."""

OnRemark = Callable[[str], None]


def list_on_workers(
    engine: Engine, store: DistributableStore, remark: OnRemark
) -> Elsewhere | None:
    """Return a function that lists a store on workers; None if files are read on this machine."""
    if engine.name == "local" or not runs_elsewhere(engine.spark):
        return None
    told: set[str] = set()

    def elsewhere(asks: Sequence[PageRequest]) -> Iterator[Answer]:
        for ask, page in _list_prefixes(engine, store, asks):
            if isinstance(page, StoreRefusedError) and not told:
                told.add(page.detail)
                remark(
                    f"{store.address}: workers cannot list all of it: {page.detail} ({page.hint});"
                    " this machine was asked for the rest"
                )
            yield ask, page

    return elsewhere


def _list_prefixes(
    engine: Engine, store: DistributableStore, asks: Sequence[PageRequest]
) -> Iterator[Answer]:
    """List some pages of each prefix: the more prefixes, the fewer pages of each."""
    count = len(asks)
    task = make_listing_task(store, tuple(asks), A_JOB // count)
    tasks = -(-count // A_TASK)
    found = job.run_job(
        engine.running(),
        lambda spark: table_of(spark.range(0, count, 1, tasks).mapInArrow(task, PAGE_SCHEMA)),
    )
    for line in found.column("line"):
        number, page = parse_page(line.as_py())
        yield asks[number], page


def runs_elsewhere(spark: SparkOptions) -> bool:
    """Whether tasks run on other machines; Spark is not started to find out."""
    session = spark.session or _active_session()
    if session is None:
        return not locate_spark(spark.master, spark.settings).is_local
    try:
        master = session.sparkContext.master
    except failures():  # not available over Spark Connect
        return True
    return not locate_spark(master, {}).is_local


def _active_session() -> "SparkSession | None":
    if "pyspark.sql" not in sys.modules:
        return None
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()
