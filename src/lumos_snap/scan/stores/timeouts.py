"""Deadlines of our own: some clients wait for minutes, and offer no way to say otherwise."""

from collections.abc import Callable
from threading import Thread
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")

CONNECT = 5.0  # seconds
READ = 20.0
FIRST = 25.0
"""How long the first answer of a store may take, whatever its client does meanwhile."""
LATEST = 3 * READ
"""How long anything else may take."""
ATTEMPTS = 5
"""How often a client asks before it gives up."""


class ErrorCarrier:
    """Keeps what is raised in one thread, so that another one can raise it."""

    error: BaseException | None = None

    def __enter__(self) -> "ErrorCarrier":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Nothing gets lost: whoever waits for the thread raises it."""
        self.error = error
        return True


def call_within(seconds: float, call: Callable[[], T]) -> T:
    """What a call returns or raises; `TimeoutError` if it takes longer, and then it is left alone.

    A call that hangs in foreign code cannot be ended: its thread does not outlive the process.
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
