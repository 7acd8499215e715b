"""How Spark ends: its sessions, its Java, and what it raises."""

import contextlib
import threading
import time
from typing import TYPE_CHECKING

from lumos_snap.scan import pyspark_internals

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LAST = 120  # seconds: an archive is written when Java ends
_POLL = 0.05  # seconds


def failures() -> tuple[type[Exception], ...]:
    """What Spark raises; a client of Spark Connect knows no Java."""
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JError  # noqa: PLC0415 - only where storage is read
    except ImportError:
        return (PySparkException,)
    return (PySparkException, Py4JError)


def stop(spark: "SparkSession") -> None:
    """End it, and not wait a second for a listener of PySpark's that only sleeps by then."""
    listener = pyspark_internals.take_listener(spark)
    if listener is not None:
        listener.handle_error = _unheard
    # A thread has a line of its own to Java: that of an interrupted one is out of step.
    stopping = threading.Thread(target=spark.stop, daemon=True)
    stopping.start()
    stopping.join()
    if listener is not None:
        threading.Thread(target=listener.shutdown, daemon=True).start()


def _unheard(_request: object, _address: object) -> None:
    """That nobody speaks to it any more is as it should be."""


def java_runs() -> bool:
    """Whether this process has started a Java for Spark already: it keeps it until it ends."""
    return pyspark_internals.gateway() is not None


def end_java(patience: float = _LAST) -> int | None:
    """End the Java of this process, by force after so many seconds; its exit code."""
    gateway, java = pyspark_internals.gateway(), pyspark_internals.java_process()
    if gateway is None or java is None:
        return None
    pyspark_internals.forget_gateway()
    with contextlib.suppress(*failures(), OSError):  # it may be over already
        gateway.shutdown()
    if java.stdin is not None:
        with contextlib.suppress(OSError):
            java.stdin.close()
    end = time.monotonic() + patience
    while java.poll() is None and time.monotonic() < end:
        time.sleep(_POLL)
    if java.poll() is None:
        java.kill()
    return java.wait()
