"""Parallel listing of object stores by prefixes, with few requests."""

import heapq
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import chain, groupby, islice, takewhile
from typing import Protocol, TypeVar

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.object_store import (
    Answer,
    Elsewhere,
    Keys,
    ListingPage,
    PageRequest,
    Pages,
    StoredObject,
    all_pages,
)
from lumos_snap.scan.stores.request_pool import FIRST, THREADS, Answers, call_within
from lumos_snap.scan.stores.store import (
    ADDRESS,
    NETWORK,
    FileEntry,
    OnAnswer,
    StoreRefusedError,
    Trouble,
    Wants,
    make_outside_error,
)

_AT_MOST = 4
"""Maximum ratio of prefixes to the requested number, so that unwanted folders can be excluded."""


def find_prefixes(names: Sequence[str], unwanted: Sequence[str], enough: int) -> list[str]:
    """Find prefixes of names: each name starts with exactly one of them.

    The largest group of names is split, at the first letter that its names do not share, until
    there are enough groups; then groups that would cover unwanted names as well.
    """
    spared = sorted(unwanted)
    waiting = [_group(sorted(set(names)))] if names else []
    done: list[str] = []
    while waiting:
        _, prefix, members = heapq.heappop(waiting)
        total = len(waiting) + len(done) + 1
        parts = _split(prefix, members)
        is_worth_it = total < enough or _covers(prefix, spared)
        if len(parts) > 1 and is_worth_it and total + len(parts) <= _AT_MOST * enough:
            for part in parts:
                heapq.heappush(waiting, part)
        else:
            done.append(prefix)
    return sorted(done)


_Group = tuple[int, str, list[str]]


def _group(members: list[str]) -> _Group:
    """Build a group of sorted names; the largest is the first in a heap."""
    return -len(members), _common_prefix(members[0], members[-1]), members


def _common_prefix(first: str, last: str) -> str:
    """Return the common prefix of two names, which all names between them share."""
    pairs = enumerate(zip(first, last, strict=False))
    return first[: next((at for at, (one, other) in pairs if one != other), len(first))]


def _split(prefix: str, members: list[str]) -> list[_Group]:
    if members[0] == prefix:  # it covers the others
        return []
    at = len(prefix)
    return [_group(list(part)) for _, part in groupby(members, lambda name: name[at])]


def _covers(prefix: str, names: Sequence[str]) -> bool:
    at = bisect_left(names, prefix)
    return at < len(names) and names[at].startswith(prefix)


DEEPEST = 6
"""Maximum number of folder levels to discover."""
ENOUGH = 2 * THREADS
"""Number of folders that keeps all threads busy."""
WIDE = 200_000
"""Number of files after which other machines are used: to start there takes seconds."""
PARTS = 512
"""Number of folders that keeps other machines busy."""
AT_ONCE = 128
"""Number of prefixes to request from other machines at a time."""
_MANY = 50_000
"""Maximum number of folders in memory; more are replaced by their prefixes."""
_MANY_EACH = 1_000
"""The same maximum, for one folder."""

Files = Iterator[FileEntry | Trouble]


def list_files(
    pages: Pages,
    first: ListingPage,
    keys: Keys,
    answered: OnAnswer,
    elsewhere: Elsewhere | None = None,
) -> Files:
    """Yield every file of a store; `first` is the first page of the flat listing."""
    answered()
    if not first.after:
        yield from keys.files(first.found)
        return
    walk = _Walk(pages, keys, answered, elsewhere)
    try:
        yield from walk.files()
    finally:
        walk.end()


