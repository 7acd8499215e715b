"""Work on very many files, spread over the processors."""

import itertools
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

In = TypeVar("In")
Out = TypeVar("Out")

SMALL = 2_000
"""Below it, starting processes costs more than it saves."""
BATCH = 200
_AHEAD = 4  # batches that wait per process: bounded, so that memory does not follow the tree


def spread(work: Callable[[list[In]], Out], items: Iterable[In], *, size: int) -> Iterator[Out]:
    """The results of `work` on batches of `items`, in order; `size` says how many items come."""
    processes = os.cpu_count() or 1
    if size < SMALL or processes == 1:
        yield from map(work, _batches(items))
        return
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        pool.submit(int).result()  # forks now, before reading starts threads of its own
        waiting: deque[Future[Out]] = deque()
        try:
            for batch in _batches(items):
                waiting.append(pool.submit(work, batch))
                if len(waiting) > processes * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _batches(items: Iterable[In]) -> Iterator[list[In]]:
    iterator = iter(items)
    while batch := list(itertools.islice(iterator, BATCH)):
        yield batch
