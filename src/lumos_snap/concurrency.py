"""Work that runs while something else is loaded: git lists what changed, Python its modules."""

from collections.abc import Callable
from threading import Thread
from typing import Generic, Literal, TypeVar

T = TypeVar("T")


class Ahead(Generic[T]):
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
