"""The Spark job that reads all pending files, in tasks, and returns their evidence."""

import os
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from lumos_snap import json_object
from lumos_snap.errors import OutsideError
from lumos_snap.scan import executors, formats, stores, tables
from lumos_snap.scan.executors.file_task import EvidenceLine
from lumos_snap.scan.executors.task import RESULT_SCHEMA, Task
from lumos_snap.scan.spark import pyspark_versions
from lumos_snap.scan.spark.session import RunningSession, failures, summarize_error

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.shell.progress import StageInfo

FILES_A_TASK = 2_000
"""Enough files to be worth the start of a task, few enough that progress is visible."""

_A_BATCH = 500  # files at most: batches are the unit in which a table is distributed to tasks
_BATCHES_EACH = 4  # per core, so that even few files keep all cores busy
_BATCHES = "spark.sql.execution.arrow.maxRecordsPerBatch"
_POLL = 0.5  # seconds
_CARRIED = (executors, formats, stores, tables, json_object)
_STOPPING = 5  # seconds

OnTasksDone = Callable[[int, int], None]
"""Called with the number of finished tasks and their total."""


def ignore_tasks(done: int, tasks: int) -> None:
    """Ignore the progress of tasks."""
    del done, tasks


def settings_for(files: int) -> dict[str, str]:
    """Return settings for a new session that depend on the number of files."""
    tasks, cores = -(-files // FILES_A_TASK), os.cpu_count() or 1
    # The same number of tasks per core, so that no core is idle while another runs the last task.
    fair = -(-tasks // cores) * cores
    return {"spark.default.parallelism": str(fair)} if tasks > cores else {}


def read_in_tasks(
    running: RunningSession, files: "pa.Table", task: Task, done: OnTasksDone
) -> Iterator[EvidenceLine]:
    """Read every file; yield one line for all files with the same evidence."""

    def work(spark: "SparkSession") -> "pa.Table":
        with _small_batches(spark, files.num_rows):
            found = pyspark_versions.frame_of(spark, files).mapInArrow(task, RESULT_SCHEMA)
            return pyspark_versions.table_of(found)

    found = run_job(running, work, done)
    for batch in found.to_batches():
        for said, numbers, rows in zip(*batch.columns, strict=True):
            yield EvidenceLine(said.as_py(), numbers.values.to_pylist(), rows.values.to_pylist())


def run_job(
    running: RunningSession,
    work: "Callable[[SparkSession], pa.Table]",
    done: OnTasksDone = ignore_tasks,
) -> "pa.Table":
    """Run a job of ours and return its result; raise `OutsideError` if it fails."""
    try:
        with carry_packages(), _report_progress(running.spark, done):
            return work(running.spark)
    except failures() as exc:
        if running.interrupted.is_set():
            raise KeyboardInterrupt from exc
        raise OutsideError(f"the job failed: {summarize_error(exc)}", hint=running.said) from exc


@contextmanager
def _small_batches(spark: "SparkSession", files: int) -> Iterator[None]:
    """Set a small batch size, so that every task gets its share; restore the old one afterwards."""
    before = spark.conf.get(_BATCHES)
    fair = -(-files // (_BATCHES_EACH * (os.cpu_count() or 1)))
    spark.conf.set(_BATCHES, str(min(_A_BATCH, fair)))
    try:
        yield
    finally:
        with suppress(*failures()):  # the session may have ended: raise the job's own error
            spark.conf.set(_BATCHES, str(before))


@contextmanager
def carry_packages() -> Iterator[None]:
    """Pickle our packages with the job by value: workers need not have them installed."""
    from pyspark import cloudpickle

    for package in _CARRIED:
        cloudpickle.register_pickle_by_value(package)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        for package in _CARRIED:
            cloudpickle.unregister_pickle_by_value(package)  # type: ignore[no-untyped-call]


@contextmanager
def _report_progress(spark: "SparkSession", done: OnTasksDone) -> Iterator[None]:
    """Report finished tasks regularly, and cancel the job on Ctrl-C."""
    tag = f"lumos-{uuid.uuid4()}"
    pyspark_versions.add_tag(spark, tag)
    ended = threading.Event()
    tracker = _tracker(spark)
    watcher = threading.Thread(target=_poll_stages, args=(tracker, done, ended), daemon=True)
    watcher.start()
    try:
        with nullcontext() if tracker else _progress_of_server(spark, done):
            yield
    except KeyboardInterrupt:
        # In a thread, which has its own connection to Java: this thread's waits for the job.
        stopping = threading.Thread(
            target=pyspark_versions.cancel_tag, args=(spark, tag), daemon=True
        )
        stopping.start()
        stopping.join(_STOPPING)
        raise
    finally:
        ended.set()
        watcher.join()
        with suppress(*failures()):
            pyspark_versions.remove_tag(spark, tag)


@contextmanager
def _progress_of_server(spark: "SparkSession", done: OnTasksDone) -> Iterator[None]:
    """Report progress over Spark Connect, whose server sends its stages since PySpark 4.0."""

    def report(stages: "Sequence[StageInfo] | None", **_rest: object) -> None:
        if stages:
            done(
                sum(one.num_completed_tasks for one in stages), sum(one.num_tasks for one in stages)
            )

    session: Any = spark
    if not hasattr(session, "registerProgressHandler"):
        yield
        return
    session.registerProgressHandler(report)
    try:
        yield
    finally:
        session.removeProgressHandler(report)


def _poll_stages(tracker: Any, done: OnTasksDone, ended: threading.Event) -> None:
    """Poll the stages of a session in this process."""
    while tracker is not None and not ended.wait(_POLL):
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        known = [stage for stage in stages if stage is not None]
        if known:
            done(sum(one.numCompletedTasks for one in known), sum(one.numTasks for one in known))


def _tracker(spark: "SparkSession") -> object:
    try:
        return spark.sparkContext.statusTracker()
    except failures():
        return None
