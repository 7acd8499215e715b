"""What a store that knows keys and no folders is asked for, and what it answers."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from lumos_snap.scan.stores.errors import RefusedError
from lumos_snap.scan.stores.object_files import Found


class Ask(NamedTuple):
    """What is asked for: what begins with a prefix; by folder, only what lies in it directly."""

    prefix: str
    by_folder: bool = False
    most: int = 1_000
    after: str = ""
    """Where it is taken up again, in the store's own words."""


class Page(NamedTuple):
    """One answer."""

    found: list[Found]
    folders: list[str]
    """With the slash at their end."""
    after: str
    """What the next page begins with, in the store's own words; nothing after the last one."""


Pages = Callable[[Ask, str], Page]
"""One request: what is asked for, and what the page before said; raises `RefusedError`."""

Answer = tuple[Ask, Page | RefusedError]
Elsewhere = Callable[[Sequence[Ask]], Iterator[Answer]]
"""Asks from other machines: yields some pages of each, in order; the last may not be the end."""


def all_pages(pages: Pages, ask: Ask) -> Iterator[Page]:
    """What is asked for, to its end."""
    page = pages(ask, ask.after)
    yield page
    while page.after:
        page = pages(ask, page.after)
        yield page
