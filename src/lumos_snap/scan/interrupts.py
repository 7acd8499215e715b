"""Ctrl-C while Spark runs: Spark takes it over, and a scan must end by it all the same."""

import contextlib
import logging
import signal
import threading
from collections.abc import Callable, Iterator

from lumos_snap.scan.ending import failures

_AGAIN = 0.5  # seconds


@contextlib.contextmanager
def put_back() -> Iterator[None]:
    """Spark takes over what Ctrl-C does: afterwards it does what it did."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if _is_main_thread():
            signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def terminated() -> Iterator[None]:
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
def taken(interrupted: threading.Event, cancel: Callable[[], object]) -> Iterator[None]:
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
def later() -> Iterator[None]:
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
