"""Questions to what may never answer: each has a deadline, and several are asked at once.

A call of a client cannot be broken off from outside. So it runs in a thread that keeps no process
alive, and is left to itself when its time is over. What it raises is an answer as well.
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
    """No answer came in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} seconds")


def ask_once(ask: Callable[[], Answer], seconds: float) -> Answer | BaseException:
    """The answer, or what asking raises, or `LateError`."""
    ((_, outcome),) = ask_each(lambda _: ask(), [None], at_once=1, seconds=seconds)
    return outcome


def ask_each(
    ask: Callable[[Asked], Answer], questions: Iterable[Asked], *, at_once: int, seconds: float
) -> Iterator[tuple[Asked, Answer | BaseException]]:
    """Every question with its answer, or with what asking raised, in the order of the questions."""
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
