"""Reading a whole catalog: while some of it is looked at, the next is under way already."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future

from lumos_snap.catalogs.adapter import Catalog, Identity, Reading
from lumos_snap.catalogs.sync.client import Asking
from lumos_snap.catalogs.sync.execute import Workers
from lumos_snap.catalogs.sync.rate_limit import Pace, Speed
from lumos_snap.tree.files import batches

_AHEAD = 2
"""Portions that are under way: one is being answered while another one is being read."""


def read_ahead(
    catalog: Catalog, identities: Sequence[Identity], marks: Mapping[Identity, str], speed: Speed
) -> Iterator[Reading]:
    """What a catalog holds of documents, in order; raises `OutsideError` where it is not there."""
    pace = Pace(speed)
    asking = Asking(catalog, pace)

    def portion(some: Sequence[Identity]) -> list[Reading]:
        return list(asking.read_all(some, marks))

    with Workers(_AHEAD, pace) as pool:
        waiting: deque[Future[list[Reading]]] = deque()
        for some in batches(identities):
            waiting.append(pool.submit(portion, some))
            if len(waiting) > _AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
