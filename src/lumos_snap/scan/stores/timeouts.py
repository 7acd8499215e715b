"""Deadlines for clients that wait for minutes and cannot be configured otherwise."""

from collections.abc import Callable
from threading import Thread
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")

CONNECT = 5.0  # seconds
READ = 20.0
FIRST = 25.0
"""Seconds until the first response of a store, whatever its client does meanwhile."""
LATEST = 3 * READ
"""Seconds for any other call."""
ATTEMPTS = 5
"""Number of attempts of a client."""


class ErrorCarrier:
    """Keeps an exception of one thread, so that another one can raise it."""

    error: BaseException | None = None

    def __enter__(self) -> "ErrorCarrier":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Keep the exception; the thread that waits for this one raises it."""
        self.error = error
        return True


def call_within(seconds: float, call: Callable[[], T]) -> T:
    """Return or raise the result of a call; raise `TimeoutError` after some seconds.

    A call that hangs in foreign code cannot be stopped: it is abandoned, and its daemon thread ends
    with the process.
    """
    kept, found = ErrorCarrier(), list[T]()

    def run() -> None:
        with kept:
            found.append(call())

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError(f"did not answer within {seconds:g} seconds")
    if kept.error is not None:
        raise kept.error
    return found[0]
