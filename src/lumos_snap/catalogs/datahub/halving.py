"""Reading many documents at once where one of them may spoil the answer for all."""

from collections.abc import Callable, Iterator, Sequence

from lumos_snap.catalogs.datahub.sdk.failing import FailedError
from lumos_snap.catalogs.seam import Identity, Reading, Unreadable

Ask = Callable[[Sequence[Identity]], Sequence[Reading]]
_MOST_FAILURES = 60
_ALL_FAIL = 5
"""So many documents that fail, and none that does not: it is the server, and not the documents."""


class Halving:
    """Asks for less and less at once, until what cannot be read is found."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._answers = self._failures = self._unreadable = 0

    def read(self, some: Sequence[Identity]) -> Iterator[Reading]:
        """What is there; a document that cannot be read by itself is unreadable.

        Raises `FailedError` where it is the server that cannot be read.
        """
        try:
            found = self._ask(some)
        except FailedError as exc:
            self._failures += 1
            if self._is_the_servers(exc, some):
                raise
            yield from self._apart(exc, some)
        else:
            self._answers += 1
            yield from found

    def _apart(self, exc: FailedError, some: Sequence[Identity]) -> Iterator[Reading]:
        if len(some) == 1:
            self._unreadable += 1
            yield Unreadable(some[0], exc.message)
            return
        half = len(some) // 2
        yield from self.read(some[:half])
        yield from self.read(some[half:])

    def _is_the_servers(self, exc: FailedError, some: Sequence[Identity]) -> bool:
        is_first = self._failures == 1 and not self._answers
        if not exc.is_of_content or self._failures > _MOST_FAILURES:
            return True
        if len(some) == 1 and is_first:  # of one document nobody can say whose fault it is
            return not exc.is_refusal
        return self._unreadable >= _ALL_FAIL and not self._answers
