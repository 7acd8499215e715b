"""How Spark ends: its sessions, its Java, and what it raises."""

import contextlib
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LISTENER = "_accumulatorServer"
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
    context = getattr(spark, "_sc", None)  # over Spark Connect there is none
    listener: Any = getattr(context, _LISTENER, None)
    is_left = listener is not None and not isinstance(listener.server_address, str)
    if is_left:  # one on a path must remove it, and is waited for
        setattr(context, _LISTENER, None)
        listener.handle_error = _unheard
    # A thread has a line of its own to Java: that of an interrupted one is out of step.
    stopping = threading.Thread(target=spark.stop, daemon=True)
    stopping.start()
    stopping.join()
    if is_left:
        threading.Thread(target=listener.shutdown, daemon=True).start()


def _unheard(_request: object, _address: object) -> None:
    """That nobody speaks to it any more is as it should be."""


def java_runs() -> bool:
    """Whether this process has started a Java for Spark already: it keeps it until it ends."""
    try:
        from pyspark import SparkContext
    except ImportError:  # a client of Spark Connect alone
        return False
    return SparkContext._gateway is not None  # noqa: SLF001 - nothing else tells


def java_view() -> Any:
    """The classes of the Java that runs for Spark; None where none runs."""
    try:
        from pyspark import SparkContext
    except ImportError:  # a client of Spark Connect alone
        return None
    return SparkContext._jvm  # noqa: SLF001 - nothing else tells


def java_process() -> Any:
    """The Java that this process has started for Spark, as a `subprocess.Popen`."""
    from pyspark import SparkContext

    return getattr(SparkContext._gateway, "proc", None)  # noqa: SLF001 - nothing else tells


def end_java(patience: float = _LAST) -> int | None:
    """End the Java of this process, by force after so many seconds; its exit code."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway  # noqa: SLF001 - nothing else tells
    if gateway is None:
        return None
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - so that another may start
    with contextlib.suppress(*failures(), OSError):  # it may be over already
        gateway.shutdown()
    with contextlib.suppress(OSError):
        gateway.proc.stdin.close()
    end = time.monotonic() + patience
    while gateway.proc.poll() is None and time.monotonic() < end:
        time.sleep(_POLL)
    if gateway.proc.poll() is None:
        gateway.proc.kill()
    return int(gateway.proc.wait())
