"""Background calls, and parallel work in several processes."""

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
    """A running call; its exception is raised when its result is requested."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._results: list[T] = []
        self._errors: list[BaseException] = []
        # A daemon thread: an interrupt must not wait for git.
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with self:
            self._results.append(self._call())

    def __enter__(self) -> None:
        """Start to capture exceptions."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> Literal[True]:
        """Capture the exception for the thread that requests the result."""
        if error is not None:
            self._errors.append(error)
        return True

    def result(self) -> T:
        """Wait for the result of the call."""
        self._thread.join()
        if self._errors:
            raise self._errors[0]
        return self._results[0]


In = TypeVar("In")
Out = TypeVar("Out")

SMALL = 2_000
"""Below this size, starting processes costs more than it saves."""
_AHEAD = 4  # waiting portions per process: bounded, so that memory does not grow with the tree


def map_in_processes(
    work: Callable[[In], Out], portions: Iterable[In], *, size: int
) -> Iterator[Out]:
    """Map `work` over portions of items, in order; `size` is the number of all items."""
    # Lazy imports: they load logging and tempfile, which a small diff does not need.
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from multiprocessing import get_context  # noqa: PLC0415

    processes = os.cpu_count() or 1
    if size < SMALL or processes == 1:
        yield from map(work, portions)
        return
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_begin) as pool:
        # Ctrl-C between the forks and the start of the feeding thread would leave processes that
        # wait for work, and a program that waits for them.
        with hold_interrupt():
            pool.submit(int).result()  # fork now, before reading starts other threads
        waiting: deque[Future[Out]] = deque()
        try:
            for portion in portions:
                waiting.append(pool.submit(work, portion))
                if len(waiting) > processes * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            # Wait here: the program's end during the pool's shutdown would be reported as an error.
            pool.shutdown(cancel_futures=True)


@contextmanager
def hold_interrupt() -> Iterator[None]:
    """Block Ctrl-C until the end of the block."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Initialize a process of the pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the parent handles it
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    gc.disable()  # parsed documents have no cycles, and garbage collection costs 2 % of the time


def _end_with_parent(parent: int) -> None:
    """End when the parent is gone: after a kill, the process would wait forever."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
