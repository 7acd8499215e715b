"""Distributed listing: Spark tasks list a store, if Spark runs elsewhere and the store is large."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from lumos_snap.scan.executors.engine import Engine, SparkOptions
from lumos_snap.scan.spark import job
from lumos_snap.scan.spark.pyspark_versions import table_of
from lumos_snap.scan.spark.session import failures
from lumos_snap.scan.spark.settings import locate_spark
from lumos_snap.scan.stores.distributed_listing import (
    PAGE_SCHEMA,
    DistributableStore,
    make_listing_task,
    parse_page,
)
from lumos_snap.scan.stores.object_store import Answer, Elsewhere, PageRequest
from lumos_snap.scan.stores.store import StoreRefusedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
