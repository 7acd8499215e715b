"""Listing a store that knows keys and no folders, with many requests at once, and few in all.

What fits one page is listed by one request. Otherwise folders are discovered level by level until
there are enough of them; then whole prefixes are listed flat, however deep they are. So the number
of requests follows the number of objects, and not of folders.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from lumos_snap.scan.probe.store import Answered, Entry, Trouble
from lumos_snap.scan.probe.stores.answers import THREADS, Answers
from lumos_snap.scan.probe.stores.keys import Found, Keys
from lumos_snap.scan.probe.stores.refusals import RefusedError
from lumos_snap.scan.probe.stores.splitting import covering

DEEPEST = 6
"""How many levels of folders are discovered at most."""
ENOUGH = 2 * THREADS
"""How many folders keep all threads busy."""
_MANY = 50_000
"""How many folders are kept in memory; more are kept as what they begin with."""


class Ask(NamedTuple):
    """What is asked for: what begins with a prefix; by folder, only what lies in it directly."""

    prefix: str
    by_folder: bool = False
    most: int = 1_000


class Page(NamedTuple):
    """One answer."""

    found: list[Found]
    folders: list[str]
    """With the slash at their end."""
    after: str
    """What the next page begins with, in the store's own words; nothing after the last one."""


Pages = Callable[[Ask, str], Page]
"""One request: what is asked for, and what the page before said; raises `RefusedError`."""


def listed(pages: Pages, first: Page, keys: Keys, answered: Answered) -> Iterator[Entry | Trouble]:
    """Every file of a store; the first page is the flat one of all that lies there."""
    answered()
    if not first.after:
        yield from keys.files(first.found)
        return
    answers: Answers[Ask, Page] = Answers(lambda ask: _all_pages(pages, ask))
    try:
        yield from _Walk(answers, keys, answered).files()
    finally:
        answers.end()


def _all_pages(pages: Pages, ask: Ask) -> Iterator[Page]:
    page = pages(ask, "")
    yield page
    while page.after:
        page = pages(ask, page.after)
        yield page


class _Walk:
    """The way from one prefix to all that lies below it."""

    def __init__(self, answers: Answers[Ask, Page], keys: Keys, answered: Answered) -> None:
        self._answers = answers
        self._keys = keys
        self._answered = answered
        self._done: set[str] = set()
        """Folders whose own files were listed when their folders were discovered."""
        self._unwanted: list[str] = []

    def files(self) -> Iterator[Entry | Trouble]:
        """All files below the top."""
        level = [self._keys.start]
        for _ in range(DEEPEST):
            if not level or len(level) >= ENOUGH:
                break
            below: list[str] = []
            yield from self._discovered(level, below)
            level = below
        for prefix in covering(level, self._unwanted, 2 * ENOUGH):
            self._answers.ask(Ask(prefix))
        for page in self._pages():
            if isinstance(page, Trouble):
                yield page
            else:
                others = [one for one in page.found if _folder(one.key) not in self._done]
                yield from self._keys.files(others)

    def _discovered(self, level: list[str], below: list[str]) -> Iterator[Entry | Trouble]:
        """The files of some folders, and the folders below them."""
        for folder in level:
            self._answers.ask(Ask(folder, by_folder=True))
        self._done.update(level)
        for page in self._pages():
            if isinstance(page, Trouble):
                yield page
                continue
            yield from self._keys.files(page.found)
            wanted, odd = self._keys.folders(page.folders)
            yield from odd
            below += wanted
            self._unwanted += set(page.folders).difference(wanted)
            if len(below) > _MANY:
                below[:] = covering(below, (), 2 * ENOUGH)
            del self._unwanted[_MANY:]

    def _pages(self) -> Iterator[Page | Trouble]:
        for ask, page in self._answers.taken():
            self._answered()
            if isinstance(page, RefusedError):
                # A prefix may end within a name: then it is its folder that is not known whole.
                path = self._keys.path(_folder(ask.prefix))
                yield Trouble(path, page.reason, page.detail, hides=True)
            else:
                yield page


def _folder(key: str) -> str:
    folder, slash, _ = key.rpartition("/")
    return folder + slash
