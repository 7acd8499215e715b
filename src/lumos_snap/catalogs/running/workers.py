"""Threads that share one catalog."""

from concurrent.futures import ThreadPoolExecutor

from lumos_snap.catalogs.running.pace import Pace


class Workers:
    """Threads that end after the requests under way, however the run ends."""

    def __init__(self, most: int, pace: Pace) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="lumos-sync")
        self._pace = pace

    def __enter__(self) -> ThreadPoolExecutor:
        return self._pool

    def __exit__(self, cause: object, *_: object) -> None:
        if cause is not None:
            self._pace.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)
