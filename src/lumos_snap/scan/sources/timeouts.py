"""Calls with deadlines, several at once, for clients that may never answer.

A call of a client cannot be interrupted from outside. So it runs in a daemon thread, which is
abandoned at the deadline. An exception is returned as a result.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from multiprocessing.pool import ThreadPool  # its threads are daemons: those of executors are not
from time import monotonic
from typing import TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class LateError(Exception):
    """No answer within the deadline."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} seconds")


def ask_once(ask: Callable[[], Answer], seconds: float) -> Answer | BaseException:
    """Return the answer, the exception raised, or `LateError`."""
    ((_, outcome),) = ask_each(lambda _: ask(), [None], at_once=1, seconds=seconds)
    return outcome


def ask_each(
    ask: Callable[[Asked], Answer], questions: Iterable[Asked], *, at_once: int, seconds: float
) -> Iterator[tuple[Asked, Answer | BaseException]]:
    """Yield every question with its answer or exception, in the order of the questions."""
    threads = ThreadPool(at_once)
    try:
        open_: deque[tuple[Asked, Future[Answer], float]] = deque()
        for question in questions:
            if len(open_) >= at_once:
                first, future, since = open_.popleft()
                outcome = _outcome(future, since, seconds)
                yield first, outcome
            asked: Future[Answer] = Future()
            threads.apply_async(ask, (question,), {}, asked.set_result, asked.set_exception)
            open_.append((question, asked, monotonic()))
        for question, future, since in open_:
            outcome = _outcome(future, since, seconds)
            yield question, outcome
    finally:
        threads.terminate()


def _outcome(future: "Future[Answer]", since: float, seconds: float) -> Answer | BaseException:
    try:
        raised = future.exception(max(0.0, since + seconds - monotonic()))
    except TimeoutError:
        return LateError(seconds)
    return future.result() if raised is None else raised