class _Walk:
    """The traversal of all keys below one prefix."""

    def __init__(
        self, pages: Pages, keys: Keys, answered: OnAnswer, elsewhere: Elsewhere | None
    ) -> None:
        self._pages = pages
        self._keys = keys
        self._answered = answered
        self._elsewhere = elsewhere
        self._answers: Answers[PageRequest, ListingPage] = Answers(
            lambda ask: all_pages(pages, ask)
        )
        self._done: set[str] = set()
        """Folders whose own files were listed when their subfolders were discovered."""
        self._unwanted: list[str] = []
        self._met: set[str] = set()
        """Keys that other machines may list again."""

    def files(self) -> Files:
        """Yield all files below the start folder."""
        level = yield from self._descended([self._keys.start])
        prefixes = find_prefixes(level, self._unwanted, 2 * ENOUGH)
        left = yield from self._flat([PageRequest(prefix) for prefix in prefixes])
        if left and self._elsewhere is not None:
            names = sorted(level)
            parts = yield from self._divided({one: _beginning_with(one, names) for one in left})
            rest = yield from self._spread(
                [PageRequest(prefix) for prefix in parts], self._elsewhere
            )
            self._elsewhere = None
            self._renew(all_pages)
            yield from self._flat(rest)  # this machine may have access that workers lack

    def end(self) -> None:
        """Stop all requests."""
        self._answers.end()

    def _renew(self, way: Callable[[Pages, PageRequest], Iterator[ListingPage]]) -> None:
        """Abandon all open requests, and use another request function from now on."""
        self._answers.end()
        self._answers = Answers(lambda ask: way(self._pages, ask))

    def _descended(self, level: list[str]) -> Generator[FileEntry | Trouble, None, list[str]]:
        """Discover folders, level by level, until there are enough; return the last level."""
        for _ in range(DEEPEST):
            if not level or len(level) >= ENOUGH:
                break
            below: list[str] = []
            for ask, page in self._asked(level):
                yield from self._files(ask, page)
                yield from self._folders(page, below)
                if len(below) > _MANY:
                    below = find_prefixes(below, (), 2 * PARTS)
            self._done.update(level)
            level = below
        return level

    def _divided(
        self, below: dict[str, list[str]]
    ) -> Generator[FileEntry | Trouble, None, list[str]]:
        """Discover folders further, except those that take long; return prefixes of the rest."""
        long: list[str] = []
        self._renew(_unless_long)
        for _ in range(DEEPEST):
            level = [name for names in below.values() for name in names]
            if not level or len(level) + len(long) >= PARTS:
                break
            below = {name: [] for name in level}
            fresh = set(level)
            for ask, page in self._asked(level):
                if ask.prefix in fresh and _is_long(page):
                    del below[ask.prefix]
                    long.append(ask.prefix)
                    continue
                fresh.discard(ask.prefix)
                yield from self._files(ask, page)
                yield from self._folders(page, below[ask.prefix])
                if len(below[ask.prefix]) > _MANY_EACH:
                    below[ask.prefix] = find_prefixes(below[ask.prefix], (), ENOUGH)
            self._done.update(below)
        each = -(-2 * PARTS // max(1, len(below)))
        parts = (find_prefixes(names, self._unwanted, each) for names in below.values())
        return [*long, *chain.from_iterable(parts)]

    def _asked(self, level: Sequence[str]) -> Iterator[Answer]:
        for folder in level:
            self._answers.ask(PageRequest(folder, by_folder=True))
        return self._taken()

    def _folders(self, page: ListingPage | StoreRefusedError, below: list[str]) -> Files:
        """Collect the wanted folders."""
        if isinstance(page, StoreRefusedError):
            return
        wanted, odd = self._keys.folders(page.folders)
        yield from odd
        below += wanted
        self._unwanted += set(page.folders).difference(wanted)
        del self._unwanted[_MANY:]

    def _flat(self, asks: Sequence[PageRequest]) -> Generator[FileEntry | Trouble, None, list[str]]:
        """List prefixes; return unfinished ones, if other machines should continue with them."""
        left = {ask.prefix for ask in asks}
        for ask in asks:
            self._answers.ask(ask)
        for ask, page in self._taken():
            yield from self._files(ask, page)
            if isinstance(page, StoreRefusedError) or not page.after:
                left.discard(ask.prefix)
            if self._elsewhere is None or isinstance(page, StoreRefusedError):
                continue
            self._met.update(one.key for one in page.found)
            if left and len(self._met) >= WIDE:
                return sorted(left)
        return []

    def _spread(
        self, asks: list[PageRequest], elsewhere: Elsewhere
    ) -> Generator[FileEntry | Trouble, None, list[PageRequest]]:
        """List prefixes on other machines; return the requests that they could not finish."""
        rest: list[PageRequest] = []
        while asks:
            portion, asks = asks[:AT_ONCE], asks[AT_ONCE:]
            left = {ask.prefix: ask for ask in portion}
            answering: set[str] = set()
            for ask, page in elsewhere(portion):
                self._answered()
                if isinstance(page, StoreRefusedError):
                    answering.discard(ask.prefix)
                    continue
                yield from self._files(ask, page)
                answering.add(ask.prefix)
                left[ask.prefix] = ask._replace(after=page.after)
            rest += (ask for prefix, ask in left.items() if prefix not in answering)
            asks += (ask for prefix, ask in left.items() if prefix in answering and ask.after)
            if not answering:
                return rest + asks
        return rest

    def _taken(self) -> Iterator[Answer]:
        for answer in self._answers.taken():
            self._answered()
            yield answer

    def _files(self, ask: PageRequest, page: ListingPage | StoreRefusedError) -> Files:
        if isinstance(page, StoreRefusedError):
            # A prefix may end within a name: then its folder is incomplete.
            path = self._keys.path(_folder(ask.prefix))
            yield Trouble(path, page.reason, page.detail, hides=True)
            return
        yield from self._keys.files([one for one in page.found if self._is_new(one)])

    def _is_new(self, one: StoredObject) -> bool:
        return _folder(one.key) not in self._done and one.key not in self._met


def _unless_long(pages: Pages, ask: PageRequest) -> Iterator[ListingPage]:
    """List a folder; only the first page of a long one."""
    for number, page in enumerate(all_pages(pages, ask)):
        yield page
        if not number and _is_long(page):
            return


def _is_long(page: ListingPage | StoreRefusedError) -> bool:
    """Whether the first page shows that a folder contains mostly files, and very many."""
    if isinstance(page, StoreRefusedError):
        return False
    return bool(page.after) and len(page.found) > len(page.folders)


def _beginning_with(prefix: str, names: list[str]) -> list[str]:
    first = bisect_left(names, prefix)
    return list(takewhile(lambda name: name.startswith(prefix), islice(names, first, None)))


def _folder(key: str) -> str:
    folder, slash, _ = key.rpartition("/")
    return folder + slash


T = TypeVar("T")


class ObjectPrefix(Protocol):
    """A prefix in an object store."""

    @property
    def address(self) -> str:
        """The address as users write it."""
        ...

    @property
    def top(self) -> str:
        """The prefix of all its keys."""
        ...

    def pages(self) -> Pages:
        """Return the function that lists it; raises `StoreRefusedError`."""
        ...


def entries_of(
    place: ObjectPrefix,
    start: str,
    may_hold: Wants,
    answered: OnAnswer,
    elsewhere: Elsewhere | None,
) -> Iterator[FileEntry | Trouble]:
    """List every file below a folder; raise `OutsideError` if the store cannot be reached."""
    keys = Keys(place.top, start, may_hold)
    pages = _ask_first(place, place.pages)
    first = _ask_first(place, lambda: pages(PageRequest(keys.start), ""))
    if not (first.found or first.after or start) and place.top:
        # An object store has no empty folders.
        raise make_outside_error(
            place.address, StoreRefusedError(error_codes.VANISHED, "nothing lies there", ADDRESS)
        )
    yield from list_files(pages, first, keys, answered, elsewhere)


def has_object_at(place: ObjectPrefix, path: str) -> bool:
    """Whether an object exists at or below a path."""
    pages, key = _ask_first(place, place.pages), f"{place.top}{path}".rstrip("/")
    below = PageRequest(f"{key}/" if key else "", most=1)
    if _ask_first(place, lambda: pages(below, "")).found:
        return True
    found = _ask_first(place, lambda: pages(PageRequest(key, most=1), "")).found
    return any(one.key == key for one in found)


def _ask_first(place: ObjectPrefix, call: Callable[[], T]) -> T:
    """Return the first response within a deadline: the client itself may wait longer."""
    try:
        return call_within(FIRST, call)
    except TimeoutError as exc:
        told = StoreRefusedError(error_codes.UNREACHABLE, str(exc), NETWORK)
        raise make_outside_error(place.address, told) from exc
    except StoreRefusedError as exc:
        raise make_outside_error(place.address, exc) from exc
