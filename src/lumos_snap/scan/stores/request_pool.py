"""Many requests at once, and their answers as they arrive, in one thread."""

from collections.abc import Callable, Iterator
from queue import Empty, Full, Queue, SimpleQueue
from threading import Event, Thread
from typing import Generic, TypeVar

from lumos_snap.scan.stores.errors import StoreRefusedError
from lumos_snap.scan.stores.timeouts import ErrorCarrier

Q = TypeVar("Q")
A = TypeVar("A")

THREADS = 16
"""How many requests wait at once."""
_AHEAD = 2 * THREADS
"""How many answers may wait to be taken: listing is no faster than what takes it."""
_POLL = 0.2  # seconds

_Answer = tuple[Q, A | StoreRefusedError | None, BaseException | None]
"""What was asked, and an answer; without one, its end, or what nobody expected."""


class Answers(Generic[Q, A]):
    """What a store answers. Whoever takes the answers may ask for more meanwhile.

    A question may have several answers. A refusal is one: it ends its question and no other.
    """

    def __init__(self, answer: Callable[[Q], Iterator[A]]) -> None:
        self._answer = answer
        self._questions: SimpleQueue[Q] = SimpleQueue()
        self._answers: Queue[_Answer[Q, A]] = Queue(_AHEAD)
        self._open = 0
        self._threads = 0
        self._ended = Event()

    def ask(self, question: Q) -> None:
        """Ask for something; threads are started as there is work for them."""
        self._open += 1
        self._questions.put(question)
        if self._threads < min(self._open, THREADS):
            self._threads += 1
            Thread(target=self._work, daemon=True).start()

    def taken(self) -> Iterator[tuple[Q, A | StoreRefusedError]]:
        """The answers to all that was asked, until there is none to wait for."""
        while self._open:
            question, answer, error = self._answers.get()
            if error is not None:
                raise error
            if answer is None:
                self._open -= 1
            else:
                yield question, answer

    def end(self) -> None:
        """Wait for nothing any more."""
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
