"""The Spark session of a scan: the caller's or a new one, and a test task for its workers."""

import contextlib
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.scan.spark import log as spark_log
from lumos_snap.scan.spark import pyspark_internals, pyspark_versions, shutdown
from lumos_snap.scan.spark.cluster import DEFAULT_LIMIT, Cluster, StartLimit
from lumos_snap.scan.spark.launch import Diagnose, HeadStart, build_settings, open_session
from lumos_snap.scan.spark.log import summarize_error
from lumos_snap.scan.spark.server.state import WarmServer
from lumos_snap.scan.spark.settings import is_decided_elsewhere, locate_spark, read_machine_defaults
from lumos_snap.scan.spark.shutdown import failures, java_runs

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


_CHOOSE = (
    "name a Python {ours} that workers have: PYSPARK_PYTHON, or `--conf spark.pyspark.python=…`;"
    " a server of Spark Connect has its own PYSPARK_PYTHON"
)
_INSTALL = "install pyarrow and `pandas<3` for the Python of the workers"
_MISMATCH = re.compile(r"PYTHON_VERSION_MISMATCH\D+(\d+\.\d+)")
_NO_PACKAGE = re.compile(
    r"No module named '(\w+)|PACKAGE_NOT_INSTALLED\] (\w+)|UNSUPPORTED_PACKAGE_VERSION\] (\w+)"
)
_NO_PROGRAM = re.compile(r"Cannot run program \"([^\"]+)\"")


def require_usable_workers(spark: "SparkSession", failures: tuple[type[Exception], ...]) -> None:
    """Raise an error that names what workers lack, and the fix."""

    # A nested function, which is pickled by value: workers cannot import our modules.
    def as_they_are(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        return batches

    try:
        spark.range(1, numPartitions=1).mapInArrow(as_they_are, "id long").collect()
    except failures as exc:
        why, hint = _explain_lack(str(exc)) or (summarize_error(exc), "a task of one row was tried")
        raise OutsideError(f"Spark's workers cannot run tasks: {why}", hint=hint) from exc


def _explain_lack(said: str) -> tuple[str, str] | None:
    """Explain what is missing, from the text of Spark's error."""
    ours = "{}.{}".format(*sys.version_info)
    if found := _MISMATCH.search(said):
        return f"they have Python {found[1]}, and here runs {ours}", _CHOOSE.format(ours=ours)
    if found := _NO_PROGRAM.search(said):
        return f"they have no Python at {found[1]}", _CHOOSE.format(ours=ours)
    if found := _NO_PACKAGE.search(said):
        name = next(filter(None, found.groups()))
        return f"their Python lacks {name}", _INSTALL
    return None


__all__ = ["Diagnose", "RunningSession", "failures", "spark_session", "summarize_error"]


@dataclass(frozen=True, slots=True)
class RunningSession:
    """A session, where to find details of a failure, and whether the user has cancelled."""

    spark: "SparkSession"
    said: str
    place: str
    """Where it runs, as text for people."""
    is_ours: bool = False
    """Whether it was started for a scan, and ends with it."""
    interrupted: threading.Event = field(default_factory=threading.Event)


@contextlib.contextmanager
def spark_session(
    given: "SparkSession | None",
    *,
    master: str | None,
    settings: Mapping[str, str],
    why_not: Diagnose,
    head: HeadStart | None = None,
    warm: WarmServer | None = None,
    limit: StartLimit = DEFAULT_LIMIT,
) -> Iterator[RunningSession]:
    """Yield the caller's session unchanged, or a new one for the block.

    A session that already runs in this process, as in a notebook, is the caller's too. Spark's own
    output goes to a file, apart from the report. If Spark does not start, `why_not` provides a
    reason that the user can fix. The wait for a cluster has a `limit`, and its workers are tested
    before use; those of `warm`, the server of this user, need no test.
    """
    present = given or _present(master)
    if present is not None:
        yield RunningSession(present, "the log of the session says more", _place(present))
        return
    place = locate_spark(warm.url if warm else master, settings)
    cluster = None if place.is_local or warm else Cluster(place, limit)
    with (
        shutdown.restore_sigint(),
        shutdown.interrupt_on_sigterm() if cluster else contextlib.nullcontext(),
        contextlib.nullcontext(head.log) if head else spark_log.keep_log() as log,
        open_session(place, settings, log, why_not, head=head, cluster=cluster) as spark,
    ):
        words = "the server's log says more" if place.is_remote else f"Spark's words are in {log}"
        where = place.said if place.is_remote else _place(spark)
        where = f"{where} (warm server)" if warm else where
        running = RunningSession(spark, words, where, is_ours=True)
        if warm is not None:
            _limit_retries(spark)
        cancel = partial(pyspark_versions.cancel_all, spark)
        with shutdown.cancel_on_sigint(running.interrupted, cancel):
            if cluster is not None:
                cluster.result(lambda: require_usable_workers(spark, failures()))
            yield running


def begin_head_start(
    given: "SparkSession | None",
    *,
    master: str | None,
    settings: Mapping[str, str],
    stack: contextlib.ExitStack,
) -> HeadStart | None:
    """Launch Java early for a session that will start here; None if none will."""
    place = locate_spark(master, settings)
    is_known = "pyspark" in sys.modules
    if given or _present(master) or (is_known and java_runs()):
        return None
    if not place.is_local or is_decided_elsewhere():
        return None  # variables for another place would reach this Java, too
    head = HeadStart(build_settings(place, settings), stack.enter_context(spark_log.keep_log()))
    stack.callback(head.end)
    return head


def _limit_retries(spark: "SparkSession") -> None:
    """Limit retries: a local server that does not answer has ended; the default is ten minutes."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    client: Any = spark.client
    client.set_retry_policies([DefaultPolicy(max_retries=4)])


def is_free_to_choose(
    given: "SparkSession | None", master: str | None, settings: Mapping[str, str]
) -> bool:
    """Whether no command, setting or configuration determines where or how Spark runs."""
    is_here = locate_spark(master, settings).is_local and not is_decided_elsewhere()
    lines = (line.strip() for line in read_machine_defaults().splitlines())
    is_configured = any(line and not line.startswith("#") for line in lines)
    is_told = master is not None or settings or is_configured
    return is_here and not is_told and not (given or _present(master))


def _place(spark: "SparkSession") -> str:
    try:
        return locate_spark(spark.sparkContext.master, {}).said
    except failures():  # not available over Spark Connect
        return "Spark Connect"


def _present(master: str | None) -> "SparkSession | None":
    """Return the session of this process: there is at most one, whichever thread started it."""
    if "pyspark.sql" not in sys.modules:
        return None
    found = pyspark_internals.present_session()
    if found is not None and master is not None:
        raise LumosError(
            f"Spark runs here already, so it cannot run at {locate_spark(master, {}).said}",
            hint="stop that session first, or leave `--master` and `--connect` out",
        )
    return found
