"""How far a look at two sides is, told while they are gone through side by side."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from lumos_snap.catalogs.adapter import Identity, Reading
from lumos_snap.catalogs.sync.join import Named
from lumos_snap.flows.syncing.asked import Progress

_STAGE = "read"


class Watched:
    """What is asked for, in order, and how much of it either side has come to."""

    def __init__(self, wanted: Sequence[Identity], progress: Progress) -> None:
        self._wanted = wanted
        self._progress = progress
        self._met = 0
        self._tell(0)

    def catalog(self, readings: Iterable[Reading]) -> Iterator[Reading]:
        """What the catalog holds."""
        for one in readings:
            self.come_to(one.identity)
            yield one

    def tree(self, side: Iterable[Named]) -> "_Side":
        """What the tree holds; it can be gone through again."""
        return _Side(side, self)

    def come_to(self, identity: Identity) -> None:
        """Say that one side has come to a document."""
        self._tell(bisect_right(self._wanted, identity, lo=self._met))

    def _tell(self, met: int) -> None:
        self._met = max(self._met, met)
        self._progress(_STAGE, self._met, len(self._wanted))


class _Side:
    def __init__(self, side: Iterable[Named], watched: Watched) -> None:
        self._side = side
        self._watched = watched

    def __iter__(self) -> Iterator[Named]:
        for one in self._side:
            self._watched.come_to(one[0])
            yield one
