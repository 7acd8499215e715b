"""A call in the background, and work on many items in several processes."""

import gc
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")


class BackgroundCall(Generic[T]):
    """A call that has begun; what it raises is raised where its result is asked for."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._results: list[T] = []
        self._errors: list[BaseException] = []
        # A daemon: who interrupts us does not wait for git.
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with self:
            self._results.append(self._call())

    def __enter__(self) -> None:
        """Begin to keep what is raised."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> Literal[True]:
        """Keep what was raised for the thread that asks."""
        if error is not None:
            self._errors.append(error)
        return True

    def result(self) -> T:
        """What the call returned, as soon as it has."""
        self._thread.join()
        if self._errors:
            raise self._errors[0]
        return self._results[0]


In = TypeVar("In")
Out = TypeVar("Out")

SMALL = 2_000
"""Below it, starting processes costs more than it saves."""
_AHEAD = 4  # portions that wait per process: bounded, so that memory does not follow the tree


def map_in_processes(
    work: Callable[[In], Out], portions: Iterable[In], *, size: int
) -> Iterator[Out]:
    """The results of `work` on portions of many things, in order; `size` says how many in all."""
    # Late: they load logging and tempfile, which a diff of few files does not need.
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from multiprocessing import get_context  # noqa: PLC0415

    processes = os.cpu_count() or 1
    if size < SMALL or processes == 1:
        yield from map(work, portions)
        return
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_begin) as pool:
        # Ctrl-C between the forks and the start of the thread that feeds them would leave processes
        # that wait for work, and a program that waits for them.
        with hold_interrupt():
            pool.submit(int).result()  # forks now, before reading starts threads of its own
        waiting: deque[Future[Out]] = deque()
        try:
            for portion in portions:
                waiting.append(pool.submit(work, portion))
                if len(waiting) > processes * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            # Waits: an end of the program that meets the pool's own is reported as an error.
            pool.shutdown(cancel_futures=True)


@contextmanager
def hold_interrupt() -> Iterator[None]:
    """Hold Ctrl-C back to the end of the block."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """What every process of the pool begins with."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches them all; the parent answers it
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    gc.disable()  # parsed documents hold no cycles: looking for some in them costs a fiftieth


def _end_with_parent(parent: int) -> None:
    """A parent that is killed cannot say so, and a process without one would wait for ever."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
