"""What every store of objects does alike: list what lies below a prefix, and say where it fails."""

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.errors import ADDRESS, NETWORK, RefusedError, outside
from lumos_snap.scan.stores.object_files import Keys
from lumos_snap.scan.stores.object_store import Ask, Elsewhere, Pages
from lumos_snap.scan.stores.prefix_listing import listed
from lumos_snap.scan.stores.store import Answered, Entry, Trouble, Wants
from lumos_snap.scan.stores.timeouts import FIRST, within

T = TypeVar("T")


class Place(Protocol):
    """A prefix in some store of objects."""

    @property
    def address(self) -> str:
        """How people write it."""
        ...

    @property
    def top(self) -> str:
        """What all its keys begin with."""
        ...

    def pages(self) -> Pages:
        """What lists it; raises `RefusedError`."""
        ...


def entries_of(
    place: Place, start: str, may_hold: Wants, answered: Answered, elsewhere: Elsewhere | None
) -> Iterator[Entry | Trouble]:
    """Every file below a folder of a place; `OutsideError` where nothing can be reached."""
    keys = Keys(place.top, start, may_hold)
    pages = _asked(place, place.pages)
    first = _asked(place, lambda: pages(Ask(keys.start), ""))
    if not (first.found or first.after or start) and place.top:
        # Such a store knows a folder only by what lies in it.
        raise outside(
            place.address, RefusedError(error_codes.VANISHED, "nothing lies there", ADDRESS)
        )
    yield from listed(pages, first, keys, answered, elsewhere)


def something_at(place: Place, path: str) -> bool:
    """Whether something lies at or below a path."""
    pages, key = _asked(place, place.pages), f"{place.top}{path}".rstrip("/")
    below = Ask(f"{key}/" if key else "", most=1)
    if _asked(place, lambda: pages(below, "")).found:
        return True
    found = _asked(place, lambda: pages(Ask(key, most=1), "")).found
    return any(one.key == key for one in found)


def _asked(place: Place, call: Callable[[], T]) -> T:
    """One answer, before long: the client itself may take its time."""
    try:
        return within(FIRST, call)
    except TimeoutError as exc:
        told = RefusedError(error_codes.UNREACHABLE, str(exc), NETWORK)
        raise outside(place.address, told) from exc
    except RefusedError as exc:
        raise outside(place.address, exc) from exc
