"""Keys of object stores as paths, filters for folders and folder markers, and listing pages."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.store import FileEntry, StoreRefusedError, Trouble, Wants

_KEPT = 20_000
"""Number of folders to remember: keys are listed folder by folder."""
_MARKER = "_$folder$"  # the folder marker of older Hadoop versions
_ODD_NAMES = frozenset({"", ".", ".."})
_ODD = "has a part in its key that is empty, `.` or `..`, which no path can have"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class StoredObject(NamedTuple):
    """An object as a store lists it."""

    key: str
    size: int
    modified: int
    tag: str
    archived: str = ""
    """Name of the archive storage class, if it cannot be read without a restore."""


class Keys:
    """The objects below one prefix: keys without the prefix are paths."""

    def __init__(self, top: str, start: str, may_hold: Wants) -> None:
        """`top` is empty or ends with a slash; `start` is a folder below it."""
        self.top = top
        self.start = f"{top}{start}/" if start else top
        self._may_hold = may_hold
        self._known: dict[str, bool] = {}
        self._odd: set[str] = set()

    def path(self, key: str) -> str:
        """Convert a key to a path; a key with a trailing slash is a folder."""
        return key[len(self.top) :].removesuffix("/")

    def files(self, found: Sequence[StoredObject]) -> Iterator[FileEntry | Trouble]:
        """Yield the objects that are files in wanted folders."""
        for one in found:
            if one.key.endswith(("/", _MARKER)) and not one.size:
                continue
            path = one.key[len(self.top) :]
            if self.wants(path.rpartition("/")[0]):
                yield from self._file(path, one) if _is_path(path) else self._told(path)

    def folders(self, names: Sequence[str]) -> tuple[list[str], list[Trouble]]:
        """Return the wanted folders, and troubles for invalid ones."""
        wanted: list[str] = []
        odd: list[Trouble] = []
        for name in names:
            path = name[len(self.top) : -1]
            if not _is_path(path):
                odd += self._told(path)
            elif self.wants(path):
                wanted.append(name)
        return wanted, odd

    def wants(self, folder: str) -> bool:
        """Whether a folder may contain wanted files; if so, each folder above it may as well."""
        known = self._known.get(folder)
        if known is None:
            above, slash, _ = folder.rpartition("/")
            known = not folder or self._is_wanted(folder, above if slash else "")
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[folder] = known
        return known

    def _is_wanted(self, folder: str, above: str) -> bool:
        if not self._known.get(above, not above):
            names = above.split("/")
            every = ("/".join(names[:end]) for end in range(1, len(names) + 1))
            if not all(map(self._may_hold, every)):
                return False
            self._known[above] = True
        return self._may_hold(folder)

    def _file(self, path: str, one: StoredObject) -> Iterator[FileEntry | Trouble]:
        if one.archived:
            told = f"is archived ({one.archived}): it must be restored before it can be read"
            yield Trouble(path, error_codes.ARCHIVED, told)
        else:
            yield FileEntry(path, one.size, one.modified, one.tag)

    def _told(self, path: str) -> Iterator[Trouble]:
        """Yield one trouble for all keys with the same invalid part."""
        names = path.split("/")
        at = next((at for at, name in enumerate(names) if name in _ODD_NAMES), len(names))
        shared = "/".join(names[: at + 1])
        if shared not in self._odd and len(self._odd) < _KEPT:
            self._odd.add(shared)
            yield Trouble(shared or "/", error_codes.UNREADABLE, _ODD)


def _is_path(path: str) -> bool:
    return "\0" not in path and _ODD_NAMES.isdisjoint(path.split("/"))


def nanoseconds(moment: datetime) -> int:
    """Convert a time to nanoseconds since 1970, exactly."""
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1_000


class PageRequest(NamedTuple):
    """A listing request: all keys with a prefix, or only those directly in the folder."""

    prefix: str
    by_folder: bool = False
    most: int = 1_000
    after: str = ""
    """Where to continue, as the store's continuation token."""


class ListingPage(NamedTuple):
    """One page of a listing."""

    found: list[StoredObject]
    folders: list[str]
    """With a trailing slash."""
    after: str
    """The store's continuation token for the next page; empty after the last one."""


Pages = Callable[[PageRequest, str], ListingPage]
"""Requests one page, after a continuation token; raises `StoreRefusedError`."""

Answer = tuple[PageRequest, ListingPage | StoreRefusedError]
Elsewhere = Callable[[Sequence[PageRequest]], Iterator[Answer]]
"""Lists on other machines: yields pages of each request, in order; possibly not to its end."""


def all_pages(pages: Pages, ask: PageRequest) -> Iterator[ListingPage]:
    """Yield all pages of a request."""
    page = pages(ask, ask.after)
    yield page
    while page.after:
        page = pages(ask, page.after)
        yield page
