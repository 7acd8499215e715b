"""How Spark ends: its sessions, its Java, and what it raises."""

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from lumos_snap.scan.spark import pyspark_internals

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
        listener.handle_error = _ignore_error
    # A thread has a line of its own to Java: that of an interrupted one is out of step.
    stopping = threading.Thread(target=spark.stop, daemon=True)
    stopping.start()
    stopping.join()
    if listener is not None:
        threading.Thread(target=listener.shutdown, daemon=True).start()


def _ignore_error(_request: object, _address: object) -> None:
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


_AGAIN = 0.5  # seconds


@contextlib.contextmanager
def restore_sigint() -> Iterator[None]:
    """Spark takes over what Ctrl-C does: afterwards it does what it did."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if _is_main_thread():
            signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def interrupt_on_sigterm() -> Iterator[None]:
    """SIGTERM ends a scan as Ctrl-C does: otherwise a cluster would keep its application."""
    if not _is_main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def cancel_on_sigint(interrupted: threading.Event, cancel: Callable[[], object]) -> Iterator[None]:
    """Ctrl-C cancels what runs, and ends the wait at once; what breaks off is not logged."""
    is_over = threading.Event()

    def cancelled() -> None:
        # Again and again: a job that is only being sent when Ctrl-C comes starts after that, and
        # PySpark waits for its end before the interrupt gets through.
        while not is_over.is_set():
            with contextlib.suppress(OSError, *failures()):  # the session may be over already
                cancel()
            is_over.wait(_AGAIN)

    def interrupt(_number: int, _frame: object) -> None:
        interrupted.set()
        # In a thread, which has a line of its own to Java: on ours the job is waited for, and
        # whatever is said on it would be heard when the job is over.
        threading.Thread(target=cancelled, daemon=True).start()
        raise KeyboardInterrupt

    quiet = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        if _is_main_thread():
            signal.signal(signal.SIGINT, interrupt)
        yield
    finally:
        is_over.set()
        logging.disable(quiet)


@contextlib.contextmanager
def delay_sigint() -> Iterator[None]:
    """Ctrl-C waits until something is over that must not be left half-way, as Java's start."""
    if not _is_main_thread():
        yield
        return
    pressed: list[int] = []
    waiting = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        if pressed:
            signal.signal(signal.SIGINT, waiting)
            raise KeyboardInterrupt


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
