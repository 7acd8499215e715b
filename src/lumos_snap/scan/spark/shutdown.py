"""Shutdown of Spark: sessions, Java, signals and the exceptions that Spark raises."""

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


_LAST = 120  # seconds: Java writes an archive when it ends
_POLL = 0.05  # seconds


def failures() -> tuple[type[Exception], ...]:
    """Return the exceptions that Spark raises; a Spark Connect client has no Py4J."""
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JError  # noqa: PLC0415 - only where storage is read
    except ImportError:
        return (PySparkException,)
    return (PySparkException, Py4JError)


def stop(spark: "SparkSession") -> None:
    """Stop a session without the one-second wait for PySpark's accumulator listener."""
    listener = pyspark_internals.take_listener(spark)
    if listener is not None:
        listener.handle_error = _ignore_error
    # A thread has its own connection to Java: that of an interrupted one is out of sync.
    stopping = threading.Thread(target=spark.stop, daemon=True)
    stopping.start()
    stopping.join()
    if listener is not None:
        threading.Thread(target=listener.shutdown, daemon=True).start()


def _ignore_error(_request: object, _address: object) -> None:
    """Ignore errors of the listener: a closed connection is expected."""


def java_runs() -> bool:
    """Whether this process has started a Java for Spark, which it keeps until it ends."""
    return pyspark_internals.gateway() is not None


def end_java(patience: float = _LAST) -> int | None:
    """End the Java of this process, by force after `patience` seconds; return its exit code."""
    gateway, java = pyspark_internals.gateway(), pyspark_internals.java_process()
    if gateway is None or java is None:
        return None
    pyspark_internals.forget_gateway()
    with contextlib.suppress(*failures(), OSError):  # it may have ended already
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
    """Restore the SIGINT handler, which Spark replaces."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if _is_main_thread():
            signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def interrupt_on_sigterm() -> Iterator[None]:
    """Let SIGTERM end a scan as Ctrl-C does: otherwise a cluster would keep its application."""
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
    """Let Ctrl-C cancel all jobs and end the wait at once, without logs of aborted tasks."""
    is_over = threading.Event()

    def cancelled() -> None:
        # Repeatedly: a job that is being submitted when Ctrl-C comes starts afterwards, and PySpark
        # waits for its end before the interrupt gets through.
        while not is_over.is_set():
            with contextlib.suppress(OSError, *failures()):  # the session may have ended already
                cancel()
            is_over.wait(_AGAIN)

    def interrupt(_number: int, _frame: object) -> None:
        interrupted.set()
        # In a thread, which has its own connection to Java: ours waits for the job, and would send
        # the request only when the job has ended.
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
    """Delay Ctrl-C during a step that must not be interrupted, as the start of Java."""
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
