"""Concurrent requests in threads, with deadlines; one thread receives the responses."""

from collections.abc import Callable, Iterator
from queue import Empty, Full, Queue, SimpleQueue
from threading import Event, Thread
from types import TracebackType
from typing import Generic, TypeVar

from lumos_snap.scan.stores.store import StoreRefusedError

# Deadlines for clients that wait for minutes and cannot be configured otherwise.


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


Q = TypeVar("Q")
A = TypeVar("A")

THREADS = 16
"""Number of concurrent requests."""
_AHEAD = 2 * THREADS
"""Number of responses that may wait: the listing is no faster than its consumer."""
_POLL = 0.2  # seconds

_Answer = tuple[Q, A | StoreRefusedError | None, BaseException | None]
"""A request with a response; without one, the end of its responses, or an unexpected error."""


class Answers(Generic[Q, A]):
    """The responses of a store; the consumer can add requests while it iterates.

    A request may have several responses. A refusal is one: it ends its own request only.
    """

    def __init__(self, answer: Callable[[Q], Iterator[A]]) -> None:
        self._answer = answer
        self._questions: SimpleQueue[Q] = SimpleQueue()
        self._answers: Queue[_Answer[Q, A]] = Queue(_AHEAD)
        self._open = 0
        self._threads = 0
        self._ended = Event()

    def ask(self, question: Q) -> None:
        """Add a request; threads are started as needed."""
        self._open += 1
        self._questions.put(question)
        if self._threads < min(self._open, THREADS):
            self._threads += 1
            Thread(target=self._work, daemon=True).start()

    def taken(self) -> Iterator[tuple[Q, A | StoreRefusedError]]:
        """Yield the responses, until no request is open."""
        while self._open:
            question, answer, error = self._answers.get()
            if error is not None:
                raise error
            if answer is None:
                self._open -= 1
            else:
                yield question, answer

    def end(self) -> None:
        """Stop all requests without waiting for them."""
        self._ended.set()

    def _work(self) -> None:
        while not self._ended.is_set():
            try:
                question = self._questions.get(timeout=_POLL)
            except Empty:
                continue
            kept = ErrorCarrier()
            with kept:
                self._answered(question)
            self._put((question, None, kept.error))

    def _answered(self, question: Q) -> None:
        try:
            for answer in self._answer(question):
                self._put((question, answer, None))
                if self._ended.is_set():
                    return
        except StoreRefusedError as exc:
            self._put((question, exc, None))

    def _put(self, answer: "_Answer[Q, A]") -> None:
        while not self._ended.is_set():
            try:
                self._answers.put(answer, timeout=_POLL)
            except Full:
                continue
            return
